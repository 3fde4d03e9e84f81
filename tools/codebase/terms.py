"""Words of code: identifiers cut at underscores and capitals, so that `getUserName` answers "user name"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.codebase.chunking.chunk import Chunk

MAX_WORDS = 2_000
"""Words of one chunk that are indexed; longer chunks are tables of data."""
MAX_WORD_LENGTH = 40
_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
COMMON = frozenset(
    """
    a an and are as at be by do does for from has have how i if in is it its of on or that the this to was we what
    when where which who why will with you your code
    """.split()  # noqa: SIM905  # as a list it would fill a page
)
"""Words of questions that say nothing about what is asked for."""


def words_of(text: str) -> Iterator[str]:
    """The words of a text in lower case: each identifier's parts and, where it has several, all of it in one word."""
    for match in _IDENTIFIER.finditer(text):
        identifier = match.group()
        parts = _PART.findall(identifier)
        if len(parts) == 1:
            yield identifier[:MAX_WORD_LENGTH].lower()
            continue
        for part in parts:
            yield part[:MAX_WORD_LENGTH].lower()
        yield identifier.replace("_", "")[:MAX_WORD_LENGTH].lower()


def query_words(query: str) -> list[str]:
    """The different words of a question, without those that only make it a sentence."""
    words = list(dict.fromkeys(words_of(query)))
    return [word for word in words if word not in COMMON] or words


@dataclass(frozen=True, slots=True)
class Terms:
    """Indexed terms of one chunk."""

    name: tuple[str, ...]
    path: tuple[str, ...]
    body: tuple[str, ...]


def terms_of(path: str, lines: Sequence[str], chunks: Sequence[Chunk]) -> list[Terms]:
    """The words of each chunk of a file. What stands in an inner chunk counts there alone, and only its name for the
    chunks around it, so that a class is found by what it is and a method by what it does."""
    owner = _owners(len(lines), chunks)
    bodies: list[list[str]] = [[] for _ in chunks]
    for row, line in enumerate(lines):
        for number in owner.get(row, ()):
            if len(bodies[number]) < MAX_WORDS:
                bodies[number].extend(words_of(line))
    for number, around in enumerate(_holders(chunks)):
        if around is not None and len(bodies[around]) < MAX_WORDS:
            bodies[around].extend(words_of(chunks[number].name.rsplit(".", 1)[-1]))
    place = tuple(words_of(path))
    return [
        Terms(tuple(words_of(chunk.name)), place, tuple(body[:MAX_WORDS]))
        for chunk, body in zip(chunks, bodies, strict=True)
    ]


def _owners(rows: int, chunks: Sequence[Chunk]) -> dict[int, list[int]]:
    """For each row the chunks whose own it is: the innermost, several only where they share a line."""
    owner: dict[int, list[int]] = {}
    for number, chunk in enumerate(chunks):
        span = range(chunk.start_line - 1, min(chunk.end_line, rows))
        alone = len(span) == 1
        for row in span:
            known = owner.get(row, [])
            shares = alone and any(chunks[each].start_line == chunks[each].end_line for each in known)
            owner[row] = [*known, number][-8:] if shares else [number]
    return owner


def _holders(chunks: Sequence[Chunk]) -> Iterator[int | None]:
    """For each chunk the one directly around it."""
    around: list[int] = []
    for number, chunk in enumerate(chunks):
        while around and not _holds(chunks[around[-1]], chunk):
            around.pop()
        yield around[-1] if around else None
        around.append(number)


def _holds(outer: Chunk, inner: Chunk) -> bool:
    return outer.end_line >= inner.end_line and inner.name.startswith(outer.name + ".")
