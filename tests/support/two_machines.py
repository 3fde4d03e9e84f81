"""One scenario on the kernel and on revm, and where they differ."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyrevm

from simulator.evm.block import BlockEnvironment
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from tests.support.random_programs import FORK, SENDER, Scenario

GAS = 500_000
INTRINSIC = 21_000
SLOTS = range(8)
REVERTED = re.compile(r"Revert \{ gas_used: \d+, output: 0x([0-9a-f]*) \}")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a transaction. `gas` is what the sender pays for, intrinsic gas and refund included."""

    success: bool
    output: bytes
    gas: int
    logs: tuple[tuple[int, tuple[int, ...], bytes], ...]


State = dict[tuple[int, int], int]


def hex_address(address: int) -> str:
    return f"0x{address:040x}"


def run_revm(scenario: Scenario) -> tuple[Outcome, State]:
    """The outcome and the slots and balances (key -1) afterwards, by revm."""
    evm = pyrevm.EVM(gas_limit=1 << 40, spec_id=FORK.upper())
    evm.set_block_env(pyrevm.BlockEnv(number=300, timestamp=1000, gas_limit=1 << 40))
    evm.set_balance(hex_address(SENDER), 10**30)
    for address, code in scenario.codes.items():
        evm.insert_account_info(hex_address(address), pyrevm.AccountInfo(nonce=1, balance=1000, code=code))
    outcome = revm_transaction(evm, scenario)
    state: State = {
        (address, key): evm.storage(hex_address(address), key) for address in scenario.codes for key in SLOTS
    }
    return outcome, state | {(address, -1): evm.get_balance(hex_address(address)) for address in scenario.codes}


def revm_transaction(evm: pyrevm.EVM, scenario: Scenario) -> Outcome:
    sender, to = hex_address(SENDER), hex_address(next(iter(scenario.codes)))
    gas = GAS + intrinsic(scenario.data)
    try:
        output = bytes(evm.message_call(caller=sender, to=to, calldata=scenario.data, value=scenario.wei, gas=gas))
    except RuntimeError as error:
        reverted = REVERTED.fullmatch(str(error))
        output = bytes.fromhex(reverted[1]) if reverted else b""
    result = evm.result
    logs = tuple(
        (int(log.address, 16), tuple(int(topic, 16) for topic in log.topics), bytes(log.data[1])) for log in result.logs
    )
    return Outcome(result.is_success, output, result.gas_used, logs if result.is_success else ())


def run_kernel(kernel: Kernel, scenario: Scenario) -> tuple[Outcome, State]:
    """The same by the kernel."""
    block = BlockEnvironment(number=300, timestamp=1000, gas_limit=1 << 40)
    machine = Machine(kernel, Host, fork=FORK, host_addresses=False, chain=block)
    machine.set_account(SENDER, balance=10**30)
    for address, code in scenario.codes.items():
        machine.set_account(address, nonce=1, balance=1000, code=code)
    outcome = kernel_transaction(machine, scenario)
    state: State = {(address, key): machine.get_storage(address, key) for address in scenario.codes for key in SLOTS}
    return outcome, state | {(address, -1): machine.get_balance(address) for address in scenario.codes}


def kernel_transaction(machine: Machine, scenario: Scenario) -> Outcome:
    to = next(iter(scenario.codes))
    result = machine.transact(sender=SENDER, to=to, data=scenario.data, value=scenario.wei, gas=GAS, mint=False)
    spent = result.gas_used + intrinsic(scenario.data)
    gas = spent - (min(result.refund, spent // 5) if result.success else 0)  # EIP-3529
    logs = tuple((log.address, tuple(log.topics), bytes(log.data)) for log in result.logs) if result.success else ()
    return Outcome(result.success, bytes(result.output), gas, logs)


def intrinsic(data: bytes) -> int:
    return INTRINSIC + sum(16 if byte else 4 for byte in data)


def disagreements(kernel: Kernel, scenario: Scenario) -> list[str]:
    """Where kernel and revm differ, in words."""
    theirs, their_state = run_revm(scenario)
    ours, our_state = run_kernel(kernel, scenario)
    found = [
        f"{name}: {getattr(theirs, name)!r} in revm, {getattr(ours, name)!r} in the kernel"
        for name in ("success", "output", "gas", "logs")
        if getattr(theirs, name) != getattr(ours, name)
    ]
    return found + [
        f"{'balance' if key < 0 else f'slot {key}'} of {address:#x}: {their_state[address, key]:#x} in revm,"
        f" {our_state[address, key]:#x} in the kernel"
        for address, key in their_state
        if their_state[address, key] != our_state[address, key]
    ]
