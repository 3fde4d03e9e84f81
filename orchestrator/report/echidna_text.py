"""Echidna's `covered.txt`: the path, then ` <line> | <markers>| <source>` for each line.

Markers: `*` executed; and how frames that ended on the line came to their end: `r` revert, `o` out of gas, `e` another
error. Lines without code of their own stay bare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from simulator.coverage.annotation import markers
from simulator.coverage.file_coverage import FileCoverage
from simulator.printable import printable, shown_path

MARKER_WIDTH = 4


def render_echidna_text(files: Iterable[FileCoverage], root: str = "") -> str:
    """All files, one empty line between them. Relative paths are put below `root` when it is given."""
    return "\n".join("".join(f"{line}\n" for line in _file(file, root)) for file in files)


def _file(file: FileCoverage, root: str) -> Iterator[str]:
    yield shown_path(PurePath(root, file.path))
    counts = {line.line: line for line in file.lines}
    source = file.content.split("\n")
    width = len(str(len(source)))
    for number, text in enumerate(source, 1):
        marks = markers(counts.get(number))
        yield f" {number:>{width}} | {marks:<{MARKER_WIDTH}}| {printable(text.removesuffix(chr(13)))}"
