"""Reading files of the project: `readFile`, `readLine`, `exists`, ..."""

from __future__ import annotations

import os
from pathlib import Path

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.files.access import MAX_BYTES, path_to_read
from simulator.files.regular_file import NotRegularError, TooLargeError, read_at_most

MAX_ENTRIES = 4096
DEEPEST = 16
Metadata = tuple[bool, bool, int, bool, int, int, int]
Entry = tuple[str, str, int, bool, bool]


def bytes_of_file(vm: Session, name: str) -> bytes:
    """The whole file. Raises `CheatcodeError` when it cannot be read or exceeds MAX_BYTES."""
    path = path_to_read(vm, name)
    try:
        return read_at_most(path, MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        raise CheatcodeError(f'failed to open file "{path}": there is no such file') from None
    except TooLargeError:
        raise CheatcodeError(f'failed to read from "{path}": it has more than {MAX_BYTES} bytes') from None
    except OSError as error:
        raise CheatcodeError(f'failed to read from "{path}": {error.strerror}') from None


def text_of_file(vm: Session, name: str) -> str:
    """The same as text."""
    try:
        return bytes_of_file(vm, name).decode()
    except UnicodeDecodeError:
        raise CheatcodeError(f'failed to read from "{name}": it is not UTF-8') from None


@cheatcode("readFile(string)")
def read_file(vm: Session, name: str) -> str:
    return text_of_file(vm, name)


@cheatcode("readFileBinary(string)")
def read_file_binary(vm: Session, name: str) -> bytes:
    return bytes_of_file(vm, name)


@cheatcode("readLine(string)")
def read_line(vm: Session, name: str) -> str:
    """The next line without its end, empty behind the last one."""
    lines = text_of_file(vm, name).split("\n")
    path = str(path_to_read(vm, name))
    number = vm.state.lines.get(path, 0)
    if number >= len(lines):
        return ""
    vm.change(lines={**vm.state.lines, path: number + 1})
    return lines[number].removesuffix("\r")


@cheatcode("closeFile(string)")
def close_file(vm: Session, name: str) -> None:
    """The next line that is read is the first."""
    path = str(path_to_read(vm, name))
    vm.change(lines={other: number for other, number in vm.state.lines.items() if other != path})


@cheatcode("exists(string)")
def exists(vm: Session, name: str) -> bool:
    return path_to_read(vm, name).exists()


@cheatcode("isFile(string)")
def is_file(vm: Session, name: str) -> bool:
    return path_to_read(vm, name).is_file()


@cheatcode("isDir(string)")
def is_folder(vm: Session, name: str) -> bool:
    return path_to_read(vm, name).is_dir()


@cheatcode("fsMetadata(string)")
def metadata(vm: Session, name: str) -> Metadata:
    """Is it a folder, a link (never: they are followed), its size, may nobody write it, and the times in seconds of the
    last change, of the last access and of its creation, which is not told."""
    path = path_to_read(vm, name)
    try:
        found = path.stat()
    except OSError as error:
        raise CheatcodeError(f'failed to read metadata of "{path}": {error.strerror}') from None
    return path.is_dir(), False, found.st_size, not found.st_mode & 0o222, int(found.st_mtime), int(found.st_atime), 0


@cheatcode("readLink(string)")
def read_link(vm: Session, name: str) -> str:
    """Return the target of a link, which must be readable itself."""
    path_to_read(vm, name)
    try:
        return str((vm.root / name).readlink())
    except OSError as error:
        raise CheatcodeError(f'failed to read link "{name}": {error.strerror}') from None


@cheatcode("readDir(string)", "readDir(string,uint64)", "readDir(string,uint64,bool)")
def read_folder(vm: Session, name: str, deepest: int = 1, _follow: bool = False) -> tuple[Entry, ...]:
    """Error, path, depth, is it a folder, is it a link; by path. Links are told, never followed."""
    folder = path_to_read(vm, name)
    if not folder.is_dir():
        raise CheatcodeError(f'failed to read folder "{folder}": there is no such folder')
    found: list[Entry] = []
    for current, folders, files in os.walk(folder, followlinks=False):
        depth = len(Path(current).relative_to(folder).parts) + 1
        for each in (*folders, *files):
            path = Path(current) / each
            found.append(("", str(path), depth, path.is_dir() and not path.is_symlink(), path.is_symlink()))
        if len(found) > MAX_ENTRIES:
            raise CheatcodeError(f'failed to read folder "{folder}": it has more than {MAX_ENTRIES} entries')
        if depth >= min(deepest, DEEPEST):
            folders.clear()
    return tuple(sorted(found, key=lambda entry: entry[1]))
