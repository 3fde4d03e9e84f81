"""Which code is under test, so that mutants are made of it: not the harness, not its tests, not libraries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from simulator.compile.syntax.operations import Operation, unpack_operations
from simulator.errors import TargetError
from simulator.project import Project
from simulator.settings import CampaignSettings

_LIBRARY_FOLDERS = frozenset(("lib", "libs", "node_modules", "forge-std", "ds-test"))
_TEST_FOLDERS = frozenset(("test", "tests", "script", "scripts", "fuzz", "echidna", "medusa", "invariants"))
_TEST_FILES = ("*.t.sol", "*.s.sol")
_TEST_NAMES = re.compile(r"(echidna|property|invariant|optimize|crytic|statefulFuzz)_|test|check_|prove|setUp$")

Wanted = Callable[[str, Operation], bool]


@dataclass(frozen=True)
class Scope:
    """`wants` says of an operation in the source of a path whether mutants are made of it; `note` what was decided, in
    a sentence."""

    wants: Wanted
    note: str


def scope_of(project: Project, settings: CampaignSettings, only: Sequence[str]) -> Scope:
    """The code under test, or what `only` names: files, contracts, functions, or `Contract.function`. Raises
    `TargetError` for a name that nothing has."""
    if only:
        return _named(project, only)
    target = settings.contract.rpartition(":")
    harnesses = _harnesses(project, settings.prefix) | {(target[0], target[2])}

    def is_under_test(path: str, operation: Operation) -> bool:
        return _is_own(path) and (path, operation.contract) not in harnesses

    if files := _files(project, is_under_test):
        note = f"mutants are made of {_shown(files)}; of tests, libraries and the harness {target[2]} none: --only"
        return Scope(is_under_test, f"{note} names other files or functions")

    def is_target(path: str, operation: Operation) -> bool:
        return not _is_library(path) and not _is_test(operation.function, settings.prefix)

    files = _files(project, is_target)
    return Scope(is_target, f"mutants are made of {_shown(files)}, its tests left out: --only names other functions")


def _named(project: Project, only: Sequence[str]) -> Scope:
    def wants(path: str, operation: Operation) -> bool:
        return any(_matches(name, path, operation) for name in only)

    for name in only:
        if not any(
            _matches(name, source.path, operation)
            for unit in project.units
            for source in unit.sources
            for operation in unpack_operations(source.operations)
        ):
            raise TargetError(f"--only {name}: no file, contract or function of the target with an operation to change")
    return Scope(wants, f"mutants are made of {', '.join(only)} alone")


def _matches(name: str, path: str, operation: Operation) -> bool:
    own = (operation.contract, operation.function, f"{operation.contract}.{operation.function}")
    return name in own or path == name or path.endswith(f"/{name.removeprefix('./')}") or fnmatchcase(path, name)


def _harnesses(project: Project, prefix: str) -> set[tuple[str, str]]:
    """Contracts that declare tests."""
    found = set()
    for unit in project.units:
        for contract in unit.contracts:
            names = {str(entry.get("name", "")) for entry in contract.abi if entry.get("type") == "function"}
            if any(_is_test(name, prefix) for name in names):
                found.add((contract.path, contract.name))
    return found


def _is_test(name: str, prefix: str) -> bool:
    return name.startswith(prefix) or _TEST_NAMES.match(name) is not None


def _is_own(path: str) -> bool:
    folders = {part.lower() for part in PurePosixPath(path).parts[:-1]}
    is_test = bool(folders & _TEST_FOLDERS) or any(fnmatchcase(path, pattern) for pattern in _TEST_FILES)
    return not is_test and not _is_library(path)


def _is_library(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(set(parts[:-1]) & _LIBRARY_FOLDERS) or any(part.startswith("@") for part in parts)


def _files(project: Project, wants: Wanted) -> list[str]:
    return [
        source.path
        for unit in project.units
        for source in unit.sources
        if any(wants(source.path, operation) for operation in unpack_operations(source.operations))
    ]


def _shown(files: Sequence[str]) -> str:
    listed = ", ".join(dict.fromkeys(files[:4]))
    return listed if len(files) <= 4 else f"{listed} and {len(files) - 4} more files"
