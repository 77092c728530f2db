"""Values to JSON, and from JSON and TOML, by the types of their dataclasses.

Everything the program keeps in files of its own is read here: manifests, recipes, case books, the events of a
job. A fault is a `MisfitError`, which names the place, what was found there and what was expected.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Annotated, Any, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from claimlight.files import parse_json

_T = TypeVar("_T")

WORDS: Mapping[Any, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
"""What a message calls the plain types."""


class MisfitError(ValueError):
    """A value that can't be what its type or its field says."""

    def __init__(self, name: str, fault: str) -> None:
        """``fault`` follows the name in the message: `` is missing``, `` = 3 is invalid; expected …``."""
        super().__init__(name, fault)
        self.name = name
        self.fault = fault

    def inside(self, name: str) -> MisfitError:
        """The same fault, seen from the value that holds this one under ``name``."""
        dot = "." if self.name and not self.name.startswith("[") else ""
        return MisfitError(f"{name}{dot}{self.name}", self.fault)

    def __str__(self) -> str:
        """``segments[3].bytes = 'x' is invalid; expected a whole number``."""
        return f"{self.name or 'it'}{self.fault}"


def misfit(name: str, found: object, wanted: str) -> MisfitError:
    """The error for a value that is not ``wanted``."""
    return MisfitError(name, f" = {found!r} is invalid; expected {wanted}")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value may be besides its type: ``Annotated[int, Rule(minimum=1)]``."""

    minimum: float | None = None
    """Of numbers, which are finite then."""
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    check: Callable[[Any], object] | None = None
    """Raises `ValueError` for a value that can't be."""
    wanted: str = ""
    """What ``check`` lets pass, for the message; empty: what its error says."""
    convert: Callable[[Any], Any] | None = None
    """Makes a value of the raw one in place of the type; raises `MisfitError`, see `misfit`."""


def encode(value: object) -> str:
    """Compact JSON; the same value gives the same text."""
    # NaN and Infinity are no JSON: other programs would refuse the whole text.
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def decode(kind: type[_T], text: str | bytes) -> _T:
    """The value of type ``kind`` in a JSON text; see `read`."""
    return read(kind, parse_json(text))


def plain(value: object, as_text: tuple[type, ...] = ()) -> Any:
    """A value as JSON has it; those of the types ``as_text`` as `str` says them."""
    if value is None or isinstance(value, str | int | float):
        # Members of StrEnum and IntEnum are texts and numbers too.
        return value.value if isinstance(value, Enum) else value
    if as_text and isinstance(value, as_text):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name), as_text) for item in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item, as_text) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item, as_text) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in a record")


def read(kind: type[_T], raw: object, *, known_only: bool = False, ignored: Collection[str] = ()) -> _T:
    """The value of type ``kind`` that JSON or TOML gave; `MisfitError` where it does not fit.

    Fields that are not there take their defaults and unknown keys are ignored, so that a newer program
    reads the records of an older one and the other way round. ``known_only`` refuses unknown keys of the
    outermost table that are not ``ignored``: for files that people write.
    """
    if known_only and isinstance(raw, Mapping):
        names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
        unknown = sorted(raw.keys() - set(names) - set(ignored))
        if unknown:
            known = f"known keys: {', '.join(names)}"
            raise MisfitError(", ".join(unknown), f" is not known here; {known}")
    reader = _reader(cast("Any", kind))
    value: _T = reader(raw)
    return value


def check(value: _T, rule: Rule, name: str = "") -> _T:
    """The value itself; `MisfitError` where it breaks the rule."""
    if rule.choices and value not in rule.choices:
        raise misfit(name, value, f"one of {', '.join(map(str, rule.choices))}")
    if isinstance(value, int | float) and (rule.minimum, rule.maximum) != (None, None):
        # Python's JSON reads NaN, which no comparison below would refuse.
        if isinstance(value, float) and not math.isfinite(value):
            raise misfit(name, value, WORDS[float])
        if rule.minimum is not None and value < rule.minimum:
            raise misfit(name, value, f"at least {rule.minimum}")
        if rule.maximum is not None and value > rule.maximum:
            raise misfit(name, value, f"at most {rule.maximum}")
    if rule.check is not None:
        try:
            rule.check(value)
        except ValueError as error:
            # As in the file: JSON and TOML have lists, no tuples.
            shown = list(value) if isinstance(value, tuple) else value
            raise misfit(name, shown, rule.wanted or str(error)) from error
    return value


_Reader = Callable[[Any], Any]


