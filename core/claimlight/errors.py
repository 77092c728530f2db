"""The error tree of the engine: the world's fault apart from ours.

* AppError            ``str(error)`` is fit to show to the user
  * InputError        the file, query or setting the user gave is wrong
    * QueryError      a query line can't be read or run (knows the column)
    * ParseError      a patent file does not follow its format (knows file and position)
  * ResourceError     disk full, library locked, index missing or damaged: nobody's bug
    * LockedCasesError       the case book is encrypted, and no passphrase was given
      * WrongPassphraseError the passphrase does not fit it
    * ServerError            a server of a shared library does not answer, or refuses
      * PasswordError        its database wants a password that was not given, or another one
      * EngineError          it is its engine
        * ShortfallError     the engine gave fewer hits than there are
    * MissingPackageError    shared libraries need a package that this installation does not have
* BugError            a promise inside the program is broken; always a defect of ours
* TaskCancelled       not an error; a ``BaseException``, so ``except Exception`` cannot swallow it

Any other exception that reaches a front is a bug and is shown as one.
"""

from __future__ import annotations

import sys


class AppError(Exception):
    """Base of everything a user may read: says what, where and what to do."""


class InputError(AppError):
    """The file, query or setting the user gave is wrong."""


class ParseError(InputError):
    """A patent file does not follow its format.

    ``line`` is 1-based and 0 where unknown; it counts from the start of the document, not of the file.
    """

    def __init__(self, message: str, *, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class QueryError(InputError):
    """A query line can't be read or run; ``column`` is 1-based and 0 where the fault is in no one place."""

    def __init__(self, message: str, *, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


class ResourceError(AppError):
    """Disk full, library locked, index missing or damaged: nobody's bug."""


class LockedCasesError(ResourceError):
    """The case book is encrypted, and no passphrase was given."""


class WrongPassphraseError(LockedCasesError):
    """The passphrase does not fit the case book."""


class ServerError(ResourceError):
    """A server of a shared library does not answer, or refuses."""


class PasswordError(ServerError):
    """The database of a shared library wants a password that was not given, or another one.

    ``server`` is its address, without a password; ``wrong``: one was given, and does not fit the user.
    """

    def __init__(self, message: str, *, server: str = "", wrong: bool = False) -> None:
        super().__init__(message)
        self.server = server
        self.wrong = wrong


class EngineError(ServerError):
    """The engine of a shared library does not answer, or refuses."""


class ShortfallError(EngineError):
    """An engine gave fewer hits than there are."""


class MissingPackageError(ResourceError):
    """A package that shared libraries need is not installed; the message says how to get it."""

    def __init__(self, needing: str, package: str, extra: str, *, otherwise: str = "") -> None:
        # Nothing can be added to a program folder, which has its own Python.
        way = (
            "install the program folder for shared libraries instead of this one (Installing, Variants)"
            if getattr(sys, "frozen", False)
            else f"pip install 'claimlight[{extra}]'"
        )
        told = f"{needing} needs the Python package {package}, which is not installed: {way}."
        super().__init__(" ".join(filter(None, (told, otherwise))))


class BugError(Exception):
    """A promise inside the program is broken."""


class TaskCancelled(BaseException):
    """Unwinds a task the user stopped."""
