"""Writing files of the project: `writeFile`, `writeLine`, `createDir`, `removeFile`, ...

Files are no state of the chain: what is written stays when the call is undone, and is written again by each replay.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.files.access import MAX_BYTES, path_to_write, require_unprotected_below
from simulator.cheatcodes.files.reading import bytes_of_file
from simulator.files.regular_file import open_to_write

MAX_CHANGES = 1 << 20
"""Of files, by one worker."""


@contextmanager
def _changing(vm: Session, verb: str, path: Path) -> Iterator[None]:
    """A change of a file, whose failure is that of the cheatcode."""
    vm.file_changes += 1
    if vm.file_changes > MAX_CHANGES:
        raise CheatcodeError(f"a worker changes files at most {MAX_CHANGES} times")
    try:
        yield
    except OSError as error:
        raise CheatcodeError(f'failed to {verb} "{path}": {error.strerror or error}') from None


def write_bytes_to(vm: Session, name: str, data: bytes) -> None:
    """Make this the content of a file that may be written. Raises `CheatcodeError`."""
    path = path_to_write(vm, name)
    _require_size(path, len(data))
    with _changing(vm, "write to", path), open_to_write(path) as file:
        file.truncate()
        file.write(data)


def _require_size(path: Path, size: int) -> None:
    if size > MAX_BYTES:
        raise CheatcodeError(f'failed to write to "{path}": it would have more than {MAX_BYTES} bytes')


@cheatcode("writeFile(string,string)")
def write_file(vm: Session, name: str, text: str) -> None:
    write_bytes_to(vm, name, text.encode("utf-8", "surrogateescape"))


@cheatcode("writeFileBinary(string,bytes)")
def write_file_binary(vm: Session, name: str, data: bytes) -> None:
    write_bytes_to(vm, name, data)


@cheatcode("writeLine(string,string)")
def write_line(vm: Session, name: str, line: str) -> None:
    """Behind what the file holds, which is made when it is missing."""
    path = path_to_write(vm, name)
    data = line.encode("utf-8", "surrogateescape") + b"\n"
    with _changing(vm, "write to", path):
        _require_size(path, len(data) + (path.stat().st_size if path.exists() else 0))
        with open_to_write(path) as file:
            file.seek(0, os.SEEK_END)
            file.write(data)


@cheatcode("copyFile(string,string)")
def copy_file(vm: Session, source: str, target: str) -> int:
    """Returns how many bytes were copied."""
    data = bytes_of_file(vm, source)
    write_bytes_to(vm, target, data)
    return len(data)


@cheatcode("removeFile(string)")
def remove_file(vm: Session, name: str) -> None:
    path = path_to_write(vm, name)
    vm.change(lines={other: number for other, number in vm.state.lines.items() if other != str(path)})
    with _changing(vm, "remove file", path):
        path.unlink()


@cheatcode("createDir(string,bool)")
def create_folder(vm: Session, name: str, recursive: bool) -> None:
    """With `recursive`, the folders around it too, and none of them is missed when it is there already."""
    path = path_to_write(vm, name)
    with _changing(vm, "create dir", path):
        path.mkdir(parents=recursive, exist_ok=recursive)


@cheatcode("removeDir(string,bool)")
def remove_folder(vm: Session, name: str, recursive: bool) -> None:
    """An empty folder; with `recursive`, whatever is in it too."""
    path = path_to_write(vm, name)
    with _changing(vm, "remove dir", path):
        if recursive:
            require_unprotected_below(vm, path)
            shutil.rmtree(path)
        else:
            path.rmdir()
