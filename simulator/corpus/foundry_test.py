"""Foundry tests that replay a sequence against a fresh deployment.

A test fails as long as the fault is there and passes once it is mended, so it can stay in the project as a regression
test. Contracts stand at the addresses they had in the campaign, and each call has its own sender, value, gas limit and
delay; calls are low-level, so that one that reverts does not end the sequence. Compiles with solc 0.6.2 and later and
with forge-std.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import checksum_address, event_topic
from simulator.abi.text import format_calldata
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.corpus.solidity_source import FAILURE_CHECK, HELPERS, call_expression, string_literal
from simulator.errors import CorpusError
from simulator.forked_block import ForkedBlock
from simulator.printable import one_line, shortened
from simulator.transaction import DEFAULT_GAS, Sequence, Transaction, address_int

START_TIME = 1_524_785_992
START_BLOCK = 4_370_000
FORK_VARIABLE = "ECHIDNA_RPC_URL"
MAX_COMMENT = 110
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_FAILURE_EVENTS = ("AssertionFailed()", "AssertionFailed(string)", "AssertionFailed(uint256)", "AssertionFailed(bytes)")


@dataclass(frozen=True)
class FoundryDeployment:
    """A contract of the project put at `address` (20 bytes). `arguments` are ABI-encoded, `value` is wei."""

    import_path: str
    contract: str
    address: bytes
    arguments: bytes = b""
    value: int = 0


@dataclass(frozen=True)
class PropertyCheck:
    """After the calls, `signature` called by `sender` must return true; with `expects_revert` it must revert."""

    signature: str
    sender: bytes
    expects_revert: bool = False
    gas: int = DEFAULT_GAS


@dataclass(frozen=True)
class AssertionCheck:
    """The last call must not fail an assertion: no invalid opcode, `Panic(1)`, `assertion failed...` or event."""


@dataclass(frozen=True)
class OverflowCheck:
    """The last call must not revert with `Panic(0x11)`."""


@dataclass(frozen=True)
class OptimizationCheck:
    """After the calls, `signature` called by `sender` must return less than `value`."""

    signature: str
    sender: bytes
    value: int
    gas: int = DEFAULT_GAS


Check: TypeAlias = PropertyCheck | AssertionCheck | OverflowCheck | OptimizationCheck


@dataclass(frozen=True)
class FoundryTest:
    """What a test file needs to know. `deployments` are done in order by `deployer`; the last one is the target. With
    `fork`, the test runs on that block of the chain at FORK_VARIABLE, an environment variable."""

    name: str
    deployments: tuple[FoundryDeployment, ...]
    sequence: Sequence
    check: Check
    deployer: bytes
    balances: tuple[tuple[bytes, int], ...] = ()
    fork: ForkedBlock | None = None


def reproducer_identifier(name: str, sequence: Sequence) -> str:
    """Letters, digits and underscores, unique for a test's name and its reproducer; names contract and file."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:60]
    return f"{plain or 'test'}_{sequence_hash(sequence)[:12]}"


def render_foundry_test(test: FoundryTest, abi_of: AbiLookup) -> str:
    """The source of the test. `abi_of` gives the ABIs that calls are decoded with.

    Raises `CorpusError` when there is no deployment, or a path or a name that cannot stand in Solidity source.
    """
    if not test.deployments:
        raise CorpusError("a Foundry test needs at least one contract to deploy")
    target = test.deployments[-1]
    failure_check = FAILURE_CHECK if isinstance(test.check, AssertionCheck) else ""
    return _TEMPLATE.format(
        imports="\n".join(_import(index, deployment) for index, deployment in enumerate(test.deployments)),
        title=_comment(f"{test.name} of {target.contract}"),
        identifier=reproducer_identifier(test.name, test.sequence),
        deployer=checksum_address(address_int(test.deployer)),
        target=checksum_address(address_int(target.address)),
        time=test.fork.timestamp if test.fork else START_TIME,
        block=test.fork.number if test.fork else START_BLOCK,
        fork=_fork(test.fork),
        setup="\n".join([*_balances(test), *(_deploy(index, item) for index, item in enumerate(test.deployments))]),
        body="\n".join(_body(test, abi_of)),
        helpers=HELPERS + failure_check.replace("$EVENTS", _failure_events(abi_of(target.address))),
    )


_TEMPLATE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;
pragma experimental ABIEncoderV2;

import {{Test}} from "forge-std/Test.sol";
import {{Vm}} from "forge-std/Vm.sol";
{imports}

