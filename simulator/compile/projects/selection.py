"""Selection of the contract that a campaign is about."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from simulator.compile.projects.harnesses import harness_of
from simulator.compile.projects.wanted import fits, is_pattern
from simulator.errors import TargetError
from simulator.modes.assertion import ASSERTION
from simulator.modes.mode import Harness, Mode
from simulator.modes.table import MODES
from simulator.project import Contract, Project

_MAX_LISTED = 20
_MAX_NAMED = 3


class Selection(msgspec.Struct, frozen=True):
    """The chosen contract, and a sentence for people when the choice was not theirs. `notes` are those of the
    compilation before it."""

    contract: Contract
    note: str = ""
    notes: tuple[str, ...] = ()


def deployable(project: Project) -> tuple[Contract, ...]:
    """Contracts that have creation code, sorted by `path:Name`; no libraries, interfaces, abstract contracts."""
    found = (each for each in project.contracts if each.kind == "contract" and each.creation_code)
    return tuple(sorted(found, key=lambda each: each.full_name))


def select_contract(project: Project, name: str | None = None, prefix: str = "echidna_") -> Contract:
    """The contract of `choose_contract`, without its note."""
    return choose_contract(project, name, prefix).contract


def choose_contract(
    project: Project,
    name: str | None = None,
    prefix: str = "echidna_",
    *,
    mode: str | None = None,
    has_arguments: bool = False,
) -> Selection:
    """The contract called `name`: `Name`, `path:Name`, or the end of a `path:Name`, as in Echidna. Without a name: of
    the sources that the user pointed at, a deployable contract with tests for `mode`, or, without a mode, for the first
    one that any contract has tests for. Of several, one that no other inherits from, and of these the alphabetically
    first. Contracts whose constructors take arguments come last, unless there are some (`has_arguments`). Raises
    `TargetError` listing the candidates."""
    candidates = deployable(project)
    own = _own(project, candidates)
    if name:
        return Selection(_named(project, candidates, own, name))
    if project.named_sources and own is candidates and candidates[0].path not in project.named_sources:
        files = ", ".join(project.named_sources[:_MAX_NAMED])
        raise TargetError(
            f"{files}: no contract of its own that can be deployed; imports have {_listed(candidates)}: choose one "
            "with --contract"
        )
    simple = () if has_arguments else tuple(each for each in own if not _takes_arguments(each))
    return _guessed(own, simple or own, _Tests(project, prefix, mode))


def choose_contracts(
    project: Project, names: Sequence[str], prefix: str = "echidna_", mode: str | None = None
) -> tuple[Selection, ...]:
    """The contracts of several names, each once, in the order of the names. A name with `*` or `?` stands for all
    deployable contracts that fit it, of the sources that the user pointed at, that have tests, sorted by `path:Name`;
    a note says which have none. Raises `TargetError` for a name or pattern without a contract."""
    candidates = deployable(project)
    own = _own(project, candidates)
    found: dict[str, Selection] = {}
    for name in names:
        if is_pattern(name):
            chosen = _fitting(own, name, _Tests(project, prefix, mode))
        else:
            chosen = (Selection(_named(project, candidates, own, name)),)
        for each in chosen:
            found.setdefault(each.contract.full_name, each)
    return tuple(found.values())


def _fitting(own: tuple[Contract, ...], pattern: str, tests: _Tests) -> tuple[Selection, ...]:
    fitting = [each for each in own if _matches(each, pattern)]
    if not fitting:
        raise TargetError(f"no contract '{pattern}' in the target. Candidates: {_listed(own)}")
    # Code that asserts is no sign of a test where others are written as tests.
    tested = [each for each in fitting if tests.are_named_in(each)] or [each for each in fitting if tests.are_in(each)]
    if not tested:
        raise TargetError(f"no contract '{pattern}' has tests{tests.of_the_mode}; without: {_listed(fitting)}")
    others = [each for each in fitting if each not in tested]
    note = f"not fuzzed for '{pattern}', as without tests{tests.of_the_mode}: {_listed(others)}" if others else ""
    first, *rest = tested
    return (Selection(first, note), *map(Selection, rest))


def _own(project: Project, candidates: tuple[Contract, ...]) -> tuple[Contract, ...]:
    """Return the sources that the user pointed at, else all. Raises `TargetError` where there are none."""
    if not candidates:
        raise TargetError(f"the target has no contract that can be deployed{_why_none(project)}")
    return tuple(each for each in candidates if each.path in project.named_sources) or candidates


class _Tests:
    """Contracts of a project that have tests, for one mode or for any."""

    def __init__(self, project: Project, prefix: str, mode: str | None) -> None:
        self._project = project
        self._prefix = prefix
        self._mode = MODES[mode] if mode is not None else None
        self.of_the_mode = f" for {mode} mode" if mode is not None else ""

    def kinds(self) -> Iterator[tuple[str, Callable[[Contract], bool]]]:
        """Return the kinds of tests that a contract may have, the surest signs first: the name of the mode, and
        whether it has."""
        for mode in MODES.values() if self._mode is None else (self._mode,):
            yield mode.name, partial(self._are_meant_for, mode)
        if self._mode is not None:
            yield self._mode.name, partial(self._are_found_by, self._mode)

    def are_in(self, contract: Contract) -> bool:
        """Return whether a campaign on this contract has something to find."""
        return any(has for _, has in self._found(contract))

    def are_named_in(self, contract: Contract) -> bool:
        """Return whether functions of the contract have the names of tests."""
        return any(has for name, has in self._found(contract) if name != ASSERTION.name)

    def _found(self, contract: Contract) -> Iterator[tuple[str, bool]]:
        return ((name, are_tests_of(contract)) for name, are_tests_of in self.kinds())

    def _are_meant_for(self, mode: Mode, contract: Contract) -> bool:
        return mode.recognises(self._harness(contract)) is not None

    def _are_found_by(self, mode: Mode, contract: Contract) -> bool:
        return _yields(mode, self._harness(contract))

    def _harness(self, contract: Contract) -> Harness:
        harness = harness_of(self._project, contract, self._prefix)
        # Who asks for a mode has no need of further signs that it is meant.
        return harness if self._mode is None else replace(harness, in_foundry_project=True)


def _yields(mode: Mode, harness: Harness) -> bool:
    try:
        return any(True for _ in mode.tests(harness))
    except TargetError:
        return False


def _takes_arguments(contract: Contract) -> bool:
    return any(entry.get("type") == "constructor" and entry.get("inputs") for entry in contract.abi)


def _named(project: Project, candidates: tuple[Contract, ...], own: tuple[Contract, ...], name: str) -> Contract:
    matching = [each for each in candidates if _matches(each, name)]
    if len(matching) == 1:
        return matching[0]
    if exact := [each for each in matching if each.full_name == name]:
        return exact[0]
    if len(pointed := [each for each in matching if each in own]) == 1:
        return pointed[0]
    if matching:
        raise TargetError(f"'{name}' names several contracts: {_listed(matching)}; give one as path:Name")
    others = [each for each in project.contracts if _matches(each, name)]
    if others:
        raise TargetError(
            f"{others[0].full_name} is {_described(others[0])} and cannot be deployed; "
            f"candidates: {_listed(candidates)}"
        )
    near = difflib.get_close_matches(name, [each.name for each in candidates], 1)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise TargetError(f"no contract '{name}' in the target{hint} Candidates: {_listed(candidates)}")


def _matches(contract: Contract, name: str) -> bool:
    if is_pattern(name):
        path, _, pattern = name.rpartition(":")
        return fits(contract.name, pattern) and (not path or _is_called(contract, f"{path}:{contract.name}"))
    return _is_called(contract, name)


def _is_called(contract: Contract, name: str) -> bool:
    full = contract.full_name
    if ":" not in name:
        return contract.name == name
    return full == name or full.endswith("/" + name) or (name.startswith(":") and full.endswith(name))


def _described(contract: Contract) -> str:
    return {"library": "a library", "interface": "an interface", "abstract": "abstract"}.get(contract.kind, "empty")


def _why_none(project: Project) -> str:
    if not project.contracts:
        return ": the sources declare none"
    kinds = [f"{each.full_name} is {_described(each)}" for each in project.contracts[:_MAX_NAMED]]
    more = len(project.contracts) - len(kinds)
    hint = "; give every function of an abstract contract a body, or write a contract that inherits it"
    has_abstract = any(each.kind == "abstract" for each in project.contracts)
    return f": {', '.join(kinds)}{f' and {more} more' if more else ''}{hint if has_abstract else ''}"


def _guessed(candidates: tuple[Contract, ...], preferred: tuple[Contract, ...], tests: _Tests) -> Selection:
    if len(candidates) == 1:
        return Selection(candidates[0])
    for name, are_tests_of in tests.kinds():
        for pool in (preferred, candidates):
            if tested := [each for each in pool if are_tests_of(each)]:
                what = f"{len(candidates)} contracts" if len(tested) == 1 else f"{len(tested)}"
                return _first(tested, candidates, f"{what} with tests for {name} mode")
    return _first(preferred, candidates, f"{len(candidates)} contracts, none of them with tests{tests.of_the_mode}")


def _first(found: Sequence[Contract], candidates: Sequence[Contract], what: str) -> Selection:
    """The first that no other one inherits from, of contracts found among the candidates."""
    inherited = {base for each in found for base in each.bases}
    chosen = next((each for each in found if each.full_name not in inherited), found[0])
    if len(found) == 1:
        reason, others = f"the only one of {what}", [each for each in candidates if each is not chosen]
    else:
        is_derived = chosen is not found[0]
        reason = f"the first{' that no other inherits from' if is_derived else ''} of {what}"
        others = [each for each in found if each is not chosen]
    note = (
        f"{chosen.full_name} is taken, {reason}; --contract NAME chooses another, --contract '*' takes each with tests"
    )
    return Selection(chosen, f"{note}: {_listed(others)}")


def _listed(contracts: Iterable[Contract]) -> str:
    names = [each.full_name for each in contracts]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more
