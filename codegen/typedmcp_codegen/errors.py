"""The one error the generator raises for bad input; it knows nothing of any stage."""

from __future__ import annotations


class CodegenError(Exception):
    """An input the generator refuses, told in one line.

    `where` is the file (or record) at fault, `pointer` the JSON pointer inside it (RFC 6901, as a URI fragment),
    `hint` what to do about it.
    """

    def __init__(self, message: str, *, where: str = "", pointer: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.pointer = pointer
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}{self.pointer}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text

    def located(self, where: str) -> CodegenError:
        """The same error with the file it arose in, where a stage knew only the pointer."""
        return self if self.where else CodegenError(self.message, where=where, pointer=self.pointer, hint=self.hint)