/// Written by Monotreme for {title}.
/// The test fails as long as the fault is there.
contract Reproducer_{identifier} is Test {{
    address private constant DEPLOYER = {deployer};
    address private constant TARGET = {target};

    uint256 private _time = {time};
    uint256 private _block = {block};
    bool private _usedAllGas;

    function setUp() public {{
{fork}        _wait(0, 0);
{setup}
    }}

    function test_reproduce() public {{
{body}
    }}

{helpers}}}
"""


def _fork(block: ForkedBlock | None) -> str:
    return f'        vm.createSelectFork(vm.envString("{FORK_VARIABLE}"), {block.number});\n' if block else ""


def _import(index: int, deployment: FoundryDeployment) -> str:
    if not _NAME.fullmatch(deployment.contract):
        raise CorpusError(f"{deployment.contract!r} cannot be the name of a contract")
    if not deployment.import_path or not deployment.import_path.isprintable():
        raise CorpusError(f"{deployment.import_path!r} cannot be imported: the path is empty or not printable")
    path = string_literal(deployment.import_path)
    return f"import {{{deployment.contract} as Contract{index}}} from {path};"


def _balances(test: FoundryTest) -> list[str]:
    return [f"        vm.deal({checksum_address(address_int(who))}, {amount});" for who, amount in test.balances]


def _deploy(index: int, deployment: FoundryDeployment) -> str:
    code = f"type(Contract{index}).creationCode"
    if deployment.arguments:
        code = f'abi.encodePacked({code}, hex"{deployment.arguments.hex()}")'
    return f"        _deploy({checksum_address(address_int(deployment.address))}, {code}, {deployment.value});"


def _body(test: FoundryTest, abi_of: AbiLookup) -> list[str]:
    checked = len(test.sequence) - 1 if isinstance(test.check, AssertionCheck | OverflowCheck) else -1
    lines: list[str] = []
    for index, transaction in enumerate(test.sequence):
        lines += _transaction(index, transaction, abi_of, checked=index == checked)
    return lines + _verdict(test.check)


def _transaction(index: int, transaction: Transaction, abi_of: AbiLookup, *, checked: bool) -> list[str]:
    lines = []
    if transaction.seconds or transaction.blocks:
        lines.append(f"        _wait({transaction.seconds}, {transaction.blocks});")
    if transaction.is_wait:
        return lines
    abi = abi_of(transaction.to)
    result = "(bool success, bytes memory result) = " if checked else ""
    return [
        f"        // {index + 1}. {_comment(format_calldata(abi, transaction.data))}",
        *lines,
        *(["        vm.recordLogs();"] if checked else []),
        f"        {result}_send(",
        f"            {checksum_address(address_int(transaction.sender))},",
        f"            {checksum_address(address_int(transaction.to))},",
        f"            {transaction.wei},",
        f"            {transaction.gas},",
        f"            {call_expression(abi, transaction.data)}",
        "        );",
    ]


def _verdict(check: Check) -> list[str]:
    match check:
        case AssertionCheck():
            return ['        assertFalse(_assertionFailed(success, result), "the last call fails an assertion");']
        case OverflowCheck():
            panic = 'keccak256(abi.encodeWithSignature("Panic(uint256)", uint256(0x11)))'
            return [f'        assertFalse(!success && keccak256(result) == {panic}, "the last call overflows");']
        case PropertyCheck(signature, sender, expects_revert, gas):
            message = string_literal(f"{signature} does not revert" if expects_revert else f"{signature} is not true")
            holds = "!success" if expects_revert else "success && result.length == 32 && abi.decode(result, (bool))"
            return [*_observe(signature, sender, gas), f"        assertTrue({holds}, {message});"]
        case OptimizationCheck(signature, sender, value, gas):
            return [
                *_observe(signature, sender, gas),
                f'        assertTrue(!success || abi.decode(result, (int256)) < {value}, "the value is reached");',
            ]
        case _:
            assert_never(check)


def _observe(signature: str, sender: bytes, gas: int) -> list[str]:
    call = f"abi.encodeWithSignature({string_literal(signature)})"
    who = checksum_address(address_int(sender))
    return [f"        (bool success, bytes memory result) = _send({who}, TARGET, 0, {gas}, {call});"]


def _failure_events(abi: ContractAbi | None) -> str:
    topics = {event_topic(signature) for signature in _FAILURE_EVENTS}
    topics |= {event.topic0 for event in abi.events if event.name == "AssertionFailed"} if abi is not None else set()
    return " || ".join(f"topic == 0x{topic.hex()}" for topic in sorted(topics))


def _comment(text: str) -> str:
    """One printable line, so that nothing in it can end the comment."""
    return shortened(one_line(text), MAX_COMMENT)
