"""As much of JSON Schema as our schemas use; an unknown keyword fails, so nothing goes unchecked."""

import re

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def conforms(value, schema, root=None, at="$"):
    """The faults of ``value``, each with its place; none means it conforms."""
    root = root or schema
    faults = []
    for keyword, wanted in schema.items():
        if keyword not in IGNORED:
            faults += CHECKS[keyword](value, wanted, schema, root, at)
    return faults


def _type(value, wanted, schema, root, at):
    names = [wanted] if isinstance(wanted, str) else wanted
    fits = any(isinstance(value, TYPES[name]) for name in names)
    wrong_bool = isinstance(value, bool) and "boolean" not in names
    return [] if fits and not wrong_bool else [f"{at}: {value!r} is no {wanted}"]


def _properties(value, wanted, schema, root, at):
    if not isinstance(value, dict):
        return []
    return [
        f
        for name in wanted
        if name in value
        for f in conforms(value[name], wanted[name], root, f"{at}.{name}")
    ]


def _additional(value, wanted, schema, root, at):
    assert wanted is False
    if not isinstance(value, dict):
        return []
    return [f"{at}: {name} is not described" for name in value if name not in schema["properties"]]


def _items(value, wanted, schema, root, at):
    if not isinstance(value, list):
        return []
    return [f for n, item in enumerate(value) for f in conforms(item, wanted, root, f"{at}[{n}]")]


def _ref(value, wanted, schema, root, at):
    return conforms(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, at)


def _any_of(value, wanted, schema, root, at):
    found = [conforms(value, item, root, at) for item in wanted]
    return [] if any(not faults for faults in found) else min(found, key=len)


def _pattern(value, wanted, schema, root, at):
    return (
        [f"{at}: {value!r} is not like {wanted}"]
        if isinstance(value, str) and not re.search(wanted, value)
        else []
    )


CHECKS = {
    "anyOf": _any_of,
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "$ref": _ref,
    "pattern": _pattern,
    "required": lambda v, w, s, r, at: [
        f"{at}: {name} is missing" for name in w if isinstance(v, dict) and name not in v
    ],
    "enum": lambda v, w, s, r, at: [] if v in w else [f"{at}: {v!r} is none of {w}"],
    "const": lambda v, w, s, r, at: [] if v == w else [f"{at}: {v!r} is not {w!r}"],
    "minimum": lambda v, w, s, r, at: [] if v >= w else [f"{at}: {v!r} is below {w}"],
    "maximum": lambda v, w, s, r, at: [] if v <= w else [f"{at}: {v!r} is above {w}"],
}
