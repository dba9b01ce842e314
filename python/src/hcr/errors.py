"""The exceptions of hcr: one family, each with a code, a place and a text."""

from __future__ import annotations

from typing import Any

#: Names of the codes, in the order of the library's status values.
CODES = (
    "ok",
    "argument",
    "memory",
    "file",
    "format",
    "version",
    "syntax",
    "name",
    "shape",
    "data",
    "convexity",
    "empty",
    "unbounded",
    "origin",
    "precision",
    "solver",
    "interrupted",
    "unsupported",
)


class Error(Exception):
    """What the library refuses, and why.

    Attributes:
        code: what kind of fault it is: one of `hcr.errors.CODES`, such as ``"shape"`` or ``"convexity"``.
        text: what is wrong and what to do about it; may have several lines.
        file: the file it is in, ``""`` when there is none.
        line: the line in that file, counted from 1; 0 when there is none.
        column: the column in that line, counted from 1; 0 when there is none.

    >>> import hcr
    >>> try:
    ...     hcr.Region("var y[2]\\n0 <= y <= 1\\nnorm(z) <= 1")
    ... except hcr.Error as error:
    ...     print(error.code, error.line, error.column)
    name 3 6
    """

    def __init__(self, code: str, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.code, self.text, self.file, self.line, self.column = code, text, file, line, column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.text}" if place else self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.text, self.file, self.line, self.column)


class InvalidError(Error, ValueError):
    """Something given is wrong: a text, a shape, a number, a file's content. Also a ``ValueError``."""


class FileError(Error, OSError):
    """A file can't be opened, read or written. Also an ``OSError``."""

    def __new__(cls, *arguments: Any) -> FileError:  # OSError would read two arguments as an errno and its text
        return super().__new__(cls, *arguments[1:2])

    def __str__(self) -> str:
        return Error.__str__(self)


class OutOfMemoryError(Error, MemoryError):
    """There was no more memory. Also a ``MemoryError``."""


class UnsupportedError(Error, NotImplementedError):
    """A thing that this version, or this way of computing, doesn't do. Also a ``NotImplementedError``."""


_KINDS: dict[str, type[Error]] = {"memory": OutOfMemoryError, "file": FileError, "unsupported": UnsupportedError}


def make(code: str, text: str, file: str = "", line: int = 0, column: int = 0) -> Error:
    """The exception for a code."""
    kind = _KINDS.get(code, Error if code in ("solver", "interrupted") else InvalidError)
    printable = file.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return kind(code, text, printable, line, column)
