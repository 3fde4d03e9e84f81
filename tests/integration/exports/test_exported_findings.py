"""Exported Foundry tests fail where the fault is, as forge and our own EVM execute them, and pass once it is mended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.exports import AS_IT_MUST, Planted, find_forge, planted, run, verdict_of, write, written
from orchestrator.assembly.foundry_reproducers import check_of, foundry_test
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.chain.opening import pin_block
from simulator.compile import CompileOptions, compile_targets, run_process
from simulator.evm.block import BlockEnvironment
from simulator.foundry_tests.checking import CheckSurroundings, Export, check_exports
from simulator.foundry_tests.deployments import libraries
from simulator.foundry_tests.model import ExportedDeployment, ExportedWorld, FoundryTest, InvariantCheck, SuccessCheck
from simulator.foundry_tests.outcome import Verification
from simulator.foundry_tests.rendering import file_name, render_foundry_test
from simulator.fuzz.checking.oracles import ANY_DESTROYED, ASSERTION_EVENT, TARGET_DESTROYED
from simulator.initialization import InitialStep
from simulator.modes.medusa_tests import MedusaTests
from simulator.modes.overflow import OVERFLOW_TEST
from simulator.project import Project
from simulator.settings import CampaignSettings, ForkSettings, PlannedContract
from simulator.transaction import Transaction, address_bytes
from tests.support.fake_chain import FakeChain, serve

SOURCE = Path(__file__).with_name("findings.sol")
ECHIDNA_ADDRESS = CampaignSettings().contract_address
FORGE_ADDRESS = bytes.fromhex("7fa9385be102ac3eac297483dd6233d62b3e1496")
FORGE_SENDER = bytes.fromhex("1804c8ab1f12e6bbf3894d4083f33e07309d1f38")
SENDER, OTHER = address_bytes(0x10000), address_bytes(0x20000)
KINDS = {
    "echidna_world": ("property", ("deposit", "wait")),
    "echidna_revert_shut": ("property", ("deposit",)),
    "echidna_best": ("optimization", ("deposit",)),
    "panics()": ("assertion", ("panics",)),
    "compares()": ("assertion", ("compares",)),
    "reports()": ("assertion", ("reports",)),
    ASSERTION_EVENT: ("call", ("reports",)),
    OVERFLOW_TEST: ("call", ("overflows",)),
    TARGET_DESTROYED: ("call", ("deposit", "destroys")),
    ANY_DESTROYED: ("call", ("destroys",)),
}
"""Each test of the contract: its kind, and the calls that break it."""

pytestmark = pytest.mark.integration
needs_forge = pytest.mark.skipif(find_forge() is None, reason="needs forge on PATH or at FORGE")


def project_in(folder: Path, *, is_broken: bool, file: Path = SOURCE) -> Project:
    source = file.read_text()
    (folder / "findings.sol").write_text(source if is_broken else source.replace("BROKEN = true", "BROKEN = false"))
    return compile_targets((folder / "findings.sol",), CompileOptions(root=folder))


def settings_of(project: Project, address: bytes = ECHIDNA_ADDRESS) -> CampaignSettings:
    target = next(each for each in project.contracts if each.name == "Findings")
    return CampaignSettings(
        contract=target.full_name,
        contract_address=address,
        contract_balance=b"\5",
        gas_price=b"\7",
        deploy_contracts=((address_bytes(0x77), "Helper"),),
    )


def exports_of(project: Project, settings: CampaignSettings) -> list[Export]:
    abi = ContractAbi.from_json(next(each.abi for each in project.contracts if each.name == "Findings"))
    calls = {
        function.name: Transaction(
            SENDER,
            settings.contract_address,
            function.selector,
            b"\x0b" if function.name == "deposit" else b"",
        )
        for function in abi.functions
    } | {"wait": Transaction(OTHER, b"", seconds=60, blocks=3)}
    tests: list[FoundryTest] = []
    for name, (kind, sequence) in KINDS.items():
        check = check_of(name, kind, "11" if kind == "optimization" else "", settings)
        assert check is not None
        tests.append(foundry_test(name, tuple(calls[each] for each in sequence), check, project, settings))
    return [Export(test, render_foundry_test(test, lambda _: abi)) for test in tests]


def check(
    folder: Path, forge: str | None, *, is_broken: bool, address: bytes = ECHIDNA_ADDRESS
) -> dict[str, Verification]:
    project = project_in(folder, is_broken=is_broken)
    settings = settings_of(project, address)
    exports = exports_of(project, settings)
    around = CheckSurroundings(folder, project, CompileOptions(root=folder), libraries(project, settings), forge=forge)
    found = check_exports(exports, around, run_process)
    return {each.test.name: found[file_name(each.test)] for each in exports}


BY_OWN_EVM = pytest.param(None, id="own EVM")
BY_FORGE = pytest.param(find_forge(), id="forge", marks=[needs_forge, pytest.mark.nightly])


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(ECHIDNA_ADDRESS, id="Echidna's"),
        pytest.param(FORGE_ADDRESS, id="forge's", marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_every_kind_of_finding_fails_in_its_test(forge: str | None, address: bytes, tmp_path: Path) -> None:
    """In the campaign's world: block, balances, libraries, further contracts, setUp, value and time; also where the
    campaign's target has the address of forge's tests."""
    program = "forge" if forge else "Monotreme's own EVM"
    for name, verdict in check(tmp_path, forge, is_broken=True, address=address).items():
        assert verdict.is_verified, f"{name}: {verdict.text}"
        assert verdict.text.startswith(f"Verified: {program}"), f"{name}: {verdict.text}"


@pytest.mark.nightly
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_every_kind_of_finding_passes_once_it_is_mended(forge: str | None, tmp_path: Path) -> None:
    """So that the test can stay as a regression test."""
    for name, verdict in check(tmp_path, forge, is_broken=False).items():
        assert "it passed" in verdict.text, f"{name}: {verdict.text}"


@pytest.mark.nightly
@needs_forge
@pytest.mark.parametrize("finding", planted(), ids=lambda finding: finding.name)
def test_a_planted_bug_fails_in_forge_and_in_our_own_evm(finding: Planted, tmp_path: Path) -> None:
    """All findings of the examples and of the targets that measure the fuzzer."""
    one = write(finding)
    assert verdict_of(run(one, tmp_path, find_forge()), "forge") == AS_IT_MUST
    assert verdict_of(run(one, tmp_path, None), "Monotreme") == AS_IT_MUST


@pytest.mark.nightly
@pytest.mark.parametrize(
    "address", [pytest.param(ECHIDNA_ADDRESS, id="Echidna's"), pytest.param(FORGE_ADDRESS, id="forge's")]
)
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_harnesses_that_begin_pranks_are_replayed_too(forge: str | None, address: bytes, tmp_path: Path) -> None:
    """forge refuses their pranks under one of the test."""
    project = project_in(tmp_path, is_broken=True, file=SOURCE.with_name("pranking.sol"))
    target = next(each for each in project.contracts if each.name == "Findings")
    settings = CampaignSettings(contract=target.full_name, contract_address=address)
    abi = ContractAbi.from_json(target.abi)
    call = Transaction(SENDER, address, abi.by_signature["deposit()"].selector)
    what = check_of("echidna_actor", "property", "", settings)
    assert what is not None
    test = foundry_test("echidna_actor", (call,), what, project, settings)
    export = Export(test, render_foundry_test(test, lambda _: abi))
    around = CheckSurroundings(tmp_path, project, CompileOptions(root=tmp_path), {}, forge=forge)
    verdict = check_exports([export], around, run_process)[file_name(test)]
    assert verdict.is_verified, verdict.text


@pytest.mark.nightly
@pytest.mark.parametrize("is_broken", [True, False], ids=["broken", "mended"])
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_findings_of_foundry_tests_are_inherited_from(forge: str | None, is_broken: bool, tmp_path: Path) -> None:
    """forge deploys the test itself and calls its setUp, then the export calls what the campaign called. An invariant
    fails by itself, by what a call between invariants does, or by what is asked after all of them."""
    project = project_in(tmp_path, is_broken=is_broken, file=SOURCE.with_name("inherited.sol"))
    target = next(each for each in project.contracts if each.name == "Findings")
    deployment = ExportedDeployment("findings.sol", "Findings", FORGE_ADDRESS)
    world = ExportedWorld(BlockEnvironment(chain_id=31_337, gas_limit=1 << 30))
    counter = bytes.fromhex("5615deb798bb3e4dfa0139dfa1b3d433cc23b72f")
    exports = []
    for check, to, signature in (
        (SuccessCheck(), FORGE_ADDRESS, "test_small(uint256)"),
        (InvariantCheck("invariant_small()", FORGE_SENDER), counter, "add(uint256)"),
        (InvariantCheck("invariant_true()", FORGE_SENDER), counter, "checks(uint256)"),
        (InvariantCheck("invariant_true()", FORGE_SENDER, is_strict=True), counter, "reverts(uint256)"),
        (InvariantCheck("invariant_true()", FORGE_SENDER, asks_after=True), counter, "add(uint256)"),
    ):
        call = Transaction(FORGE_SENDER, to, selector(signature) + (11).to_bytes(32, "big"))
        balances = ((FORGE_SENDER, (1 << 96) - 1),)
        name = f"{len(exports)} {signature}"
        test = FoundryTest(name, (deployment,), (call,), check, FORGE_SENDER, balances, world, inherits=True)
        abi = ContractAbi.from_json(target.abi)
        exports.append(Export(test, render_foundry_test(test, lambda _, abi=abi: abi)))
    around = CheckSurroundings(tmp_path, project, CompileOptions(root=tmp_path), {}, forge=forge)
    verdicts = check_exports(exports, around, run_process)
    assert len(verdicts) == len(exports)
    for verdict in verdicts.values():
        assert verdict.is_verified if is_broken else "it passed" in verdict.text, verdict.text


RETURNS_40 = bytes.fromhex("69602860005260206000f3600052600a6016f3")
RECORDED = (
    InitialStep(OTHER, address_bytes(0x5000), RETURNS_40, creates=True),
    InitialStep(OTHER, address_bytes(0x5000), b"\1\2\3\4"),
    InitialStep(seconds=5, blocks=3),
)


@pytest.mark.nightly
@pytest.mark.parametrize("is_broken", [True, False], ids=["broken", "mended"])
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_targets_with_arguments_stand_on_what_was_recorded(forge: str | None, is_broken: bool, tmp_path: Path) -> None:
    """Steps of initialize first, then each target with its arguments and ether; the test of each is asked at its own
    address, and the panics that count are those that the campaign watched."""
    project = project_in(tmp_path, is_broken=is_broken, file=SOURCE.with_name("several.sol"))
    names = {each.name: each.full_name for each in project.contracts}
    first, second = address_bytes(0x7001), address_bytes(0x7002)
    settings = CampaignSettings(
        contract=names["First"],
        contract_address=first,
        test_mode="medusa",
        medusa=MedusaTests(panic_codes=(1, 0x12)),
        targets=(
            PlannedContract(names["First"], first, b"\5", b'{"first": "77"}'),
            PlannedContract(names["Second"], second, b"", b'{"other": "DeployedContract:First"}'),
        ),
        initial=RECORDED,
    )
    exports = []
    for name, kind, contract, calls in (
        ("property_small", "property", "First", [(second, "put(uint256)", 79)]),
        ("property_second", "property", "Second", [(first, "put(uint256)", 79)]),
        ("put(uint256)", "assertion", "First", [(first, "put(uint256)", 78)]),
        ("divide(uint256)", "assertion", "First", [(first, "put(uint256)", 0), (first, "divide(uint256)", 1)]),
    ):
        what = check_of(name, kind, "", settings)
        assert what is not None
        sequence = tuple(Transaction(SENDER, to, selector(text) + bytes(31) + bytes([n])) for to, text, n in calls)
        test = foundry_test(name, sequence, what, project, settings, contract)
        exports.append(Export(test, render_foundry_test(test, lambda _: None)))
    around = CheckSurroundings(tmp_path, project, CompileOptions(root=tmp_path), {}, forge=forge)
    verdicts = check_exports(exports, around, run_process)
    assert len(verdicts) == len(exports)
    for verdict in verdicts.values():
        assert verdict.is_verified if is_broken else "it passed" in verdict.text, verdict.text


@pytest.mark.nightly
@pytest.mark.parametrize("forge", [BY_OWN_EVM, BY_FORGE])
def test_a_target_gets_the_arguments_of_its_constructor(forge: str | None, tmp_path: Path) -> None:
    """Those that were given on the command line."""
    project = project_in(tmp_path, is_broken=True, file=SOURCE.with_name("several.sol"))
    target = next(each for each in project.contracts if each.name == "First")
    settings = CampaignSettings(
        contract=target.full_name,
        contract_balance=b"\5",
        constructor_arguments=(77).to_bytes(32, "big"),
        initial=RECORDED,
    )
    what = check_of("put(uint256)", "assertion", "", settings)
    assert what is not None
    call = Transaction(SENDER, ECHIDNA_ADDRESS, selector("put(uint256)") + (78).to_bytes(32, "big"))
    test = foundry_test("put(uint256)", (call,), what, project, settings)
    export = Export(test, render_foundry_test(test, lambda _: None))
    around = CheckSurroundings(tmp_path, project, CompileOptions(root=tmp_path), {}, forge=forge)
    verdict = check_exports([export], around, run_process)[file_name(test)]
    assert verdict.is_verified, verdict.text


FORKED = """
pragma solidity 0.8.30;
interface IStore { function put(uint256) external; function total() external view returns (uint256); }
contract Findings {
    IStore store = IStore(address(0x5707E));
    function put(uint256 value) public { store.put(value); }
    function echidna_small() public view returns (bool) { return store.total() < $LIMIT && block.number >= 100; }
}
"""
STORE = """
pragma solidity 0.8.30;
contract Store { uint256 public total; function put(uint256 value) public { total += value; } }
"""


@pytest.mark.nightly
@pytest.mark.parametrize("is_broken", [True, False], ids=["broken", "mended"])
def test_findings_on_a_forked_chain_are_executed_by_our_own_evm(is_broken: bool, tmp_path: Path) -> None:
    """With what the campaign has fetched of the chain, forge or not. The test gets to know no URL."""
    (tmp_path / "Store.sol").write_text(STORE)
    code = compile_targets((tmp_path / "Store.sol",), CompileOptions(root=tmp_path)).contracts[0].runtime_code
    (tmp_path / "findings.sol").write_text(FORKED.replace("$LIMIT", "5300" if is_broken else "99999"))
    project = compile_targets((tmp_path / "findings.sol",), CompileOptions(root=tmp_path))
    target = next(each for each in project.contracts if each.name == "Findings")
    abi = ContractAbi.from_json(target.abi)
    with serve(FakeChain(codes={0x5707E: code}, nonces={0x5707E: 1}, slots={(0x5707E, 0): 5000})) as chain:
        fork = ForkSettings(chain.url, pin_block(chain.url, None, tmp_path / "chain").block, bytes(tmp_path / "chain"))
        settings = CampaignSettings(contract=target.full_name, fork=fork)
        call = Transaction(SENDER, ECHIDNA_ADDRESS, abi.by_signature["put(uint256)"].encode_call((300,)))
        what = check_of("echidna_small", "property", "", settings)
        assert what is not None
        test = foundry_test("echidna_small", (call,), what, project, settings)
        export = Export(test, render_foundry_test(test, lambda _: abi))
        around = CheckSurroundings(tmp_path, project, CompileOptions(root=tmp_path), {}, forge="/no/forge", fork=fork)
        verdict = check_exports([export], around, run_process)[file_name(test)]
    assert verdict.is_verified if is_broken else "it passed" in verdict.text, verdict.text
    assert chain.url not in verdict.text


MENDED = {
    "examples/token-property-echidna_balances_are_within_supply": (
        "Token.sol",
        "balanceOf[to] = toBalance + amount;",
        "balanceOf[to] = (from == to ? toBalance - amount : toBalance) + amount;",
    ),
    "examples/vault_reentrancy-property-echidna_attacker_makes_no_profit": (
        "Vault.sol",
        "if (amount == 0) revert NothingToWithdraw(msg.sender);",
        "if (amount == 0) revert NothingToWithdraw(msg.sender);\n        balanceOf[msg.sender] = 0;",
    ),
    "examples/access_control-property-echidna_claiming_spends_nothing": (
        "Wallet.sol",
        "if (tx.origin != owner)",
        "if (msg.sender != owner)",
    ),
    "examples/foundry_project-property-echidna_price_never_falls": (
        "src/SavingsPool.sol",
        "assets.mulDivDown(totalShares, totalAssets);\n        totalAssets -= assets;",
        "(assets * totalShares + totalAssets - 1) / totalAssets;\n        totalAssets -= assets;",
    ),
    "examples/legacy_overflow-property-echidna_nobody_owns_more_than_supply": (
        "BatchToken.sol",
        "uint256 cost = receivers.length * amount;",
        "uint256 cost = receivers.length * amount;\n        require(cost / receivers.length == amount);",
    ),
}
"""File, fault and how it is mended."""


@pytest.mark.nightly
@needs_forge
@pytest.mark.parametrize("name", MENDED)
def test_an_example_passes_in_forge_once_its_fault_is_mended(name: str, tmp_path: Path) -> None:
    """The same calls, against the project as its author would have mended it."""
    finding = next(each for each in planted() if each.name == name)
    file, fault, mended = MENDED[name]
    one = write(finding)
    copy = tmp_path / "project"
    shutil.copytree(finding.paths[0] if finding.paths[0].is_dir() else finding.paths[0].parent, copy)
    text = (copy / file).read_text()
    assert fault in text
    (copy / file).write_text(text.replace(fault, mended))
    project = compile_targets((copy,), CompileOptions(root=copy))
    target = next(each for each in project.contracts if each.name == finding.contract)
    settings = CampaignSettings(contract=target.full_name, contract_balance=one.settings.contract_balance)
    verdict = run(written(finding, project, settings), tmp_path, find_forge(), CompileOptions(root=copy))
    assert "it passed" in verdict.text, verdict.text
