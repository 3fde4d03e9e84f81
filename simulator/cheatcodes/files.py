"""Reading files of the project: `readFile`, `readLine`, `exists`, ... Nothing is ever written.

A file may be read when it is inside of the project and `fs_permissions` in foundry.toml allows it; the most exact entry
decides. Links are followed first.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from simulator.cheatcodes.errors import CheatcodeError, UnsupportedError
from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.compile.foundry_config import PathPermission, read_permissions
from simulator.errors import CompileError

MOST_BYTES = 1 << 20
MOST_ENTRIES = 4096
DEEPEST = 16
Entry = tuple[str, str, int, bool, bool]


def _allowed(vm: Session, name: str) -> Path:
    """The path with its links resolved. Raises `UnsupportedError` when it must not be read."""
    try:
        root = vm.root.resolve()
        path = (root / name).resolve()
        permissions = _permissions(str(root))
    except (OSError, ValueError, RuntimeError, CompileError) as error:
        raise CheatcodeError(f"the path {name!r} cannot be used: {error}") from None
    entries = [each for each in permissions if path.is_relative_to(each.path)]
    chosen = max(entries, key=lambda each: len(each.path.parts), default=None)
    if chosen is None or not chosen.reads or not path.is_relative_to(root):
        text = f"the path {name} is not allowed to be accessed for read operations: see fs_permissions in foundry.toml"
        vm.warn_once(text)
        raise UnsupportedError(text)
    return path


@lru_cache(maxsize=8)
def _permissions(root: str) -> tuple[PathPermission, ...]:
    listed = read_permissions(Path(root))
    return tuple(PathPermission(each.path.resolve(), each.reads) for each in listed)


def _bytes(vm: Session, name: str) -> bytes:
    path = _allowed(vm, name)
    try:
        if not path.is_file():
            raise CheatcodeError(f'failed to open file "{path}": there is no such file')
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CheatcodeError(f'failed to read from "{path}": {error.strerror}') from None
    if len(data) > MOST_BYTES:
        raise CheatcodeError(f'failed to read from "{path}": it has more than {MOST_BYTES} bytes')
    return data


def _text(vm: Session, name: str) -> str:
    try:
        return _bytes(vm, name).decode()
    except UnicodeDecodeError:
        raise CheatcodeError(f'failed to read from "{name}": it is not UTF-8') from None


@cheatcode("readFile(string)")
def read_file(vm: Session, name: str) -> str:
    return _text(vm, name)


@cheatcode("readFileBinary(string)")
def read_file_binary(vm: Session, name: str) -> bytes:
    return _bytes(vm, name)


@cheatcode("readLine(string)")
def read_line(vm: Session, name: str) -> str:
    """The next line without its end, empty behind the last one."""
    lines = _text(vm, name).split("\n")
    path = str(_allowed(vm, name))
    number = vm.state.lines.get(path, 0)
    if number >= len(lines):
        return ""
    vm.change(lines={**vm.state.lines, path: number + 1})
    return lines[number].removesuffix("\r")


@cheatcode("closeFile(string)")
def close_file(vm: Session, name: str) -> None:
    """The next line that is read is the first."""
    path = str(_allowed(vm, name))
    vm.change(lines={other: number for other, number in vm.state.lines.items() if other != path})


@cheatcode("exists(string)")
def exists(vm: Session, name: str) -> bool:
    return _allowed(vm, name).exists()


@cheatcode("isFile(string)")
def is_file(vm: Session, name: str) -> bool:
    return _allowed(vm, name).is_file()


@cheatcode("isDir(string)")
def is_folder(vm: Session, name: str) -> bool:
    return _allowed(vm, name).is_dir()


@cheatcode("readDir(string)", "readDir(string,uint64)", "readDir(string,uint64,bool)")
def read_folder(vm: Session, name: str, deepest: int = 1, _follow: bool = False) -> tuple[Entry, ...]:
    """Error, path, depth, is it a folder, is it a link; by path. Links are told, never followed."""
    folder = _allowed(vm, name)
    if not folder.is_dir():
        raise CheatcodeError(f'failed to read folder "{folder}": there is no such folder')
    found: list[Entry] = []
    for current, folders, files in os.walk(folder, followlinks=False):
        depth = len(Path(current).relative_to(folder).parts) + 1
        for each in (*folders, *files):
            path = Path(current) / each
            found.append(("", str(path), depth, path.is_dir() and not path.is_symlink(), path.is_symlink()))
        if len(found) > MOST_ENTRIES:
            raise CheatcodeError(f'failed to read folder "{folder}": it has more than {MOST_ENTRIES} entries')
        if depth >= min(deepest, DEEPEST):
            folders.clear()
    return tuple(sorted(found, key=lambda entry: entry[1]))
