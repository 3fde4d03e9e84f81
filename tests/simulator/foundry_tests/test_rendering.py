"""Foundry tests made from reproducers."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import checksum_address
from simulator.abi.types import parse_type_text
from simulator.compile.options import CompilerSettings
from simulator.errors import CorpusError
from simulator.evm.block import BlockEnvironment
from simulator.forked_block import ForkedBlock
from simulator.foundry_tests.folder_files import Compilation, foundry_toml
from simulator.foundry_tests.literals import call_expression, solidity_literal
from simulator.foundry_tests.model import (
    AssertionCheck,
    Check,
    DestructionCheck,
    EventCheck,
    ExportedDeployment,
    ExportedWorld,
    FoundryTest,
    InvariantCheck,
    OptimizationCheck,
    OverflowCheck,
    PropertyCheck,
    SuccessCheck,
)
from simulator.foundry_tests.rendering import render_foundry_test, reproducer_identifier
from simulator.initialization import InitialStep
from simulator.transaction import Sequence, Transaction, address_bytes

TARGET = bytes.fromhex("00a329c0648769a73afac7f9381e08fb43dbea72")
SENDER, DEPLOYER = address_bytes(0x10000), address_bytes(0x30000)
ABI = ContractAbi.from_json(
    [
        {"type": "function", "name": "pay", "inputs": [{"type": "uint8"}, {"type": "string"}], "outputs": []},
        {"type": "function", "name": "many", "inputs": [{"type": "uint8[]"}], "outputs": []},
        {"type": "event", "name": "AssertionFailed", "inputs": [{"type": "bool"}]},
    ]
)
PAY = ABI.by_signature["pay(uint8,string)"]
MANY = ABI.by_signature["many(uint8[])"]
PROPERTY = PropertyCheck("echidna_x()", SENDER)


def render(sequence: Sequence, check: Check = PROPERTY, **changes: Any) -> str:
    fields: dict[str, Any] = {
        "name": "echidna_x",
        "deployments": (ExportedDeployment("src/Pay.sol", "Pay", TARGET, value=3),),
        "sequence": sequence,
        "check": check,
        "deployer": DEPLOYER,
        "balances": ((SENDER, 100),),
    }
    return render_foundry_test(FoundryTest(**(fields | changes)), lambda address: ABI if address == TARGET else None)


def test_a_call_keeps_sender_value_gas_and_delay() -> None:
    """What Echidna's own Foundry tests leave out."""
    data = PAY.encode_call((7, "hi"))
    source = render((Transaction(sender=SENDER, to=TARGET, data=data, value=b"\x05", seconds=60, blocks=2, gas=99),))
    assert (
        """\
        // 1. pay(7,"hi")
        Replay.wait_(60, 2);
        Replay.send(
            0x0000000000000000000000000000000000010000,
            TARGET,
            5,
            99,
            abi.encodeWithSignature("pay(uint8,string)", uint8(7), string("hi"))
        );
"""
        in source
    )


def test_the_target_is_deployed_at_its_address() -> None:
    """Import, balances, constructor arguments and value; further contracts come before the target."""
    source = render(
        (),
        deployments=(
            ExportedDeployment("lib/A.sol", "A", address_bytes(0x77), arguments=b"\x01"),
            ExportedDeployment("src/Pay.sol", "Pay", TARGET, value=3),
        ),
    )
    assert 'import {A as Contract0} from "lib/A.sol";\nimport {Pay as Contract1} from "src/Pay.sol";' in source
    assert (
        """\
        Replay.fund(0x0000000000000000000000000000000000010000, 100);
        Replay.deploy(DEPLOYER, 0x0000000000000000000000000000000000000077, abi.encodePacked($CODE, hex"01"), 0);
        Replay.deploy(DEPLOYER, 0x00a329c0648769A73afAc7F9381E08FB43dBEA72, type(Contract1).creationCode, 3);
""".replace("$CODE", "type(Contract0).creationCode")
        in source
    )


def test_waits_only_pass_time() -> None:
    """A pure wait is no call."""
    source = render((Transaction(sender=SENDER, to=b"", seconds=5, blocks=1),))
    assert "Replay.wait_(5, 1);" in source
    assert source.count("Replay.send(") == 1


