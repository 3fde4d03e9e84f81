"""The contract of a campaign is the one that was named, or a choice that is explained."""

from __future__ import annotations

import pytest

from simulator.compile.projects.selection import choose_contract, choose_contracts, select_contract
from simulator.errors import TargetError
from simulator.project import Contract, ContractKind, Project, Unit


def contract(
    full_name: str,
    *functions: str,
    kind: ContractKind = "contract",
    code: bytes = b"\x00",
    bases: tuple[str, ...] = (),
    takes: tuple[str, ...] = (),
) -> Contract:
    path, _, name = full_name.rpartition(":")
    abi: list[dict[str, object]] = [
        {"type": "function", "name": each, "inputs": [], "outputs": [{"type": "bool", "name": ""}]}
        for each in functions
    ]
    if takes:
        inputs = [{"type": each, "name": ""} for each in takes]
        abi.append({"type": "constructor", "inputs": inputs})
    return Contract(path, name, kind, tuple(abi), code if kind != "interface" else b"", code, bases=bases)


def project(*contracts: Contract, named: tuple[str, ...] = ()) -> Project:
    return Project("/", (Unit("0.8.30", "prague", (), contracts),), named_sources=named)


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
    assert chosen.note == (
        "test/T.sol:TokenTest is taken, the only one of 3 contracts with tests for property mode; --contract NAME "
        "chooses another, --contract '*' takes each with tests: src/A.sol:Token, src/B.sol:Token"
    )


def test_without_tests_the_first_by_name_is_taken() -> None:
    """As in Echidna, but with a word about it."""
    chosen = choose_contract(MANY, prefix="invariant_")
    assert chosen.contract.full_name == "src/A.sol:Token"
    assert "the first of 3 contracts, none of them with tests; --contract NAME chooses another" in chosen.note


def test_of_several_with_tests_the_first_is_taken() -> None:
    """Contracts without tests are no candidates then."""
    several = project(contract("a:A"), contract("b:B", "echidna_1"), contract("c:C", "echidna_2"))
    chosen = choose_contract(several)
    assert chosen.contract.full_name == "b:B"
    assert "the first of 2 with tests for property mode" in chosen.note


ASSERTS = bytes.fromhex("6001600452")
BASE = contract("a:Base", "echidna_1")
DERIVED = contract("a:Zeta", "echidna_1", "echidna_2", bases=("a:Middle", "a:Base"))
TOKEN = contract("a:Token", code=ASSERTS)
WITH_ARGUMENTS = contract("a:Alpha", "echidna_1", takes=("uint256",))
FOUNDRY = contract("t:TokenTest", "IS_TEST", "setUp", "testTransfer")


@pytest.mark.parametrize(
    ("contracts", "mode", "expected"),
    [
        ((BASE, DERIVED), None, "a:Zeta"),
        ((TOKEN, contract("a:PopsicleBroken", code=ASSERTS, bases=("a:ERC20",)), contract("a:ERC20")), None, "a:Pop"),
        ((contract("a:ERC20"), contract("a:Vault", bases=("a:ERC20",))), None, "a:Vault"),
        ((TOKEN, FOUNDRY), None, "t:TokenTest"),
        ((FOUNDRY, BASE), None, "a:Base"),
        ((BASE, FOUNDRY), "foundry", "t:TokenTest"),
        ((BASE, contract("z:Plain", "testTransfer")), "foundry", "z:Plain"),
        ((BASE, contract("z:Asserting", code=ASSERTS)), "assertion", "z:Asserting"),
        ((TOKEN, contract("z:Medusa", "property_holds")), "medusa", "z:Medusa"),
        ((WITH_ARGUMENTS, BASE), None, "a:Base"),
        ((WITH_ARGUMENTS, TOKEN), None, "a:Alpha"),
    ],
    ids=[
        *("derived before base", "base without tests", "most derived of all", "Foundry test before asserts"),
        *("properties before Foundry tests", "tests of the mode", "no sign but the mode", "asserts of the mode"),
        *("properties of Medusa", "no arguments first", "tests before no arguments"),
    ],
)
def test_a_contract_with_tests_that_no_other_inherits_from_is_taken(
    contracts: tuple[Contract, ...], mode: str | None, expected: str
) -> None:
    """Tests of the mode that was asked for; without one, in the order in which modes recognise a contract."""
    assert choose_contract(project(*contracts), mode=mode).contract.full_name.startswith(expected)


def test_a_contract_of_an_import_is_never_taken() -> None:
    """Even where it alone has tests."""
    imported = contract("lib/T.sol:Tested", "echidna_1")
    chosen = choose_contract(project(imported, contract("a.sol:Own"), named=("a.sol",)))
    assert chosen.contract.full_name == "a.sol:Own"


def test_a_pattern_takes_every_contract_with_tests() -> None:
    """Those that fit and have none are named; those of imports are not looked at."""
    vault, library = contract("t:VaultTest", "IS_TEST", "testIt"), contract("lib:TokenLib", "IS_TEST", "testIt")
    whole = project(FOUNDRY, vault, library, contract("t:TokenNoTests"), named=("t",))
    chosen = choose_contracts(whole, ["VaultTest", "Token*", "*"])
    assert [each.contract.name for each in chosen] == ["VaultTest", "TokenTest"]
    assert [each.note for each in chosen] == ["", "not fuzzed for 'Token*', as without tests: t:TokenNoTests"]


def test_a_pattern_may_name_a_file_and_a_name_may_look_like_a_pattern() -> None:
    """Vyper names contracts after their files, which may have any name."""
    odd = contract("src/we?rd*.vy:we?rd*", "echidna_1")
    whole = project(odd, contract("src/A.sol:wexrd", "echidna_1"), contract("test/A.sol:Other", "echidna_1"))
    assert [each.contract.full_name for each in choose_contracts(whole, ["src/A.sol:w*"])] == ["src/A.sol:wexrd"]
    assert [each.contract.name for each in choose_contracts(whole, ["we?rd*"])] == ["wexrd", "we?rd*"]


def test_a_pattern_takes_contracts_that_assert_only_where_no_others_are_tests() -> None:
    """In a project with Foundry tests, the code under test asserts as well."""
    assert [each.contract.name for each in choose_contracts(project(TOKEN, FOUNDRY), ["*"])] == ["TokenTest"]
    assert [each.contract.name for each in choose_contracts(project(TOKEN, contract("a:B")), ["*"])] == ["Token"]
    both = project(TOKEN, FOUNDRY)
    assert [each.contract.name for each in choose_contracts(both, ["*"], mode="assertion")] == ["Token", "TokenTest"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("Zzz*", r"no contract 'Zzz\*' in the target\. Candidates: src"),
        ("Tok?n", r"no contract 'Tok\?n' has tests for foundry mode; without: src/A\.sol:Token, src/B\.sol:Token"),
    ],
)
def test_a_pattern_without_any_test_is_an_error(pattern: str, message: str) -> None:
    """A run of nothing would look like a pass."""
    with pytest.raises(TargetError, match=message):
        choose_contracts(MANY, [pattern], mode="foundry")


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
