"""The part of `foundry.toml` that decides what is compiled and how."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from simulator.compile.options import CompilerSettings
from simulator.compile.project_files import read_project_file
from simulator.compile.solc.version import VersionError, parse_version
from simulator.compile.sources.remappings import Remapping, in_root, parse_remapping, read_remappings
from simulator.errors import CompileError
from simulator.policy import USER, Policy, Request

Wanted = TypeVar("Wanted")


class FoundryConfig(msgspec.Struct, frozen=True):
    """Folders are relative to `root`, and those that the policy allows. `solc_version` and `solc` are what the project
    asks for, if it does; whether a program may run is still to be asked."""

    root: Path
    source: str
    test: str
    out: str
    libraries: tuple[str, ...]
    settings: CompilerSettings
    remappings: tuple[Remapping, ...]
    solc: Path | None = None
    solc_version: str | None = None


def load_foundry_config(root: Path, profile: str | None = None, policy: Policy = USER) -> FoundryConfig:
    """Read `foundry.toml` and `remappings.txt` of a folder. `profile` is laid over `default`; unset it is
    `FOUNDRY_PROFILE`. Raises `CompileError` with file and key for what is malformed, and `PolicyRefused`."""
    file = root / "foundry.toml"
    values = _profile(file, profile or _profile_name(), policy)
    solc, version = _compiler(values, file)
    lines = _get(values, "remappings", list, file) or []
    listed = tuple(parse_remapping(str(line), f"{file}: remappings") for line in lines)
    folders = {key: _get(values, key, str, file) or _default_folder(key, root) for key in ("src", "test", "out")}
    for key, folder in folders.items():
        policy.file(Request(key, str(file), (root.resolve(),)), root / folder)
    libraries = _libraries(values, file)
    for folder in libraries:
        policy.file(Request("libs", str(file)), root / folder)
    return FoundryConfig(
        root=root,
        source=folders["src"],
        test=folders["test"],
        out=folders["out"],
        libraries=libraries,
        settings=_settings(values, file),
        remappings=in_root((*read_remappings(root / "remappings.txt", policy), *listed), root),
        solc=solc,
        solc_version=version,
    )


class PathPermission(msgspec.Struct, frozen=True):
    """Whether contracts may read and write what is at or below a path."""

    path: Path
    reads: bool
    writes: bool = False


def artifacts_folder(root: Path, profile: str | None = None, policy: Policy = USER) -> Path:
    """Where forge puts the artifacts of a folder: `out` of its `foundry.toml`. Raises `CompileError`."""
    file = root / "foundry.toml"
    values = _profile(file, profile or _profile_name(), policy) if file.is_file() else {}
    return root / (_get(values, "out", str, file) or "out")


def _profile_name() -> str:
    return os.environ.get("FOUNDRY_PROFILE") or "default"


def read_permissions(root: Path, profile: str | None = None, policy: Policy = USER) -> tuple[PathPermission, ...]:
    """`fs_permissions` of a folder's `foundry.toml`; by default, what is in `out` may be read, and nothing in a folder
    that has no such file. Raises `CompileError` with file and key for what is malformed."""
    file = root / "foundry.toml"
    if not file.is_file():
        return ()
    values = _profile(file, profile or _profile_name(), policy)
    listed = _get(values, "fs_permissions", list, file)
    if listed is None:
        return (PathPermission(root / (_get(values, "out", str, file) or "out"), True),)
    return tuple(_permission(entry, root, file) for entry in listed)


_ACCESS = {
    "read": (True, False),
    "write": (False, True),
    "read-write": (True, True),
    "none": (False, False),
    True: (True, True),
    False: (False, False),
}
"""Access as `foundry.toml` says it: may read, may write."""


def _permission(entry: Any, root: Path, file: Path) -> PathPermission:
    access = entry.get("access") if isinstance(entry, dict) else None
    path = entry.get("path") if isinstance(entry, dict) else None
    if not isinstance(path, str) or not isinstance(access, str | bool) or access not in _ACCESS:
        raise CompileError(
            f'{file}: fs_permissions: {entry!r} must be such as {{ access = "read", path = "./data" }}; '
            "access is read, write, read-write or none"
        )
    return PathPermission(root / path, *_ACCESS[access])


def _profile(file: Path, name: str, policy: Policy) -> dict[str, Any]:
    text = read_project_file(file, policy)
    if text is None:
        raise CompileError(f"{file}: cannot be read: there is no such file")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CompileError(f"{file}: not TOML: {error}") from error
    except RecursionError as error:
        raise CompileError(f"{file}: not TOML: nested too deeply") from error
    profiles = document.get("profile", {})
    # Before profiles had a table of their own, they stood at the top level.
    profiles = profiles if isinstance(profiles, dict) and profiles else {"default": document.get("default", {})}
    chosen = [profiles.get("default", {}), profiles.get(name, {}) if name != "default" else {}]
    if not all(isinstance(each, dict) for each in chosen):
        raise CompileError(f"{file}: profile.{name} is not a table")
    return {**chosen[0], **chosen[1]}


KEYS: Mapping[str, str] = {
    "src": "a folder of the project",
    "test": "a folder of the project",
    "out": "a folder of the project",
    "libs": "folders, of which sources alone are read",
    "remappings": "folders, of which sources alone are read",
    "fs_permissions": "files of the project, for contracts",
    "solc": "a program",
    "solc_version": "a program",
    "optimizer": "",
    "optimizer_runs": "",
    "via_ir": "",
    "evm_version": "",
    "bytecode_hash": "",
    "cbor_metadata": "",
    "revert_strings": "",
}
"""Every key that is read, and what it can ask the policy for. All others have no effect."""


def _get(values: dict[str, Any], key: str, kind: type[Wanted], file: Path) -> Wanted | None:
    assert key in KEYS, f"{key} has no entry in KEYS"
    value = values.get(key)
    if value is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise CompileError(f"{file}: {key} must be {_KIND_NAMES[kind]}, not {value!r}")
    return value


_KIND_NAMES: dict[type, str] = {str: "a text", int: "a whole number", bool: "true or false", list: "a list"}


def _default_folder(key: str, root: Path) -> str:
    if key != "src":
        return key
    return "src" if (root / "src").is_dir() or not (root / "contracts").is_dir() else "contracts"


def _libraries(values: dict[str, Any], file: Path) -> tuple[str, ...]:
    listed = [str(each).rstrip("/") for each in _get(values, "libs", list, file) or ["lib"]]
    return tuple(dict.fromkeys([*listed, "node_modules"]))


def _settings(values: dict[str, Any], file: Path) -> CompilerSettings:
    optimizer, runs = _get(values, "optimizer", bool, file), _get(values, "optimizer_runs", int, file)
    has_metadata = _get(values, "cbor_metadata", bool, file) is not False
    return CompilerSettings(
        # As in Foundry, naming a number of runs switches the optimizer on.
        optimizer=bool(runs) if optimizer is None and runs is not None else optimizer,
        optimizer_runs=runs,
        via_ir=_get(values, "via_ir", bool, file),
        evm_version=_get(values, "evm_version", str, file),
        bytecode_hash=_get(values, "bytecode_hash", str, file) if has_metadata else "none",
        revert_strings=_get(values, "revert_strings", str, file),
    )


def _compiler(values: dict[str, Any], file: Path) -> tuple[Path | None, str | None]:
    text = _get(values, "solc", str, file) or _get(values, "solc_version", str, file)
    if not text:
        return None, None
    path = file.parent / text
    # What lies behind a path stays untouched until the policy was asked.
    if "/" in text or os.path.lexists(path):
        return path, None
    try:
        parse_version(text)
    except VersionError as error:
        raise CompileError(f"{file}: solc must be a version such as 0.8.30 or the path of a compiler") from error
    return None, text