@pytest.mark.parametrize(
    ("data", "expression"),
    [
        (MANY.encode_call(([1],)), f'hex"{MANY.encode_call(([1],)).hex()}"'),
        (PAY.encode_call((1, "ü\n")), 'abi.encodeWithSignature("pay(uint8,string)", uint8(1), bytes(hex"c3bc0a"))'),
        (PAY.encode_call((1, 'a"\\')), 'abi.encodeWithSignature("pay(uint8,string)", uint8(1), string("a\\"\\\\"))'),
        (PAY.encode_call((1, "")) + b"\0", None),
        (b"", 'hex""'),
        (b"\x01\x02\x03\x04", 'hex"01020304"'),
    ],
)
def test_arguments_without_a_literal_are_raw_calldata(data: bytes, expression: str | None) -> None:
    """The bytes of the call are the same in either form."""
    assert call_expression(ABI, data) == (expression or f'hex"{data.hex()}"')


@pytest.mark.parametrize(
    ("text", "value", "literal"),
    [
        ("int8", -128, "int8(-128)"),
        ("uint256", 2**256 - 1, f"uint256({2**256 - 1})"),
        ("bool", True, "true"),
        ("address", 0xDEADBEEF, "0x00000000000000000000000000000000DeaDBeef"),
        ("bytes2", b"\x01\xff", 'bytes2(hex"01ff")'),
        ("bytes", b"", 'bytes(hex"")'),
        ("(bool)", (True,), None),
        ("function", bytes(24), None),
    ],
)
def test_literals_have_exactly_their_type(text: str, value: object, literal: str | None) -> None:
    """So overloads and sign extension come out right."""
    assert solidity_literal(parse_type_text(text), value) == literal


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        (
            PROPERTY,
            "success ? result.length >= 32 && abi.decode(result, (uint256)) == 1 : Replay.isRejection(result),\n"
            '            "echidna_x() is not true"',
        ),
        (PropertyCheck("r()", SENDER, expects_revert=True), '!success,\n            "r() does not revert"'),
        (OptimizationCheck("best()", SENDER, -4), "abi.decode(result, (int256)) < -4"),
        (OverflowCheck(), "success || keccak256(result) != keccak256(abi.encodeWithSignature("),
        (AssertionCheck(), "!Replay.assertionFailed(success, result, usedAllGas)"),
        (EventCheck(), "!Replay.assertionEventEmitted()"),
        (DestructionCheck(TARGET), "!Replay.isDestroyed(0x00a329c0648769A73afAc7F9381E08FB43dBEA72)"),
        (SuccessCheck(), "(success || Replay.isRejection(result)) && !Replay.isMarkedFailed(TARGET)"),
        (
            InvariantCheck("invariant_x()", SENDER),
            'isMarkedFailed(TARGET),\n            "invariant_x() fails"',
        ),
    ],
)
def test_each_kind_of_test_has_its_verdict(check: Check, verdict: str) -> None:
    """The test fails as long as the fault is there."""
    source = render((Transaction(sender=SENDER, to=TARGET, data=MANY.encode_call(([],))),), check)
    assert verdict in source
    observed = isinstance(check, PropertyCheck | OptimizationCheck | InvariantCheck)
    assert source.count("Replay.send(") == (2 if observed else 1)


def test_assertion_events_of_the_target_are_known() -> None:
    """The target's own declaration of AssertionFailed counts, whatever its arguments."""
    source = render((Transaction(sender=SENDER, to=TARGET),), AssertionCheck(), topics=(ABI.events[0].topic0,))
    assert f"return topic == 0x{ABI.events[0].topic0.hex()};" in source
    assert "$" not in source


def test_nothing_in_a_call_can_leave_its_comment() -> None:
    """Line breaks and direction marks of arguments and names are escaped, long ones are cut."""
    data = PAY.encode_call((1, "*/\n\u2028\u202e selfdestruct();" + "x" * 500))
    source = render((Transaction(sender=SENDER, to=TARGET, data=data),), name="x\u2029y\n")
    (line,) = [line for line in source.splitlines() if "// 1." in line]
    assert line.isprintable()
    assert len(line) < 140
    assert "for x\\u2029y\\n of Pay" in source


@pytest.mark.parametrize(("path", "contract"), [("a\nb", "A"), ("", "A"), ("a.sol", "A; import"), ("a.sol", "")])
def test_paths_and_names_that_do_not_fit_are_refused(path: str, contract: str) -> None:
    """Nothing is injected into the source."""
    with pytest.raises(CorpusError):
        render((), deployments=(ExportedDeployment(path, contract, TARGET),))
    assert 'from "a\\"b.sol";' in render((), deployments=(ExportedDeployment('a"b.sol', "A", TARGET),))


