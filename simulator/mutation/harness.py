"""Contracts of a project that test others: harnesses, what they are built from, and test doubles."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from simulator.project import Contract, Project

_TEST = re.compile(r"(echidna|property|invariant|optimize|crytic|statefulFuzz)_|test|check_|prove|setUp$")
_BASE_NAME = re.compile(
    r"(?:^|(?<=[a-z0-9_]))(?:Test|Tests|Tester|Setup|SetUp|Properties|Property|Invariant|Invariants|Fuzz|Fuzzer|Echidna"
    r"|Medusa|Crytic|Handler|Handlers|Actor|Actors|Asserts|Helper|Helpers|BeforeAfter|TargetFunctions|Targets|Ghosts)"
    r"(?=[A-Z0-9_]|$)"
)
_BESIDE_NAME = re.compile(r"(?:^|(?<=[a-z0-9_]))(?:Handler|Attacker)(?=[A-Z0-9_]|$)")
_DOUBLE_NAME = re.compile(r"(?:Mock|Test)(?=[A-Z0-9_])|(?:.*(?<=[a-z0-9_]))?(?:Mock|Actor)$")
_SILENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(r"^\s*(?:abstract\s+)?(?:contract|library|interface)\s+(?P<name>[\w$]+)", re.MULTILINE)
_SETS_UP = re.compile(r"\bfunction\s+set_?[uU]p\s*\(")
_ASSERTS = re.compile(r"\bfunction\s+(?:assert[A-Z]\w*|precondition)\s*\(")

ContractKey = tuple[str, str]
"""Path and name."""


def is_test_name(function: str, prefix: str) -> bool:
    """Return whether a function of this name is a test, given the campaign's prefix of tests."""
    return function.startswith(prefix) or _TEST.match(function) is not None


def harness_contracts(project: Project, target: ContractKey, prefix: str) -> frozenset[ContractKey]:
    """The target and all contracts that declare tests; what declares assertions, and contracts that build on such; test
    doubles, and actors beside a harness. Of what the target inherits from also what has a set-up or the name of a part
    of a harness, and what builds on such; the rest of it is code under test."""
    contracts = {contract.full_name: contract for contract in project.contracts}
    texts = _texts(project)
    asserting = {key for key, text in texts.items() if _ASSERTS.search(text)}
    own = contracts.get(":".join(target))
    bases = frozenset(own.bases if own is not None else ())
    helping = {":".join(key) for key in asserting}
    helping |= {name for name in bases if name in contracts and _helps_testing(contracts[name], texts)}
    found = {target} | {key for key in texts if key[0] in {path for path, _ in asserting}}
    for contract in contracts.values():
        is_double = _DOUBLE_NAME.match(contract.name) is not None
        builds_on = bool(helping.intersection(contract.bases)) and contract.full_name in bases
        is_helping = contract.full_name in helping or builds_on or _asserts(contract, asserting)
        if is_double or is_helping or _declares_test(contract, prefix):
            found.add(_key(contract))
    files = {path for path, _ in found}
    found |= {_key(each) for each in contracts.values() if each.path in files and _BESIDE_NAME.search(each.name)}
    return frozenset(found)


def _asserts(contract: Contract, asserting: Collection[ContractKey]) -> bool:
    return not {":".join(key) for key in asserting}.isdisjoint(contract.bases)


def _key(contract: Contract) -> ContractKey:
    return contract.path, contract.name


def _declares_test(contract: Contract, prefix: str) -> bool:
    names = (str(entry.get("name", "")) for entry in contract.abi if entry.get("type") == "function")
    return any(is_test_name(name, prefix) for name in names)


def _helps_testing(contract: Contract, texts: Mapping[ContractKey, str]) -> bool:
    return _BASE_NAME.search(contract.name) is not None or _SETS_UP.search(texts.get(_key(contract), "")) is not None


def _texts(project: Project) -> dict[ContractKey, str]:
    """The text of each contract, without comments: up to where the next one begins."""
    found: dict[ContractKey, str] = {}
    for source in (source for unit in project.units for source in unit.sources):
        text = _SILENT.sub(" ", source.content)
        places = [(match.start(), match["name"]) for match in _DECLARED.finditer(text)]
        for (start, name), end in zip(places, _ends(places, len(text)), strict=True):
            found[source.path, name] = text[start:end]
    return found


def _ends(places: Iterable[tuple[int, str]], last: int) -> list[int]:
    return [*(start for start, _ in places), last][1:] if places else []
