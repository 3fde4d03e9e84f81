"""Contracts with what they inherit, and what functions write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from orchestrator.autopilot.syntax import (
    Apply,
    Assign,
    ContractText,
    Expression,
    FunctionText,
    Index,
    Member,
    Name,
    Parameter,
    Unary,
    Variable,
    expressions,
    parts,
)

CHANGING = ("push", "pop")
MAX_BASES = 100


@dataclass
class Linked:
    """One contract. Of functions with one name those of the most derived contract come first."""

    name: str
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, list[FunctionText]] = field(default_factory=dict)
    modifiers: dict[str, FunctionText] = field(default_factory=dict)
    structs: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    constructors: list[FunctionText] = field(default_factory=list)

    def function(self, name: str, count: int) -> FunctionText | None:
        """The function that a call with so many arguments means."""
        fitting = [each for each in self.functions.get(name, ()) if len(each.parameters) == count and each.body]
        return fitting[0] if fitting else None

    def callable_functions(self) -> Iterator[FunctionText]:
        for name, overloads in self.functions.items():
            seen: set[tuple[str, ...]] = set()
            for each in overloads:
                types = tuple(parameter.type for parameter in each.parameters)
                if name not in ("fallback", "receive", "constructor") and each.is_callable and types not in seen:
                    seen.add(types)
                    yield each

    def entries_to(self, name: str) -> list[FunctionText]:
        """Functions that can be called and may come to the function of this name, itself first."""
        reached = {name}
        while more := {each for each, called in self.calls.items() if called & reached} - reached:
            reached |= more
        found = [each for each in self.callable_functions() if each.name in reached]
        return sorted(found, key=lambda each: each.name != name)

    @cached_property
    def calls(self) -> Mapping[str, frozenset[str]]:
        """By name of a function, the names that it calls."""
        return {name: frozenset().union(*map(_called, ones)) for name, ones in self.functions.items()}

    @cached_property
    def writes(self) -> Mapping[str, frozenset[str]]:
        """By name of a function, the state variables that it or what it calls may write."""
        own = {name: frozenset().union(*(_written(each) for each in ones)) for name, ones in self.functions.items()}
        calls = self.calls
        changed = True
        while changed:
            changed = False
            for name, written in own.items():
                more = written.union(*(own[each] for each in calls[name] if each in own))
                if more != written:
                    own[name], changed = more, True
        return own


def link(contracts: Mapping[str, ContractText], name: str) -> Linked:
    """A contract of these, with its bases."""
    linked = Linked(name)
    for each in reversed(_lineage(contracts, name)):
        text = contracts[each]
        linked.variables |= text.variables
        linked.structs |= text.structs
        linked.enums |= text.enums
        linked.modifiers |= text.modifiers
        linked.constructors += text.functions.get("constructor", [])
        for function, overloads in text.functions.items():
            linked.functions[function] = [*overloads, *linked.functions.get(function, [])]
    for text in contracts.values():
        linked.structs = {f"{text.name}.{key}": value for key, value in text.structs.items()} | linked.structs
        linked.enums = {f"{text.name}.{key}": value for key, value in text.enums.items()} | linked.enums
        if text.is_library:
            linked.variables = text.variables | linked.variables
            linked.structs = text.structs | linked.structs
    return linked


def _lineage(contracts: Mapping[str, ContractText], name: str) -> list[str]:
    """The contract, then its bases, the more derived first."""
    order: list[str] = []
    waiting = [name]
    while waiting and len(order) < MAX_BASES:
        current = waiting.pop(0)
        if current in contracts:
            # A base of several stands behind the last of them.
            order = [each for each in order if each != current] + [current]
            waiting += reversed(contracts[current].bases)
    return order


def root_of(target: Expression) -> str:
    """The variable that an assignment's target belongs to; empty where it has no name."""
    while isinstance(target, Index | Member):
        target = target.of
    return target.text if isinstance(target, Name) else ""


def _written(function: FunctionText) -> frozenset[str]:
    found = set()
    for each in expressions(function.body):
        match each:
            case Assign(target, _, _):
                found |= {root_of(part) for part in parts(target)}
            case Unary("delete", of):
                found.add(root_of(of))
            case Apply(Member(of, name), _, _, _) if name in CHANGING:
                found.add(root_of(of))
    # A local that refers to storage is written in the name of every variable that the function reads.
    if any(isinstance(each, Assign) and isinstance(each.target, Member) for each in expressions(function.body)):
        found |= {
            each.of.text for each in expressions(function.body) if isinstance(each, Index) and isinstance(each.of, Name)
        }
    return frozenset(found - {""})


def _called(function: FunctionText) -> frozenset[str]:
    names = {modifier for modifier, _ in function.modifiers}
    for each in expressions(function.body):
        match each:
            case Apply(Name(text), _, _, _) | Apply(Member(_, text), _, _, _):
                names.add(text)
    return frozenset(names)
