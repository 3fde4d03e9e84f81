"""Foundry tests made from reproducers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from simulator.abi.contract import ContractAbi
from simulator.abi.types import parse_type_text
from simulator.corpus.foundry_test import (
    AssertionCheck,
    Check,
    FoundryDeployment,
    FoundryTest,
    OptimizationCheck,
    OverflowCheck,
    PropertyCheck,
    render_foundry_test,
    reproducer_identifier,
)
from simulator.corpus.solidity_source import call_expression, solidity_literal
from simulator.errors import CorpusError
from simulator.forked_block import ForkedBlock
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
        "deployments": (FoundryDeployment("src/Pay.sol", "Pay", TARGET, value=3),),
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
        _wait(60, 2);
        _send(
            0x0000000000000000000000000000000000010000,
            0x00a329c0648769A73afAc7F9381E08FB43dBEA72,
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
            FoundryDeployment("lib/A.sol", "A", address_bytes(0x77), arguments=b"\x01"),
            FoundryDeployment("src/Pay.sol", "Pay", TARGET, value=3),
        ),
    )
    assert 'import {A as Contract0} from "lib/A.sol";\nimport {Pay as Contract1} from "src/Pay.sol";' in source
    assert (
        """\
        vm.deal(0x0000000000000000000000000000000000010000, 100);
        _deploy(0x0000000000000000000000000000000000000077, abi.encodePacked(type(Contract0).creationCode, hex"01"), 0);
        _deploy(0x00a329c0648769A73afAc7F9381E08FB43dBEA72, type(Contract1).creationCode, 3);
"""
        in source
    )


def test_waits_only_pass_time() -> None:
    """A pure wait is no call."""
    source = render((Transaction(sender=SENDER, to=b"", seconds=5, blocks=1),))
    assert "_wait(5, 1);" in source
    assert source.count("= _send(") == source.count("_send(") - 1 == 2


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
            'assertTrue(success && result.length == 32 && abi.decode(result, (bool)), "echidna_x() is not true");',
        ),
        (PropertyCheck("r()", SENDER, expects_revert=True), 'assertTrue(!success, "r() does not revert");'),
        (OptimizationCheck("best()", SENDER, -4), "abi.decode(result, (int256)) < -4"),
        (OverflowCheck(), 'assertFalse(!success && keccak256(result) == keccak256(abi.encodeWithSignature("Panic'),
        (AssertionCheck(), "assertFalse(_assertionFailed(success, result)"),
    ],
)
def test_each_kind_of_test_has_its_verdict(check: Check, verdict: str) -> None:
    """The test fails as long as the fault is there."""
    source = render((Transaction(sender=SENDER, to=TARGET, data=MANY.encode_call(([],))),), check)
    assert verdict in source
    assert source.count("(bool success, bytes memory result) = _send(") == 1


def test_assertion_events_of_the_target_are_known() -> None:
    """The target's own declaration of AssertionFailed counts, whatever its arguments."""
    source = render((Transaction(sender=SENDER, to=TARGET),), AssertionCheck())
    assert f"topic == 0x{ABI.events[0].topic0.hex()}" in source
    assert "$EVENTS" not in source


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
        render((), deployments=(FoundryDeployment(path, contract, TARGET),))
    assert 'from "a\\"b.sol";' in render((), deployments=(FoundryDeployment('a"b.sol', "A", TARGET),))


def test_a_target_is_needed() -> None:
    """Without a deployment there is nothing to call."""
    with pytest.raises(CorpusError):
        render((), deployments=())


def test_two_tests_with_one_reproducer_have_two_files() -> None:
    """The name is part of the identifier."""
    sequence = (Transaction(sender=SENDER, to=TARGET),)
    first, second = reproducer_identifier("f(uint256)", sequence), reproducer_identifier("g()", sequence)
    assert re.fullmatch(r"f_uint256_[0-9a-f]{12}", first)
    assert first != second
    assert re.fullmatch(r"test_[0-9a-f]{12}", reproducer_identifier("()", sequence))


def test_braces_are_balanced() -> None:
    """A coarse check of the whole source."""
    source = render((Transaction(sender=SENDER, to=TARGET, data=MANY.encode_call(([1],))),), AssertionCheck())
    for opening, closing in ("{}", "()", "[]"):
        assert source.count(opening) == source.count(closing)


def test_a_sequence_on_a_forked_chain_runs_on_that_block() -> None:
    """At its time and number; the URL, which may hold a key, comes from the environment."""
    block = ForkedBlock(1, 19_000_000, bytes(32), 1_705_173_443, bytes(20), bytes(32), 1, bytes(32), bytes(32))
    source = render((), fork=block)
    assert (
        '    function setUp() public {\n        vm.createSelectFork(vm.envString("ECHIDNA_RPC_URL"), 19000000);\n'
        "        _wait(0, 0);\n"
    ) in source
    assert "_time = 1705173443;" in source
    assert "_block = 19000000;" in source
    assert "createSelectFork" not in render(())
