"""The part of `foundry.toml` that decides what is compiled and how."""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from simulator.compile.options import CompilerSettings
from simulator.compile.project_files import read_project_file
from simulator.compile.solc.version import VersionError, parse_version
from simulator.compile.solc_arguments import BYTECODE_HASHES, EVM_VERSIONS, REVERT_STRINGS
from simulator.compile.sources.remappings import Remapping, in_root, parse_remapping, read_remappings, unit_name
from simulator.errors import CompileError
from simulator.policy import USER, Policy, Request

Wanted = TypeVar("Wanted")


class FoundryConfig(msgspec.Struct, frozen=True):
    """Folders are relative to `root`, and those that the policy allows. `solc_version` and `solc` are what the project
    asks for, if it does; whether a program may run is still to be asked. `solc_place` names what asks for the program,
    and is empty for a variable of the user's. `skip` are globs of sources to leave out. `includes` are further folders
    that imports may come from."""

    root: Path
    source: str
    test: str
    out: str
    libraries: tuple[str, ...]
    settings: CompilerSettings
    remappings: tuple[Remapping, ...]
    solc: Path | None = None
    solc_version: str | None = None
    solc_place: str = ""
    skip: tuple[str, ...] = ()
    allowed: tuple[Path, ...] = ()
    includes: tuple[Path, ...] = ()

    def skips(self, file: Path) -> bool:
        """Return whether forge leaves a source out: by a glob over its path, or by a part of its name."""
        name = unit_name(file, self.root)
        return any(_is_skipped(pattern, name, file.name) for pattern in self.skip)


def _is_skipped(pattern: str, path: str, name: str) -> bool:
    if pattern in _SKIP_KINDS:
        return name.endswith(_SKIP_KINDS[pattern])
    if any(fnmatch.fnmatchcase(each, pattern) for each in (path, f"./{path}", f"/{path}")):
        return True
    return pattern in name


_SKIP_KINDS = {"test": ".t.sol", "tests": ".t.sol", "script": ".s.sol", "scripts": ".s.sol"}


def load_foundry_config(root: Path, profile: str | None = None, policy: Policy = USER) -> FoundryConfig:
    """Read `foundry.toml` and `remappings.txt` of a folder. `profile` is laid over `default`; unset it is
    `FOUNDRY_PROFILE`. Raises `CompileError` with file and key for what is malformed, and `PolicyRefused`."""
    file = root / "foundry.toml"
    values = _profile(file, profile or _profile_name(), policy)
    values.update(own := _own_variables())
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
        solc_place="" if {"solc", "solc_version"} & own.keys() else str(file),
        skip=_texts(values, "skip", file),
        allowed=_further_folders(values, "allow_paths", file, policy),
        includes=_further_folders(values, "include_paths", file, policy),
    )


def _own_variables() -> dict[str, Any]:
    """Return the settings of the user's `FOUNDRY_*` variables, which replace the file's."""
    found: dict[str, Any] = {}
    for key in KEYS:
        text = os.environ.get(f"FOUNDRY_{key.upper()}")
        if text and key not in ("fs_permissions", "extends"):
            found[key] = _variable_value(key, text)
    return found


def _variable_value(key: str, text: str) -> Any:
    """A variable's value as forge reads it: a value of TOML, else a text; lists also by lines or commas."""
    if key in _LISTS and not text.lstrip().startswith("["):
        return [part.strip() for part in text.replace(",", "\n").splitlines() if part.strip()]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


_LISTS = frozenset(("libs", "remappings", "skip", "allow_paths", "include_paths"))


def _texts(values: dict[str, Any], key: str, file: Path) -> tuple[str, ...]:
    listed = _get(values, key, list, file) or []
    if not all(isinstance(each, str) for each in listed):
        raise CompileError(f"{file}: {key} must be a list of texts")
    return tuple(listed)


def _further_folders(values: dict[str, Any], key: str, file: Path, policy: Policy) -> tuple[Path, ...]:
    """Folders that a project names, of which sources alone are read."""
    return tuple(policy.file(Request(key, str(file)), file.parent / each) for each in _texts(values, key, file))


class PathPermission(msgspec.Struct, frozen=True):
    """Permission of contracts to read and write at or below a path."""

    path: Path
    reads: bool
    writes: bool = False


def artifacts_folder(root: Path, profile: str | None = None, policy: Policy = USER) -> Path:
    """Return forge's folder for the artifacts of a folder: `out` of its `foundry.toml`. Raises `CompileError`."""
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


def rpc_aliases(root: Path, profile: str | None = None, policy: Policy = USER) -> frozenset[str]:
    """Names in `rpc_endpoints` of a folder's `foundry.toml`. Raises `CompileError`."""
    file = root / "foundry.toml"
    if not file.is_file():
        return frozenset()
    values = _profile(file, profile or _profile_name(), policy)
    alone = tomllib.loads(read_project_file(file, policy) or "").get("rpc_endpoints")
    return frozenset((*(_get(values, "rpc_endpoints", dict, file) or ()), *(alone if isinstance(alone, dict) else ())))


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


