"""Chunks of a codebase."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ChunkType(StrEnum):
    """The six published kinds of chunks. Other constructs count as the nearest kind: a struct, an enum, a
    contract or a library is a class; an event or an error is a property; a constant of a module is a field."""

    FUNCTION = "function"
    CLASS = "class"
    METHOD = "method"
    INTERFACE = "interface"
    PROPERTY = "property"
    FIELD = "field"


HOLDERS = (ChunkType.CLASS, ChunkType.INTERFACE)


class Chunk(msgspec.Struct, frozen=True):
    """Whole lines of a file, counted from 1, both ends included: the declaration with the comments directly above it.

    `name` is qualified by the names of the chunks around it, such as `Vault.withdraw`.
    """

    name: str
    kind: ChunkType
    start_line: int
    end_line: int


def lines_of(text: str) -> list[str]:
    """The lines of a file as chunks count them: line feeds end lines, carriage returns stay in them."""
    return text.split("\n")


def content_of(lines: list[str], start_line: int, end_line: int) -> str:
    """The text of a chunk: exactly these lines of its file."""
    return "\n".join(lines[start_line - 1 : end_line])
