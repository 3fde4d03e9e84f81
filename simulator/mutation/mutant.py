"""Definition of a mutant: one change of one operation, as a developer would say it, and the edits that make it in each
code."""

from __future__ import annotations

from typing import Literal

import msgspec

CodeName = tuple[str, bool]
"""A code of the project: the contract's `path:Name`, and whether it is the one that creates."""


class Routine(msgspec.Struct, frozen=True):
    """A function that a mutant brings along, appended to the code. It takes two numbers, the first on top, and leaves
    one, as the compiler's helpers do; with `+1` and `-1` as `operator` it takes one. `type` is that of the numbers;
    `checked`: it panics as Solidity 0.8 does."""

    operator: str
    type: str
    checked: bool


class Edit(msgspec.Struct, frozen=True):
    """In place of the bytes `start <= pc < end` stands `code`, which may be longer and has no jump; or, with a
    `routine`, the PUSH that stands there pushes the routine's address. `aside`: it changes nothing by itself."""

    start: int
    end: int
    code: bytes = b""
    routine: Routine | None = None
    aside: bool = False


class CodeEdits(msgspec.Struct, frozen=True):
    """The edits of one code, in the order of their places."""

    contract: str
    creation: bool
    edits: tuple[Edit, ...]


class Mutant(msgspec.Struct, frozen=True):
    """`id` is the same for the same change of the same source. `line` and `column` begin with 1. `before` and `after`
    are what a developer would write; `start` and `length` are the bytes of the operation in the source. `operator`
    names the kind of change."""

    id: str
    file: str
    line: int
    column: int
    function: str
    contract: str
    operator: str
    before: str
    after: str
    start: int
    length: int
    codes: tuple[CodeEdits, ...]

    @property
    def description(self) -> str:
        """The change in a few words, without its place."""
        return f"{self.before} -> {self.after}"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


MutantStatus = Literal["killed", "survived", "stillborn"]
