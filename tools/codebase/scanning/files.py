"""The source files of a folder, and their texts. Symbolic links are not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from simulator.files.regular_file import NotRegularError, TooLargeError, read_at_most
from simulator.printable import is_encodable, one_line, shown_path
from tools.codebase.chunking.languages import language_of
from tools.codebase.errors import CodebaseFolderRefused
from tools.codebase.scanning.ignored import ALWAYS, rules_above

MAX_SOURCE_BYTES = 1_000_000
MAX_FILES = 200_000
MAX_STRANGE_NAMES = 1_000
MAX_LINE_LENGTH = 20_000
"""Bytes of a line; files with longer ones are generated, and a chunk of whole lines would be all of them."""


@dataclass(slots=True)
class Scan:
    """`sources` are relative paths with forward slashes, sorted. `skipped` says why other code was left out."""

    sources: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


def checked_folder(root: Path) -> Path:
    """The folder, whose path the memory can keep. Raises `CodebaseFolderRefused` for one that is not UTF-8."""
    if not is_encodable(str(root)):
        raise CodebaseFolderRefused(
            f"{shown_path(root)}: the memory keeps paths as UTF-8, which this one is not: rename it"
        )
    return root


def scan(root: Path, max_files: int = MAX_FILES) -> Scan:
    """Find the source files below `root`, without those that .gitignore leaves out. Reads no file but .gitignore.

    Raises `CodebaseFolderRefused` when `root` is no folder that can be read, or holds more than `max_files` source
    files.
    """
    checked_folder(root)
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise CodebaseFolderRefused(
            f"{shown_path(root)}: this is no folder that can be read: {error.strerror}"
        ) from error
    result = Scan()
    for path in _walk(root):
        if language_of(path.name) is None:
            continue
        name = path.relative_to(root).as_posix()
        if name.isprintable():
            result.sources.append(name)
        elif len(result.skipped) < MAX_STRANGE_NAMES:
            result.skipped[one_line(name)] = "its name holds bytes that are not UTF-8, or characters that hide"
        if len(result.sources) > max_files:
            raise CodebaseFolderRefused(
                f"{shown_path(root)}: more than {max_files} source files; index a folder below it"
            )
    result.sources.sort()
    return result


def _walk(root: Path) -> Iterator[Path]:
    waiting = [(root, rules_above(root))]
    while waiting:
        folder, above = waiting.pop()
        rules = above.inside(folder)
        for entry in _entries(folder):
            path = Path(entry.path)
            is_folder = entry.is_dir(follow_symlinks=False)
            if (is_folder and entry.name in ALWAYS) or rules.leave_out(path, is_folder=is_folder):
                continue
            if is_folder:
                waiting.append((path, rules))
            elif entry.is_file(follow_symlinks=False):
                yield path


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder; none when it has gone or may not be read, which the other folders do not suffer from."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def read_source(root: Path, relative: str) -> bytes | str:
    """The bytes of a source file, or in words why it is skipped: too large, binary, generated, unreadable, no file."""
    try:
        content = read_at_most(root / relative, MAX_SOURCE_BYTES)
    except NotRegularError:
        return "no regular file"
    except TooLargeError:
        return f"larger than {MAX_SOURCE_BYTES} bytes"
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return _judged(content)


def _judged(content: bytes) -> bytes | str:
    if b"\0" in content:
        return "binary"
    if any(len(line) > MAX_LINE_LENGTH for line in content.split(b"\n")):
        return f"generated: a line of more than {MAX_LINE_LENGTH} bytes"
    return content
