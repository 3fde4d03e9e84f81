"""The one way from a file's bytes to its chunks."""

from __future__ import annotations

from pathlib import PurePath

from tools.codebase.chunking.chunk import Chunk
from tools.codebase.chunking.languages import cutter_of, language_of
from tools.codebase.chunking.syntax import chunks_of_tree
from tools.codebase.chunking.vyper import chunks_of_vyper


def chunks_of(path: str, text: str) -> list[Chunk]:
    """The chunks of a file, in the order of its lines, outer before inner; none for a language that is not known.
    Never fails: code with errors yields the chunks that can be recognized."""
    language = language_of(path)
    if language is None:
        return []
    cutter = cutter_of(language, PurePath(path).suffix)
    if cutter is None:
        return chunks_of_vyper(text)
    return chunks_of_tree(cutter, text.encode("utf-8", "surrogatepass"))
