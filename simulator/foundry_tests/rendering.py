"""Foundry tests that replay a sequence against a fresh deployment.

A test fails as long as the fault is there and passes once it is mended, so it can stay in the project as a regression
test. It sets the world that the campaign had, contracts stand at their addresses of the campaign, and each call has
its own sender, value, gas limit and delay; calls are low-level, so that one that reverts does not end the sequence.
Compiles with solc 0.6.2 and later; needs no library.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from simulator.abi.hashing import checksum_address
from simulator.abi.text import format_calldata
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.errors import CorpusError
from simulator.forks import fork_named
from simulator.foundry_tests import replay_library
from simulator.foundry_tests.literals import call_expression, string_literal
from simulator.foundry_tests.model import (
    CALL_CHECKS,
    FORK_VARIABLE,
    AssertionCheck,
    DestructionCheck,
    EventCheck,
    ExportedDeployment,
    ExportedWorld,
    FoundryTest,
    InvariantCheck,
    SuccessCheck,
)
from simulator.foundry_tests.verdicts import before_last_call, last_call_wanted, verdict
from simulator.initialization import InitialStep
from simulator.printable import one_line, shortened
from simulator.transaction import Transaction, address_int

MAX_COMMENT = 110
FUNCTION = "test_reproduce"
TEST_ADDRESS = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496
"""Where forge puts a test contract."""
VERDICTS = ("// Verified: ", "// Unverified: ")
"""How the line begins that says what executing the test came to."""
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_INDENT = " " * 8


def reproducer_identifier(test: FoundryTest) -> str:
    """Letters, digits and underscores, unique for a test's name, its reproducer and its target; names contract and
    file. Two harnesses of one name in two files may share a folder, and a sequence."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", test.name).strip("_")[:60]
    target = f"{test.target.import_path}:{test.target.contract}"
    identity = f"{sequence_hash(test.sequence)}\0{target}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain or 'test'}_{digest[:12]}"


def contract_name(test: FoundryTest) -> str:
    """The contract that holds `test_reproduce`."""
    return f"Reproducer_{reproducer_identifier(test)}"


def file_name(test: FoundryTest) -> str:
    """The file in the folder of exported tests."""
    return f"Test.{reproducer_identifier(test)}.sol"


def render_foundry_test(test: FoundryTest, abi_of: AbiLookup, verification: str = "") -> str:
    """The source of the test. `abi_of` gives the ABIs that calls are decoded with; `verification` is a sentence for its
    header that says whether the test was executed.

    Raises `CorpusError` when there is no deployment, or a path or a name that cannot stand in Solidity source.
    """
    if not test.deployments:
        raise CorpusError("a Foundry test needs at least one contract to deploy")
    text = _TEMPLATE.format(
        imports="\n".join(_imports(test)),
        header="\n".join(_header(test, verification)),
        isolation="" if test.world.gas_price or test.world.block.base_fee else _ISOLATION,
        library=_library(test),
        caller=replay_library.CALLER if test.pranks_inside else "",
        contract=contract_name(test) + (f" is Contract{test.target_index}" if test.inherits else ""),
        constants="" if test.inherits else _constants(test),
        setup="" if test.inherits or takes_own_address(test) else _SETUP.format(body=_indented(_set_up(test))),
        body=_indented([*_before_calls(test), *_body(test, abi_of)]),
    )
    return text + replay_library.cheatcodes(text)


_TEMPLATE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;
pragma experimental ABIEncoderV2;

{imports}
{header}

{isolation}contract {contract} {{
{constants}{setup}    function test_reproduce() public {{
{body}
    }}
}}

library Replay {{
{library}}}

{caller}"""

# Each call is a transaction of its own, as in the campaign: storage is cold, and transient storage empty. forge takes
# price and base fee for 0 then.
_ISOLATION = "/// forge-config: default.isolate = true\n"

_SETUP = """\
    function setUp() public {{
{body}
    }}

