"""The contract of a campaign is the one that was named, or a choice that is explained."""

from __future__ import annotations

import pytest

from simulator.compile.projects.selection import choose_contract, select_contract
from simulator.errors import TargetError
from simulator.project import Contract, ContractKind, Project, Unit


def contract(full_name: str, *functions: str, kind: ContractKind = "contract", code: bytes = b"\x00") -> Contract:
    path, _, name = full_name.rpartition(":")
    abi = tuple({"type": "function", "name": function} for function in functions)
    return Contract(path, name, kind, abi, code if kind != "interface" else b"", code)


def project(*contracts: Contract) -> Project:
    return Project("/", (Unit("0.8.30", "prague", (), contracts),))


MANY = project(
    contract("src/B.sol:Token"),
    contract("src/A.sol:Token", "f"),
    contract("test/T.sol:TokenTest", "echidna_supply"),
    contract("src/L.sol:Lib", kind="library"),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("TokenTest", "test/T.sol:TokenTest"),
        ("src/A.sol:Token", "src/A.sol:Token"),
        ("A.sol:Token", "src/A.sol:Token"),
        (":TokenTest", "test/T.sol:TokenTest"),
    ],
)
def test_a_contract_is_found_by_name_or_path(name: str, expected: str) -> None:
    """As with Echidna's `--contract`."""
    assert select_contract(MANY, name).full_name == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Token", r"several contracts: src/A\.sol:Token, src/B\.sol:Token"),
        ("Lib", r"is a library and cannot be deployed"),
        ("TokenTst", r"no contract 'TokenTst' in the target; did you mean TokenTest\? Candidates: src"),
        (
            "zzz",
            r"no contract 'zzz' in the target\. Candidates: src/A\.sol:Token, src/B\.sol:Token, test/T\.sol:TokenTest",
        ),
    ],
)
def test_a_name_that_does_not_choose_is_an_error(name: str, message: str) -> None:
    """The candidates are listed."""
    with pytest.raises(TargetError, match=message):
        select_contract(MANY, name)


def test_without_a_name_the_only_contract_with_tests_is_taken() -> None:
    """The choice is explained."""
    chosen = choose_contract(MANY)
    assert chosen.contract.full_name == "test/T.sol:TokenTest"
    assert "only contract with echidna_ tests" in chosen.note


def test_without_tests_the_first_by_name_is_taken() -> None:
    """As in Echidna, but with a word about it."""
    chosen = choose_contract(MANY, prefix="invariant_")
    assert chosen.contract.full_name == "src/A.sol:Token"
    assert "choose with --contract" in chosen.note


def test_of_several_with_tests_the_first_is_taken() -> None:
    """Contracts without tests are no candidates then."""
    several = project(contract("a:A"), contract("b:B", "echidna_1"), contract("c:C", "echidna_2"))
    chosen = choose_contract(several)
    assert chosen.contract.full_name == "b:B"
    assert "first of 2 with echidna_ tests" in chosen.note


def test_a_single_contract_needs_no_note() -> None:
    """There was no choice."""
    assert choose_contract(project(contract("a:A"))).note == ""


def test_nothing_to_deploy_is_an_error() -> None:
    """Libraries, interfaces and abstract contracts cannot be fuzzed."""
    kinds: tuple[ContractKind, ...] = ("library", "interface", "abstract")
    empty = project(*(contract(f"a:{kind}", kind=kind) for kind in kinds))
    with pytest.raises(TargetError, match="no contract that can be deployed"):
        select_contract(empty)


@pytest.mark.parametrize(
    ("contracts", "message"),
    [
        ((), "can be deployed: the sources declare none"),
        ((contract("A.sol:I", kind="interface"),), r"can be deployed: A\.sol:I is an interface$"),
        (
            (contract("A.sol:A", kind="abstract", code=b""),),
            r"A\.sol:A is abstract; give every function",
        ),
    ],
    ids=["nothing", "interface", "abstract"],
)
def test_a_target_without_deployable_contracts_is_told_why(contracts: tuple[Contract, ...], message: str) -> None:
    """What the sources hold instead, and what to do about it."""
    with pytest.raises(TargetError, match=message):
        choose_contract(project(*contracts))