def test_a_target_is_needed() -> None:
    """Without a deployment there is nothing to call."""
    with pytest.raises(CorpusError):
        render((), deployments=())


def test_two_tests_with_one_reproducer_have_two_files() -> None:
    """The name is part of the identifier."""
    assert re.fullmatch(r"f_uint256_[0-9a-f]{12}", identifier("f(uint256)"))
    assert identifier("f(uint256)") != identifier("g()")
    assert re.fullmatch(r"test_[0-9a-f]{12}", identifier("()"))


def test_two_targets_of_one_name_have_two_files() -> None:
    """Their campaigns may share a corpus, and find the same sequence."""
    assert identifier("f()", "a.sol") != identifier("f()", "b.sol")
    assert identifier("f()", "a.sol") == identifier("f()", "a.sol")


def identifier(name: str, path: str = "a.sol") -> str:
    sequence = (Transaction(sender=SENDER, to=TARGET),)
    deployments = (ExportedDeployment(path, "A", TARGET),)
    return reproducer_identifier(FoundryTest(name, deployments, sequence, PROPERTY, SENDER))


def test_braces_are_balanced() -> None:
    """A coarse check of the whole source."""
    source = render((Transaction(sender=SENDER, to=TARGET, data=MANY.encode_call(([1],))),), AssertionCheck())
    for opening, closing in ("{}", "()", "[]"):
        assert source.count(opening) == source.count(closing)


def test_a_sequence_on_a_forked_chain_runs_on_that_block() -> None:
    """At its time and number; the URL, which may hold a key, comes from the environment."""
    block = ForkedBlock(1, 19_000_000, bytes(32), 1_705_173_443, bytes(20), bytes(32), 1, bytes(32), bytes(32))
    source = render((), world=ExportedWorld(fork=block))
    assert (
        "    function setUp() public {\n"
        '        Replay.vm.createSelectFork(Replay.vm.envString("ECHIDNA_RPC_URL"), 19000000);\n'
    ) in source
    assert "if (account.balance < balance) vm.deal(account, balance);" in source
    assert "createSelectFork(Replay" not in render(())
    assert "        vm.deal(account, balance);" in render(())


def test_the_world_of_the_campaign_is_set_before_anything_is_deployed() -> None:
    """All that contracts can see of the chain; what forge has no cheatcode for is named."""
    block = BlockEnvironment(
        number=7, timestamp=8, coinbase=9, prevrandao=10, gas_limit=11, base_fee=12, blob_base_fee=13, chain_id=14
    )
    source = render((), world=ExportedWorld(block, gas_price=15, code_size_limit=16))
    assert (
        """\
    function setUp() public {
        Replay.vm.chainId(14);
        Replay.vm.roll(7);
        Replay.vm.warp(8);
        Replay.vm.prevrandao(bytes32(uint256(10)));
        Replay.vm.fee(12);
        Replay.vm.blobBaseFee(13);
        Replay.vm.coinbase(0x0000000000000000000000000000000000000009);
        Replay.vm.txGasPrice(15);
"""
        in source
    )
    assert "--block-gas-limit 11" in source
    assert "--code-size-limit 16" in source


def test_older_rules_have_neither_randao_nor_blob_fee() -> None:
    """forge refuses cheatcodes of later forks."""
    source = render((), world=ExportedWorld(evm_version="london"))
    assert "Replay.vm.difficulty(0);" in source
    assert "Replay.vm.prevrandao" not in source
    assert "Replay.vm.blobBaseFee" not in source


def test_set_up_runs_where_the_campaign_ran_it() -> None:
    """After everything is deployed, by the deployer."""
    assert "Replay.setUp(DEPLOYER, TARGET);\n    }" in render((), runs_set_up=True)
    assert "Replay.setUp(" not in render(())


def test_a_test_that_forge_deploys_is_inherited_from() -> None:
    """At its address and with its own setUp; calls to it go to the test itself."""
    source = render((Transaction(sender=SENDER, to=TARGET),), SuccessCheck(), inherits=True)
    assert re.search(r"contract Reproducer_\w+ is Contract0 \{\n    function test_reproduce", source)
    assert "address TARGET = address(this);" in source
    assert "            TARGET,\n" in source
    assert "Replay.deploy(" not in source