MAX_EXTENSIONS = 8


def _profile(file: Path, name: str, policy: Policy, depth: int = 0) -> dict[str, Any]:
    """The values of a profile over those of `default`, over those of the file that it extends."""
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
    values = {_snake_case(key): value for each in chosen for key, value in each.items()}
    if not (base := values.get("extends")):
        return values
    path, strategy = (base.get("path"), base.get("strategy")) if isinstance(base, dict) else (base, None)
    if not isinstance(path, str) or depth >= MAX_EXTENSIONS:
        raise CompileError(f"{file}: extends must be the path of another foundry.toml, at most {MAX_EXTENSIONS} deep")
    extended = policy.file(Request("extends", str(file), (file.parent.resolve(),)), file.parent / path)
    return _extended(_profile(extended, name, policy, depth + 1), values, strategy or "extend-arrays", file)


def _extended(base: dict[str, Any], own: dict[str, Any], strategy: str, file: Path) -> dict[str, Any]:
    """A profile over the one that it extends: arrays are joined, unless they are to be replaced."""
    if strategy == "no-collision" and (shared := sorted((base.keys() & own.keys()) - {"extends"})):
        raise CompileError(f"{file}: extends: {', '.join(shared)} stands in both files")
    joined = dict(base)
    for key, value in own.items():
        other = base.get(key)
        is_joined = strategy == "extend-arrays" and isinstance(value, list) and isinstance(other, list)
        joined[key] = [*other, *value] if is_joined and other is not None else value
    return joined


def _snake_case(key: str) -> str:
    """Keys may also be written as `viaIR` or `via-ir`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).replace("-", "_").lower()


KEYS: Mapping[str, str] = {
    "src": "a folder of the project",
    "test": "a folder of the project",
    "out": "a folder of the project",
    "libs": "folders, of which sources alone are read",
    "remappings": "folders, of which sources alone are read",
    "fs_permissions": "files of the project, for contracts",
    "extends": "a file of the project",
    "allow_paths": "folders, of which sources alone are read",
    "include_paths": "folders, of which sources alone are read",
    "rpc_endpoints": "",
    "skip": "",
    "optimizer_details": "",
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


_KIND_NAMES: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _default_folder(key: str, root: Path) -> str:
    if key != "src":
        return key
    return "src" if (root / "src").is_dir() or not (root / "contracts").is_dir() else "contracts"


def _libraries(values: dict[str, Any], file: Path) -> tuple[str, ...]:
    listed = [str(each).rstrip("/") for each in _get(values, "libs", list, file) or ["lib"]]
    return tuple(dict.fromkeys([*listed, "node_modules"]))


def _settings(values: dict[str, Any], file: Path) -> CompilerSettings:
    optimizer, runs = _get(values, "optimizer", bool, file), _get(values, "optimizer_runs", int, file)
    if runs is not None and not 0 <= runs < 1 << 32:
        raise CompileError(f"{file}: optimizer_runs must be from 0 to {(1 << 32) - 1}, not {runs}")
    return CompilerSettings(
        # As in Foundry, naming a number of runs switches the optimizer on.
        optimizer=bool(runs) if optimizer is None and runs is not None else optimizer,
        optimizer_runs=runs,
        via_ir=_get(values, "via_ir", bool, file),
        evm_version=_one_of(values, "evm_version", EVM_VERSIONS, file),
        bytecode_hash=_one_of(values, "bytecode_hash", BYTECODE_HASHES, file),
        cbor_metadata=_get(values, "cbor_metadata", bool, file),
        revert_strings=_one_of(values, "revert_strings", REVERT_STRINGS, file),
        optimizer_details=_optimizer_details(values, file),
    )


def _one_of(values: dict[str, Any], key: str, allowed: str, file: Path) -> str | None:
    """One of the `allowed` words, divided by `|`, in any case, as the compiler writes it."""
    text = _get(values, key, str, file)
    known = {each.lower(): each for each in allowed.split("|")}
    if text is None or text.lower() in known:
        return None if text is None else known[text.lower()]
    raise CompileError(f"{file}: {key} must be one of {', '.join(known.values())}, not {text!r}")


def _optimizer_details(values: dict[str, Any], file: Path) -> dict[str, Any] | None:
    """solc's names of what forge writes in snake case."""
    given = _get(values, "optimizer_details", dict, file)
    if not given:
        return None
    return {_camel_case(key): _camel_cased(value) for key, value in given.items()}


def _camel_cased(value: Any) -> Any:
    return {_camel_case(key): each for key, each in value.items()} if isinstance(value, dict) else value


def _camel_case(key: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), key)


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
