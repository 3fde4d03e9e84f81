"""The code under test: whose operations mutants are made of."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from simulator.compile.syntax.operations import Operation, unpack_operations
from simulator.errors import TargetError
from simulator.mutation.harness import ContractKey, harness_contracts, is_test_name
from simulator.project import Project
from simulator.settings import CampaignSettings

_LIBRARY_FOLDERS = frozenset(("lib", "libs", "node_modules", "forge-std", "ds-test"))
_TEST_FOLDERS = frozenset(
    ("test", "tests", "script", "scripts", "fuzz", "echidna", "medusa", "crytic", "recon", "invariants", "mock",
     "mocks")
)  # fmt: skip
_TEST_FILES = ("*.t.sol", "*.s.sol")
_SHOWN = 4

Wanted = Callable[[str, Operation], bool]


@dataclass(frozen=True)
class MutationScope:
    """`wants` says of an operation in the source of a path whether mutants are made of it; `note` what was decided, in
    a sentence."""

    wants: Wanted
    note: str


def scope_of(project: Project, settings: CampaignSettings, only: Sequence[str]) -> MutationScope:
    """The code under test, or what `only` names: files, contracts, functions, or `Contract.function`. Raises
    `TargetError` for a name that nothing has."""
    if only:
        return _named(project, only)
    path, _, name = settings.contract.rpartition(":")
    harnesses = harness_contracts(project, (path, name), settings.prefix)
    # Folders above all that was pointed at say nothing of a file: a project may lie in a folder of tests.
    for above in ("", _common_folder(project.named_sources)):

        def is_under_test(path: str, operation: Operation, above: str = above) -> bool:
            return _is_own(_below(path, above)) and (path, operation.contract) not in harnesses

        if files := _files(project, is_under_test):
            left_out = f"of tests, libraries and the harness {name}{_bases(harnesses, project, settings)} none"
            note = f"mutants are made of {_listed(files)}; {left_out}: --only names other files, contracts or functions"
            return MutationScope(is_under_test, f"{note}{_inherited(project, is_under_test)}")

    def is_target(path: str, operation: Operation) -> bool:
        return not _is_library(path) and not is_test_name(operation.function, settings.prefix)

    files = _files(project, is_target)
    return MutationScope(
        is_target, f"mutants are made of {_listed(files)}, its tests left out: --only names other functions"
    )


def _named(project: Project, only: Sequence[str]) -> MutationScope:
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
    return MutationScope(wants, f"mutants are made of {', '.join(only)} alone")


def _matches(name: str, path: str, operation: Operation) -> bool:
    own = (operation.contract, operation.function, f"{operation.contract}.{operation.function}")
    return name in own or path == name or path.endswith(f"/{name.removeprefix('./')}") or fnmatchcase(path, name)


def _is_own(path: str) -> bool:
    folders = [part.lower() for part in PurePosixPath(path).parts[:-1]]
    if "src" in folders:
        # A project of its own below a folder of tests.
        folders = folders[len(folders) - folders[::-1].index("src") :]
    is_test = not _TEST_FOLDERS.isdisjoint(folders) or any(fnmatchcase(path, pattern) for pattern in _TEST_FILES)
    return not is_test and not _is_library(path)


def _is_library(path: str) -> bool:
    """Also what lies outside of the project, which remappings lead to."""
    parts = PurePosixPath(path).parts
    is_outside = path.startswith(("/", "../")) or any(part.startswith("@") for part in parts)
    return is_outside or bool(set(parts[:-1]) & _LIBRARY_FOLDERS)


def _common_folder(paths: Sequence[str]) -> str:
    folders = {posixpath.dirname(path) for path in paths}
    if not folders or len({path.startswith("/") for path in paths}) > 1:
        return ""
    return posixpath.commonpath(folders)


def _below(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path


def _files(project: Project, wants: Wanted) -> list[str]:
    return [
        source.path
        for unit in project.units
        for source in unit.sources
        if any(wants(source.path, operation) for operation in unpack_operations(source.operations))
    ]


def _bases(harnesses: Iterable[ContractKey], project: Project, settings: CampaignSettings) -> str:
    """The bases of the harness that are left out with it, in words."""
    target = next((each for each in project.contracts if each.full_name == settings.contract), None)
    left_out = {":".join(each) for each in harnesses}
    names = [base.rpartition(":") for base in (target.bases if target is not None else ()) if base in left_out]
    own = [name for path, _, name in names if _is_own(path)]
    return f" with {_listed(own)}" if own else ""


def _inherited(project: Project, wants: Wanted) -> str:
    """Describe what the code under test inherits from libraries: it is often what matters."""
    changed = {
        (source.path, operation.contract)
        for unit in project.units
        for source in unit.sources
        for operation in unpack_operations(source.operations)
        if wants(source.path, operation)
    }
    kinds = {contract.full_name: contract.kind for contract in project.contracts}
    names: dict[str, None] = {}
    for contract in project.contracts:
        if (contract.path, contract.name) in changed:
            for base in contract.bases:
                path, _, name = base.rpartition(":")
                if _is_library(path) and kinds.get(base) != "interface":
                    names[name] = None
    if not names:
        return ""
    shown = _listed(list(names))
    return (
        f". It inherits {shown} of libraries, which stay as they are: --only {next(iter(names))} changes that instead"
    )


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    listed = ", ".join(names[:_SHOWN])
    return listed if len(names) <= _SHOWN else f"{listed} and {len(names) - _SHOWN} more"