def test_what_cannot_be_imported_is_asked_for_by_name_or_written_out() -> None:
    """Contracts of older compilers, and creation codes without a source."""
    source = render(
        (),
        deployments=(
            ExportedDeployment("", "", address_bytes(0x77), code=b"\x60\x00"),
            ExportedDeployment("src/Old.sol", "Old", TARGET, by_name=True),
        ),
    )
    assert 'hex"6000", 0);' in source
    assert 'Replay.vm.getCode("src/Old.sol:Old"), 0);' in source
    assert "import {" not in source


def test_the_header_says_whether_the_test_was_executed() -> None:
    """And never that it was when nothing is known."""
    assert "// Unverified: it was not executed." in render(())
    test = FoundryTest("x", (ExportedDeployment("a.sol", "A", TARGET),), (), PROPERTY, DEPLOYER)
    assert "\n// Verified: yes\n" in render_foundry_test(test, lambda _: None, "Verified: yes")


def test_calls_are_transactions_of_their_own_where_forge_keeps_the_gas_price() -> None:
    """In isolation, forge takes gas price and base fee for zero."""
    assert "default.isolate = true" in render(())
    assert "isolate" not in render((), world=ExportedWorld(gas_price=1))
    assert "isolate" not in render((), world=ExportedWorld(BlockEnvironment(base_fee=1)))


def test_a_target_at_the_address_of_tests_is_deployed_while_the_test_runs() -> None:
    """Harnesses that imitate forge stand there; a setUp of its own would be the last that the test ever ran."""
    own = bytes.fromhex("7fa9385be102ac3eac297483dd6233d62b3e1496")
    source = render((), deployments=(ExportedDeployment("src/Pay.sol", "Pay", own),))
    assert "function setUp() public" not in source
    assert "function test_reproduce() public {\n        Replay.vm.deal(address(this), 0);\n" in source
    assert source.index("Replay.deploy(DEPLOYER") > source.index("function test_reproduce")


def test_steps_of_initialize_come_before_what_is_deployed() -> None:
    """From their own senders, at their own addresses, in their order."""
    sender, created = address_bytes(0x11), address_bytes(0x5000)
    steps = (
        InitialStep(sender, created, b"\x60\x00", b"\5", creates=True),
        InitialStep(sender, created, b"\x01"),
        InitialStep(seconds=9, blocks=2),
    )
    source = render((), initial=steps)
    first, second = f"{checksum_address(0x11)}, {checksum_address(0x5000)}", "Replay.wait_(9, 2);"
    places = [
        source.index(text)
        for text in (
            f'Replay.deploy({first}, hex"6000", 5);',
            f'Replay.callInitially({first}, 0, hex"01");',
            second,
            "Replay.deploy(DEPLOYER",
        )
    ]
    assert places == sorted(places)


def test_a_finding_of_one_of_several_targets_asks_that_one() -> None:
    """Calls of the others go to their addresses."""
    other = address_bytes(0x88)
    deployments = (ExportedDeployment("a.sol", "A", TARGET, b"\7"), ExportedDeployment("b.sol", "B", other))
    source = render((Transaction(sender=SENDER, to=other),), deployments=deployments, target_address=TARGET)
    assert f"TARGET = {checksum_address(int.from_bytes(TARGET))};" in source
    assert f"            {checksum_address(0x88)},\n" in source
    assert 'abi.encodePacked(type(Contract0).creationCode, hex"07")' in source
    assert " of A." in source


@pytest.mark.parametrize(
    ("panics", "condition"),
    [
        ((1,), "!Replay.assertionFailed(success, result, usedAllGas),"),
        ((0x11,), "!Replay.isOtherPanic(success, result),"),
        ((1, 0x12), "!Replay.assertionFailed(success, result, usedAllGas) && !Replay.isOtherPanic(success, result),"),
    ],
)
def test_the_panics_that_a_campaign_watched_fail_the_test(panics: tuple[int, ...], condition: str) -> None:
    """And no others."""
    source = render((Transaction(sender=SENDER, to=TARGET),), AssertionCheck(panics))
    assert f"            {condition}\n" in source
    assert [code for code in (0x11, 0x12) if f"code == {code}" in source] == [code for code in panics if code != 1]


def test_a_folder_whose_name_is_no_text_has_no_settings_file() -> None:
    """TOML is UTF-8; the reason names the folder."""
    compilation = Compilation(Path(os.fsdecode(b"/c\xffd")), (), CompilerSettings())
    with pytest.raises(CorpusError, match=r"cannot hold /c\\xffd, which is not UTF-8"):
        foundry_toml(compilation, ExportedWorld(), [])
