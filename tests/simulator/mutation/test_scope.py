"""Mutants are made of the code under test, wherever a project keeps it."""

from __future__ import annotations

import pytest

from simulator.compile.syntax.operations import Operation
from simulator.encoding import encode_msgpack
from simulator.mutation.scope import MutationScope, scope_of
from simulator.project import Contract, Project, SourceFile, Unit
from simulator.settings import CampaignSettings


def project_of(*contracts: tuple[str, str, str], named: tuple[str, ...] = ()) -> Project:
    """Contracts by path, declaration (`Name is Base, Base`) and body; each has an operation in its function `run`."""
    names = {
        declared.partition(" is ")[0]: f"{path}:{declared.partition(' is ')[0]}" for path, declared, _ in contracts
    }
    sources: dict[str, list[tuple[str, str]]] = {}
    made: dict[str, Contract] = {}
    for path, declared, body in contracts:
        name, _, listed = declared.partition(" is ")
        direct = [names[base] for base in listed.split(", ") if base]
        bases = tuple(dict.fromkeys([*direct, *(above for base in direct for above in made[base].bases)]))
        functions = tuple({"type": "function", "name": each} for each in body.split() if each.startswith("echidna_"))
        made[names[name]] = Contract(path, name, "contract", functions, b"", b"", bases=bases)
        sources.setdefault(path, []).append((name, f"contract {declared} {{ {body} }}\n"))
    files = tuple(
        SourceFile(number, path, "".join(text for _, text in found), _operations([name for name, _ in found]))
        for number, (path, found) in enumerate(sources.items())
    )
    return Project("", (Unit("solc", "", files, tuple(made.values())),), named_sources=named)


def _operations(names: list[str]) -> bytes:
    return encode_msgpack([Operation("if", 0, 1, "", "", ((0, 1),), True, "run", name) for name in names])


def scope_for(project: Project, target: str) -> MutationScope:
    full = next(each.full_name for each in project.contracts if each.name == target)
    return scope_of(project, CampaignSettings(contract=full), ())


def under_test(project: Project, target: str) -> set[str]:
    """Names of the contracts that mutants are made of."""
    wants = scope_for(project, target).wants
    return {
        each.name
        for each in project.contracts
        if wants(each.path, Operation("if", 0, 1, "", "", ((0, 1),), True, "run", each.name))
    }


def test_what_a_harness_is_built_from_is_left_as_it_is() -> None:
    """Set-up, assertions, and what stands between them and the harness; not what it inherits to test it."""
    project = project_of(
        ("src/Vault.sol", "Vault", ""),
        ("src/Checks.sol", "Checks", "function assertWithMsg(bool b, string memory m) internal {}"),
        ("src/Deploying.sol", "Deploying is Checks", "function setup() internal { new Vault(); }"),
        ("src/Ways.sol", "Ways is Deploying", ""),
        ("src/Ledger.sol", "Ledger", ""),
        ("src/Tester.sol", "Tester is Ways, Ledger", "echidna_fine"),
    )
    assert under_test(project, "Tester") == {"Vault", "Ledger"}
    assert "with Ways, Deploying, Checks none" in scope_for(project, "Tester").note


def test_what_lies_outside_of_the_project_is_a_library() -> None:
    """And the note names what the code under test inherits of it."""
    project = project_of(
        ("/elsewhere/mixins/Shares.sol", "Shares", ""),
        ("/elsewhere/suite/Base.sol", "SuiteBase", ""),
        ("src/Vault.sol", "Vault is Shares", ""),
        ("test/Suite.sol", "Suite is SuiteBase", "echidna_fine"),
    )
    assert under_test(project, "Suite") == {"Vault"}
    assert "--only Shares changes that" in scope_for(project, "Suite").note


@pytest.mark.parametrize("path", ["tests/pots/Pot.sol", "lib/pots/Pot.sol", "/anywhere/test/Pot.sol"])
def test_folders_above_all_that_was_pointed_at_say_nothing(path: str) -> None:
    """A project may lie anywhere."""
    harness = path.replace("Pot.sol", "PotTests.sol")
    project = project_of((path, "Pot", ""), (harness, "PotTests", "echidna_fine"), named=(path, harness))
    assert under_test(project, "PotTests") == {"Pot"}


def test_a_project_below_a_folder_of_tests_has_its_own_sources() -> None:
    """Those of a folder `src`; `test` below it is of tests again."""
    project = project_of(
        ("tests/vault/src/Vault.sol", "Vault", ""),
        ("tests/vault/src/test/Double.sol", "Double", ""),
        ("tests/vault/test/Suite.sol", "Suite", "echidna_fine"),
    )
    assert under_test(project, "Suite") == {"Vault"}


def test_test_doubles_and_actors_are_left_as_they_are() -> None:
    """By name, or because they assert."""
    project = project_of(
        ("src/Asserts.sol", "Asserts", "function assertEq(uint a, uint b) internal {}"),
        ("src/Vault.sol", "Vault", ""),
        ("src/MockToken.sol", "MockToken", ""),
        ("src/Proxy.sol", "Proxy is Asserts", ""),
        ("src/Suite.sol", "VaultHandler", ""),
        ("src/Suite.sol", "Suite", "echidna_fine"),
        ("src/Handler.sol", "LiquidationHandler", ""),
    )
    assert under_test(project, "Suite") == {"Vault", "LiquidationHandler"}


def test_a_harness_alone_is_changed_but_for_its_tests() -> None:
    """There is no other code under test."""
    project = project_of(("Pot.sol", "Pot", "echidna_fine"))
    assert under_test(project, "Pot") == {"Pot"}
