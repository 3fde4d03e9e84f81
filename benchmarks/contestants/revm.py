"""The same calls on revm, driven from Python through pyrevm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.contestants.replay import Outcome
from benchmarks.measuring.errors import BenchmarkError
from simulator.evm.kernel.calls import calls
from simulator.evm.machine import Machine
from simulator.evm.replay import RecordedCall

try:
    import pyrevm

    AVAILABLE = True
except ImportError:  # a test dependency
    AVAILABLE = False

RICH = 1 << 160
GAS_LIMIT = 2**63
BASE_GAS, ZERO_BYTE_GAS, OTHER_BYTE_GAS = 21_000, 4, 16


def hex_address(address: int) -> str:
    return f"0x{address:040x}"


class RevmReplay:
    """Sequences on a copy of a machine's present state. No coverage, no comparisons: pyrevm has neither."""

    def __init__(self, machine: Machine, sequences: Sequence[Sequence[RecordedCall]]) -> None:
        self._evm: Any = pyrevm.EVM(gas_limit=GAS_LIMIT, spec_id=machine.fork.name.upper())
        _copy_state(machine, self._evm)
        self._evm.set_block_env(
            pyrevm.BlockEnv(
                number=machine.number,
                timestamp=machine.timestamp,
                prevrandao=bytes(32),
                gas_limit=GAS_LIMIT,
            )
        )
        for sender in {call.sender for sequence in sequences for call in sequence}:
            # The kernel mints what a campaign's calls carry; here it is taken from the sender.
            self._evm.set_balance(hex_address(sender), RICH)
        self._sequences = [[_arguments(call) for call in sequence] for sequence in sequences]
        self.calls = sum(map(len, sequences))

    def outcomes(self) -> list[list[Outcome]]:
        """Every call's outcome."""
        found = []
        for sequence in self._sequences:
            checkpoint = self._evm.snapshot()
            found.append([self._play(arguments) for arguments in sequence])
            self._evm.revert(checkpoint)
        return found

    def run(self) -> int:
        """Execute all sequences, each from the same state; the number of calls that succeeded."""
        evm, succeeded = self._evm, 0
        call = evm.message_call
        for sequence in self._sequences:
            checkpoint = evm.snapshot()
            for arguments in sequence:
                try:
                    call(**arguments)
                    succeeded += 1
                except RuntimeError:  # how pyrevm reports a call that did not succeed
                    pass
            evm.revert(checkpoint)
        return succeeded

    def _play(self, arguments: dict[str, Any]) -> Outcome:
        try:
            return Outcome(True, bytes(self._evm.message_call(**arguments)))
        except RuntimeError as error:
            text = str(error)
        if not text.startswith(("Revert", "Halt")):
            raise BenchmarkError(f"pyrevm refuses a call: {text}")
        return Outcome(False, bytes.fromhex(text.partition("output: 0x")[2].partition(" ")[0]))


def compare_outcomes(name: str, ours: list[list[Outcome]], theirs: list[list[Outcome]]) -> int:
    """The number of calls that succeeded in both. Raises `BenchmarkError` at the first call that ended differently."""
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        for index, (left, right) in enumerate(zip(mine, other, strict=True)):
            if left != right:
                raise BenchmarkError(f"{name}, sequence {number}, call {index}: the kernel has {left}, revm {right}")
    return sum(outcome.success for sequence in ours for outcome in sequence)


def _copy_state(machine: Machine, evm: Any) -> None:
    owners = {}
    for record in machine.accounts.all_records():
        if record.kind != calls.ORDINARY:
            continue
        number = record.address
        owners[record.storage_id] = hex_address(number)
        # The stub of AccountInfo lacks the balance that the class takes.
        make_info: Any = pyrevm.AccountInfo
        info = make_info(
            balance=machine.get_balance(number), nonce=machine.get_nonce(number), code=machine.get_code(number)
        )
        evm.insert_account_info(hex_address(number), info)
    for owner, key, value in machine.accounts.all_slots():
        if owner in owners:
            evm.insert_account_storage(owners[owner], key, value)


def _arguments(call: RecordedCall) -> dict[str, Any]:
    """`gas` of a record is for execution alone; a transaction pays its calldata too."""
    zeros = call.data.count(0)
    intrinsic = BASE_GAS + ZERO_BYTE_GAS * zeros + OTHER_BYTE_GAS * (len(call.data) - zeros)
    return {
        "caller": hex_address(call.sender),
        "to": hex_address(call.to),
        "calldata": call.data,
        "value": call.value,
        "gas": call.gas + intrinsic,
    }


def require_equal_counts(name: str, compared: int, kernel: int, revm: int) -> None:
    """The timed runs do what the compared ones did. Raises `BenchmarkError` otherwise."""
    if not compared == kernel == revm:
        raise BenchmarkError(
            f"{name}: {compared} calls succeed one by one, {kernel} in the kernel's run, {revm} in revm's"
        )