@cache
def _reader(kind: Any) -> _Reader:
    """What makes a raw value one of type ``kind``; built once for each type."""
    if isinstance(kind, NewType):
        return _reader(kind.__supertype__)
    origin = get_origin(kind)
    if origin is Annotated:
        return _ruled(kind)
    if origin in (Union, types.UnionType):
        return _union(kind)
    if origin is tuple:
        return _tuple(get_args(kind))
    if origin is not None and issubclass(origin, Mapping):
        return _table(get_args(kind)[1])
    if is_dataclass(kind):
        return _Record(kind)
    if isinstance(kind, type) and issubclass(kind, Enum | date):
        return _converted(kind, kind.fromisoformat if issubclass(kind, date) else kind)
    if kind in WORDS:
        return _scalar(kind)
    if kind in (Any, object):
        return lambda raw: raw
    raise TypeError(f"{kind} has no place in a record")


def _ruled(kind: Any) -> _Reader:
    rules = [item for item in kind.__metadata__ if isinstance(item, Rule)]
    converters = [rule.convert for rule in rules if rule.convert]
    reader = converters[0] if converters else _reader(kind.__origin__)

    def made(raw: Any) -> Any:
        value = reader(raw)
        for rule in rules:
            check(value, rule)
        return value

    return made


def _scalar(kind: Any) -> _Reader:
    def number(raw: Any) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise misfit("", raw, WORDS[float])
        try:
            return float(raw)
        except OverflowError as error:  # a whole number of more than 308 digits
            raise misfit("", raw, WORDS[float]) from error

    def other(raw: Any) -> Any:
        # True is an int to Python, and to nobody else.
        if not isinstance(raw, kind) or (kind is int and isinstance(raw, bool)):
            raise misfit("", raw, WORDS[kind])
        return raw

    return number if kind is float else other


def _converted(kind: Any, convert: _Reader) -> _Reader:
    words = f"one of {', '.join(str(item.value) for item in kind)}" if issubclass(kind, Enum) else "a date"
    if issubclass(kind, datetime):
        words = "a date and a time"

    def made(raw: Any) -> Any:
        # TOML has dates of its own; JSON has texts.
        if isinstance(raw, kind):
            return raw
        try:
            return convert(raw)
        except (TypeError, ValueError) as error:
            raise misfit("", raw, words) from error

    return made


def _tuple(kinds: tuple[Any, ...]) -> _Reader:
    if kinds[-1] is Ellipsis:
        item = _reader(kinds[0])

        def several(raw: Any) -> Any:
            if not isinstance(raw, list | tuple):
                raise misfit("", raw, "a list")
            return tuple(_at(place, item, one) for place, one in enumerate(raw))

        return several
    readers = [_reader(one) for one in kinds]

    def fixed(raw: Any) -> Any:
        if not isinstance(raw, list | tuple) or len(raw) != len(readers):
            raise misfit("", raw, f"a list of {len(readers)}")
        return tuple(
            _at(place, reader, one) for place, (reader, one) in enumerate(zip(readers, raw, strict=True))
        )

    return fixed


def _at(place: int | str, reader: _Reader, raw: Any) -> Any:
    try:
        return reader(raw)
    except MisfitError as error:
        raise error.inside(f"[{place}]" if isinstance(place, int) else place) from error


def _table(kind: Any) -> _Reader:
    item = _reader(kind)

    def made(raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            raise misfit("", raw, "a table")
        return {str(key): _at(str(key), item, value) for key, value in raw.items()}

    return made


def _union(kind: Any) -> _Reader:
    kinds = [item for item in get_args(kind) if item is not types.NoneType]
    optional = len(kinds) < len(get_args(kind))

    def made(raw: Any) -> Any:
        if raw is None and optional:
            return None
        return _reader(kinds[0] if len(kinds) == 1 else _fitting(kinds, raw))(raw)

    return made


def _fitting(kinds: Sequence[Any], raw: Any) -> Any:
    """Of several types the one the value was made of: it has what that needs, and most of its fields."""
    names = set(raw) if isinstance(raw, Mapping) else set()

    def shared(kind: Any) -> int:
        if not is_dataclass(kind):
            return 0 if isinstance(raw, kind) else -1
        needed = {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}
        return len(names & {item.name for item in fields(kind)}) if names and needed <= names else -1

    # If several fit equally well, the first declared.
    best = max(kinds, key=shared)
    if shared(best) < 0:
        raise misfit("", raw, f"one of {', '.join(kind.__name__ for kind in kinds)}")
    return best


class _Record:
    """Reads one dataclass. Its fields' readers are found at first use, as a type may hold itself."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._fields: tuple[tuple[str, _Reader, bool], ...] = ()

    def __call__(self, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            raise misfit("", raw, "a table")
        if not self._fields:
            hints = get_type_hints(self._kind, include_extras=True)
            self._fields = tuple(
                (
                    item.name,
                    _reader(hints[item.name]),
                    item.default is MISSING and item.default_factory is MISSING,
                )
                for item in fields(self._kind)
            )
        given = {}
        for name, reader, needed in self._fields:
            if name in raw:
                given[name] = _at(name, reader, raw[name])
            elif needed:
                raise MisfitError(name, " is missing")
        return self._kind(**given)
