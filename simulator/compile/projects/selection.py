"""Which contract of a project a campaign is about."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import msgspec

from simulator.errors import TargetError
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
    project: Project, name: str | None = None, prefix: str = "echidna_", *, has_arguments: bool = False
) -> Selection:
    """The contract called `name`: `Name`, `path:Name`, or the end of a `path:Name`, as in Echidna. Without a name: of
    the sources that the user pointed at, the only deployable contract with tests (functions that start with `prefix`),
    else the alphabetically first deployable one. Contracts whose constructors take arguments come last, unless there
    are some (`has_arguments`). Raises `TargetError` listing the candidates."""
    candidates = deployable(project)
    if not candidates:
        raise TargetError(f"the target has no contract that can be deployed{_why_none(project)}")
    own = tuple(each for each in candidates if each.path in project.named_sources) or candidates
    if name:
        return Selection(_named(project, candidates, own, name))
    if project.named_sources and own is candidates and candidates[0].path not in project.named_sources:
        files = ", ".join(project.named_sources[:_MAX_NAMED])
        raise TargetError(
            f"{files}: no contract of its own that can be deployed; imports have {_listed(candidates)}: choose one "
            "with --contract"
        )
    simple = () if has_arguments else tuple(each for each in own if not _takes_arguments(each))
    return _guessed(own, simple or own, prefix)


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


def _guessed(candidates: tuple[Contract, ...], preferred: tuple[Contract, ...], prefix: str) -> Selection:
    tested = [each for each in preferred if _has_tests(each, prefix)]
    tested = tested or [each for each in candidates if _has_tests(each, prefix)]
    if len(tested) == 1:
        note = "" if len(candidates) == 1 else f"{tested[0].full_name} is the only contract with {prefix} tests"
        return Selection(tested[0], note)
    if len(candidates) == 1:
        return Selection(candidates[0])
    chosen = (tested or preferred)[0]
    reason = (
        f"the first of {len(tested)} with {prefix} tests" if tested else f"the first of {len(candidates)} contracts"
    )
    return Selection(
        chosen, f"{chosen.full_name} is taken, {reason}; choose with --contract: {_listed(tested or candidates)}"
    )


def _has_tests(contract: Contract, prefix: str) -> bool:
    return any(entry.get("type") == "function" and str(entry.get("name")).startswith(prefix) for entry in contract.abi)


def _listed(contracts: Iterable[Contract]) -> str:
    names = [each.full_name for each in contracts]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more
