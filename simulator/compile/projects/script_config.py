"""Settings of Hardhat and Truffle, read from their configuration without running it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from simulator.compile.options import CompilerSettings
from simulator.compile.project_files import read_project_file
from simulator.compile.projects.javascript_config import ConfigurationSyntaxError, read_configuration
from simulator.compile.projects.javascript_values import Unread
from simulator.compile.solc.version import (
    KNOWN_RELEASES,
    Version,
    VersionError,
    allowed_releases,
    parse_range,
    parse_version,
)
from simulator.compile.solc_arguments import BYTECODE_HASHES, EVM_VERSIONS, REVERT_STRINGS
from simulator.compile.toolchain import Build, Toolchain
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import USER, Policy, Request

HARDHAT_FILES = tuple(f"hardhat.config.{suffix}" for suffix in ("js", "ts", "cjs", "mjs", "cts", "mts"))
TRUFFLE_FILES = ("truffle-config.js", "truffle-config.cjs", "truffle.js")
_HARDHAT_DEFAULT: Version = (0, 7, 3)
_TRUFFLE_DEFAULT: Version = (0, 5, 16)
_PARIS_SINCE: Version = (0, 8, 20)
"""Hardhat 2 compiles for paris from here on, unless it is told otherwise."""
_SOURCES = "contracts"
_EXACT = re.compile(r"\s*=?\s*v?\d+\.\d+\.\d+\s*")

Kind = Literal["Hardhat", "Truffle"]


class ScriptConfig(msgspec.Struct, frozen=True):
    """`sources` are folders of the project, as the file names them. `unread` names what only running the file would
    tell."""

    file: Path
    kind: Kind
    sources: tuple[str, ...] = (_SOURCES,)
    artifacts: str = "artifacts"
    toolchain: Toolchain = Toolchain()
    unread: tuple[str, ...] = ()


def script_file(root: Path) -> Path | None:
    """The configuration of Hardhat, else of Truffle, in a folder."""
    return next((root / name for name in (*HARDHAT_FILES, *TRUFFLE_FILES) if (root / name).is_file()), None)


def load_script_config(file: Path, policy: Policy = USER) -> ScriptConfig:
    """Read a configuration. What cannot be read is listed, and has its default. Raises `PolicyRefused`."""
    kind: Kind = "Truffle" if file.name in TRUFFLE_FILES else "Hardhat"

    def variable(name: str) -> str | None:
        return os.environ.get(name) if policy.roots is None else None

    try:
        exported = read_configuration(read_project_file(file, policy) or "", variable)
    except (CompileError, ConfigurationSyntaxError) as error:
        return _Reader(file, kind, {}, [str(error)], policy).config()
    if not isinstance(exported, dict):
        text = exported.text if isinstance(exported, Unread) else "what it exports"
        return _Reader(file, kind, {}, [text], policy).config()
    return _Reader(file, kind, exported, [], policy).config()


class _Reader:
    """Reads one exported value, and notes what it cannot use."""

    def __init__(self, file: Path, kind: Kind, exported: Mapping[str, Any], unread: list[str], policy: Policy) -> None:
        self.policy = policy
        self.file = file
        self.kind = kind
        self.exported = exported
        self.unread = unread

    def config(self) -> ScriptConfig:
        for key in self.exported:
            if key.startswith("..."):
                self.unread.append(key)
        toolchain = self._hardhat() if self.kind == "Hardhat" else self._truffle()
        sources, artifacts = self._folders()
        root = self.file.parent
        for folder in (*sources, artifacts):
            self.policy.file(Request("paths", str(self.file), (root.resolve(),)), root / folder)
        return ScriptConfig(self.file, self.kind, sources, artifacts, toolchain, tuple(dict.fromkeys(self.unread)))

    # --- values ------------------------------------------------------------------------------------------------------

    def get(self, table: Any, key: str, kinds: type | tuple[type, ...], place: str) -> Any:
        """A value of a table where it is of the kind; None, and a note, where it is not."""
        value = table.get(key) if isinstance(table, dict) else None
        if value is None:
            return None
        if isinstance(value, kinds) and not (isinstance(value, bool) and kinds is int):
            return value
        shown = value.text if isinstance(value, Unread) else repr(value)[:40]
        self.unread.append(f"{place} ({shown})")
        return None

    def _folders(self) -> tuple[tuple[str, ...], str]:
        if self.kind == "Truffle":
            folder = self.get(self.exported, "contracts_directory", str, "contracts_directory")
            return (folder or _SOURCES,), "build"
        paths = self.get(self.exported, "paths", dict, "paths") or {}
        sources = self.get(paths, "sources", (str, list, dict), "paths.sources")
        if isinstance(sources, dict):
            sources = self.get(sources, "solidity", (str, list), "paths.sources.solidity")
        listed = [sources] if isinstance(sources, str) else sources or [_SOURCES]
        folders = tuple(each for each in listed if isinstance(each, str)) or (_SOURCES,)
        return folders, self.get(paths, "artifacts", str, "paths.artifacts") or "artifacts"

    # --- Hardhat -----------------------------------------------------------------------------------------------------

    def _hardhat(self) -> Toolchain:
        given = self.get(self.exported, "solidity", (str, list, dict), "solidity")
        if given is None:
            default = () if self.unread else (Build(_HARDHAT_DEFAULT, CompilerSettings()),)
            return Toolchain(builds=default, place=self.file.name)
        profiles = self.get(given, "profiles", dict, "solidity.profiles") if isinstance(given, dict) else None
        if profiles:
            given = self.get(profiles, "default", (str, list, dict), "solidity.profiles.default") or {}
        if isinstance(given, dict) and "compilers" in given:
            listed = self.get(given, "compilers", list, "solidity.compilers") or []
        else:
            listed = given if isinstance(given, list) else [given]
        builds = tuple(self._builds(listed))
        overrides = self.get(given, "overrides", dict, "solidity.overrides") if isinstance(given, dict) else None
        chosen = {
            os.path.normpath(name).replace(os.sep, "/"): build
            for name, each in (overrides or {}).items()
            for build in self._builds([each])
        }
        settings = builds[0].settings if builds else CompilerSettings()
        return Toolchain(settings, builds, chosen, self.file.name)

    def _builds(self, listed: list[Any]) -> Iterator[Build]:
        for each in listed:
            text = each if isinstance(each, str) else self.get(each, "version", str, "solidity.version")
            if not isinstance(text, str):
                if isinstance(each, Unread):
                    self.unread.append(f"solidity ({each.text})")
                continue
            try:
                version = parse_version(text)
            except VersionError:
                self.unread.append(f"solidity.version ({text[:40]})")
                continue
            table = self.get(each, "settings", dict, "solidity.settings") if isinstance(each, dict) else None
            yield Build(version, self._settings(table or {}, version))

    def _settings(self, table: Mapping[str, Any], version: Version) -> CompilerSettings:
        optimizer = self.get(table, "optimizer", dict, "optimizer") or {}
        metadata = self.get(table, "metadata", dict, "metadata") or {}
        debug = self.get(table, "debug", dict, "debug") or {}
        evm_version = self._one_of(table, "evmVersion", EVM_VERSIONS)
        if evm_version is None and self.kind == "Hardhat" and version >= _PARIS_SINCE and not self._is_hardhat_3():
            evm_version = "paris"
        details = self.get(optimizer, "details", dict, "optimizer.details")
        self.unread += [f"settings.{key}" for key in table if key.startswith("...")]
        return CompilerSettings(
            optimizer=self.get(optimizer, "enabled", bool, "optimizer.enabled"),
            optimizer_runs=self._runs(optimizer),
            optimizer_details=details if details and _is_plain(details) else None,
            via_ir=self.get(table, "viaIR", bool, "viaIR"),
            evm_version=evm_version,
            bytecode_hash=self._one_of(metadata, "bytecodeHash", BYTECODE_HASHES),
            revert_strings=self._one_of(debug, "revertStrings", REVERT_STRINGS),
        )

    def _runs(self, optimizer: Mapping[str, Any]) -> int | None:
        runs = self.get(optimizer, "runs", int, "optimizer.runs")
        return runs if isinstance(runs, int) and 0 <= runs < 1 << 32 else None

    def _one_of(self, table: Mapping[str, Any], key: str, allowed: str) -> str | None:
        value = self.get(table, key, str, key)
        if value is not None and value not in allowed.split("|"):
            self.unread.append(f"{key} ({str(value)[:40]})")
            return None
        return value if isinstance(value, str) else None

    def _is_hardhat_3(self) -> bool:
        """By the package that is installed."""
        try:
            text = read_project_file(self.file.parent / "node_modules" / "hardhat" / "package.json", self.policy)
        except (CompileError, PolicyRefused):
            return False
        return bool(text and re.search(r'"version"\s*:\s*"[3-9]\.', text))

    # --- Truffle -----------------------------------------------------------------------------------------------------

    def _truffle(self) -> Toolchain:
        compilers = self.get(self.exported, "compilers", dict, "compilers") or {}
        given = self.get(compilers, "solc", dict, "compilers.solc") or {}
        # Older files have the settings beside the version, the oldest at the top.
        table = self.get(given, "settings", dict, "compilers.solc.settings") or given
        text = self.get(given, "version", str, "compilers.solc.version")
        version = self._truffle_version(text) if text else _TRUFFLE_DEFAULT
        if version is None or (text is None and self.unread):
            return Toolchain(self._settings(table, _TRUFFLE_DEFAULT), place=self.file.name)
        settings = self._settings(table, version)
        return Toolchain(settings, (Build(version, settings),), place=self.file.name)

    def _truffle_version(self, text: str) -> Version | None:
        """A release, or the newest one of a range; None for `native`, `pragma` and images of docker."""
        if _EXACT.fullmatch(text):
            return parse_version(text)
        try:
            fitting = allowed_releases([parse_range(text)], KNOWN_RELEASES)
        except VersionError:
            fitting = ()
        if not fitting and text not in ("pragma",):
            self.unread.append(f"compilers.solc.version ({text[:40]})")
        return fitting[0] if fitting else None


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(each) for each in value.values())
    return isinstance(value, bool | int | str)