"""


def _indented(lines: list[str]) -> str:
    return "\n".join(_INDENT + line for line in lines)


def _header(test: FoundryTest, verification: str) -> Iterator[str]:
    yield f"// Written by Monotreme for {_comment(f'{test.name} of {test.target.contract}')}."
    if test.check is None:
        yield "// It makes the calls and checks nothing: put what must hold at the end."
    else:
        yield "// The test fails as long as the fault is there."
    yield f"// {one_line(verification) if verification else 'Unverified: it was not executed.'}"
    if any(item.by_name for item in test.deployments):
        yield "// To run it with the settings and sources beside it: forge test"
    else:
        yield f"// To run it with the settings in foundry.toml: forge test --match-path '{file_name(test)}'"
    if not test.world.fork:
        yield f"// To run it elsewhere, add --block-gas-limit {test.world.block.gas_limit}"
    if test.world.code_size_limit is not None:
        yield f"// and --code-size-limit {test.world.code_size_limit}"
    if test.world.fork:
        yield f"// It reads the forked chain from the node whose URL {FORK_VARIABLE} holds."


def _imports(test: FoundryTest) -> Iterator[str]:
    for index, deployment in enumerate(test.deployments):
        if deployment.code:
            continue
        if not _NAME.fullmatch(deployment.contract):
            raise CorpusError(f"{deployment.contract!r} cannot be the name of a contract")
        if not deployment.import_path or not deployment.import_path.isprintable():
            raise CorpusError(f"{deployment.import_path!r} cannot be imported: the path is empty or not printable")
        if not deployment.by_name:
            path = string_literal(deployment.import_path)
            yield f"import {{{deployment.contract} as Contract{index}}} from {path};"
    yield ""


def _constants(test: FoundryTest) -> str:
    return (
        f"    address private constant DEPLOYER = {_address(test.deployer)};\n"
        f"    address private constant TARGET = {_address(test.target.address)};\n\n"
    )


def takes_own_address(test: FoundryTest) -> bool:
    """Return whether the campaign had a contract where forge puts the test. It then takes that place while
    `test_reproduce` runs, whose own code continues to its end."""
    return not test.inherits and any(address_int(item.address) == TEST_ADDRESS for item in test.deployments)


def _before_calls(test: FoundryTest) -> list[str]:
    if test.inherits:
        return ["address TARGET = address(this);"]
    if takes_own_address(test):
        return ["Replay.vm.deal(address(this), 0);", *_set_up(test)]
    return []


def _set_up(test: FoundryTest) -> list[str]:
    return [
        *_world(test.world),
        *([] if test.world.fork else ["Replay.vm.setNonceUnsafe(DEPLOYER, 0);"]),
        *(f"Replay.fund({_address(who)}, {amount});" for who, amount in test.balances),
        *(map(_initial, test.initial)),
        *(_deploy(index, item) for index, item in enumerate(test.deployments)),
        *(["Replay.setUp(DEPLOYER, TARGET);"] if test.runs_set_up else []),
    ]


def _world(world: ExportedWorld) -> Iterator[str]:
    block, rules = world.block, fork_named(world.evm_version)
    if world.fork is not None:
        yield f'Replay.vm.createSelectFork(Replay.vm.envString("{FORK_VARIABLE}"), {world.fork.number});'
    yield f"Replay.vm.chainId({block.chain_id});"
    yield f"Replay.vm.roll({block.number});"
    yield f"Replay.vm.warp({block.timestamp});"
    if rules.merged:
        yield f"Replay.vm.prevrandao(bytes32(uint256({block.prevrandao})));"
    else:
        yield f"Replay.vm.difficulty({block.prevrandao});"
    yield f"Replay.vm.fee({block.base_fee});"
    if rules.order >= fork_named("cancun").order:
        yield f"Replay.vm.blobBaseFee({block.blob_base_fee});"
    yield f"Replay.vm.coinbase({checksum_address(block.coinbase)});"
    yield f"Replay.vm.txGasPrice({world.gas_price});"


def _deploy(index: int, deployment: ExportedDeployment) -> str:
    if deployment.code:
        code = f'hex"{deployment.code.hex()}"'
    elif deployment.by_name:
        code = f"Replay.vm.getCode({string_literal(f'{deployment.import_path}:{deployment.contract}')})"
    else:
        code = f"type(Contract{index}).creationCode"
    if deployment.arguments:
        code = f'abi.encodePacked({code}, hex"{deployment.arguments.hex()}")'
    return f"Replay.deploy(DEPLOYER, {_address(deployment.address)}, {code}, {deployment.value});"


def _initial(step: InitialStep) -> str:
    sender, code = _address(step.sender or bytes(20)), f'hex"{step.data.hex()}"'
    value = int.from_bytes(step.value)
    if step.creates:
        return f"Replay.deploy({sender}, {_address(step.to)}, {code}, {value});"
    if step.to:
        return f"Replay.callInitially({sender}, {_address(step.to)}, {value}, {code});"
    return f"Replay.wait_({step.seconds}, {step.blocks});"


def _library(test: FoundryTest) -> str:
    library = replay_library
    parts = [library.SEND.replace("$CALL", library.BY_CALLER if test.pranks_inside else library.BY_PRANK)]
    if not test.inherits:
        # On a forked chain, accounts keep what they have there.
        parts.append(library.DEPLOY.replace("$FUND", library.KEEP_FUNDS if test.world.fork else library.SET_FUNDS))
    if test.initial:
        parts.append(library.CALL_INITIALLY)
    if isinstance(test.check, AssertionCheck | EventCheck):
        topics = " || ".join(f"topic == 0x{topic.hex()}" for topic in test.topics) or "topic == bytes32(0)"
        parts.append(library.EVENTS.replace("$TOPICS", topics))
    if isinstance(test.check, AssertionCheck):
        parts.append(library.ASSERTION)
        codes = " || ".join(f"code == {code}" for code in test.check.panics if code != 1)
        parts.append(library.PANIC.replace("$CODES", codes) if codes else "")
    if isinstance(test.check, AssertionCheck | InvariantCheck):
        parts.append(library.ASSERTION_DATA)
    if isinstance(test.check, DestructionCheck):
        parts.append(library.DESTRUCTION.replace("$SELFDESTRUCT", str(library.SELFDESTRUCT_KIND)))
    if isinstance(test.check, SuccessCheck | InvariantCheck):
        parts.append(library.MARKED)
    return "".join(parts)


def _body(test: FoundryTest, abi_of: AbiLookup) -> list[str]:
    last = len(test.sequence) - 1
    has_last_call = last >= 0 and not test.sequence[last].is_wait
    checked = last if isinstance(test.check, (*CALL_CHECKS, InvariantCheck)) else -1
    lines: list[str] = []
    for index, transaction in enumerate(test.sequence):
        lines += _transaction(index, transaction, abi_of, test, is_checked=index == checked)
    return lines if test.check is None else lines + verdict(test.check, has_last_call=has_last_call)


def _transaction(
    index: int, transaction: Transaction, abi_of: AbiLookup, test: FoundryTest, *, is_checked: bool
) -> list[str]:
    lines = []
    if transaction.seconds or transaction.blocks:
        lines.append(f"Replay.wait_({transaction.seconds}, {transaction.blocks});")
    if transaction.is_wait:
        return lines
    abi = abi_of(transaction.to)
    return [
        f"// {index + 1}. {_comment(format_calldata(abi, transaction.data))}",
        *lines,
        *(before_last_call(test.check) if is_checked and test.check else []),
        f"{last_call_wanted(test.check) if is_checked and test.check else ''}Replay.send(",
        f"    {_address(transaction.sender)},",
        f"    {_callee(transaction.to, test)},",
        f"    {transaction.wei},",
        f"    {transaction.gas},",
        f"    {call_expression(abi, transaction.data)}",
        ");",
    ]


def _callee(address: bytes, test: FoundryTest) -> str:
    return "TARGET" if address == test.target.address else _address(address)


def _address(address: bytes) -> str:
    return checksum_address(address_int(address))


def _comment(text: str) -> str:
    """One printable line, so that nothing in it can end the comment."""
    return shortened(one_line(text), MAX_COMMENT)
