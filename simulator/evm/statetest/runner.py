"""Runs cases and sums up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from simulator.errors import TargetError
from simulator.evm.forks import Fork, fork_named
from simulator.evm.kernel_loader import Kernel
from simulator.evm.machine import BlockEnvironment, Machine
from simulator.evm.statetest.cases import BlockInput, Case, StateTestError, read_cases
from simulator.evm.statetest.execution import execute, touch
from simulator.evm.statetest.intrinsic import blob_base_fee
from simulator.evm.statetest.state import logs_hash, state_root

DEFAULT_BASE_FEE = 10
MEMORY_BYTES = 2 << 30  # one test calls 1024 deep with a megabyte each


class CaseResult(msgspec.Struct, frozen=True):
    """`passed` None means skipped; `reason` then says why, else what differs."""

    file: str
    name: str
    fork: str
    passed: bool | None
    reason: str = ""


class Summary(msgspec.Struct, frozen=True):
    """Counts over all cases; `line` is the closing line."""

    passed: int
    failed: int
    skipped: int

    @property
    def line(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def block_environment(fork: Fork, block: BlockInput) -> BlockEnvironment:
    """The block of a case as a machine takes it."""
    random = block.random if fork.merged and block.random is not None else block.difficulty
    base_fee = DEFAULT_BASE_FEE if block.base_fee is None else block.base_fee
    return BlockEnvironment(
        number=block.number,
        timestamp=block.timestamp,
        coinbase=block.coinbase,
        prevrandao=random,
        gas_limit=block.gas_limit,
        base_fee=base_fee if fork.base_fee else 0,
        blob_base_fee=blob_base_fee(fork, block),
        chain_id=1,
    )


def machine_for(kernel: Kernel, fork: Fork, case: Case) -> Machine:
    """A machine with the case's block and state, without addresses of the host."""
    machine = Machine(
        kernel,
        fork=fork,
        host_addresses=False,
        chain=block_environment(fork, case.block),
        memory_bytes=MEMORY_BYTES,
    )
    for address, state in case.pre.items():
        machine.set_account(address, balance=state.balance, nonce=state.nonce, code=state.code, storage=state.storage)
    return machine


def run_case(kernel: Kernel, case: Case) -> CaseResult:
    """Execute one case on a fresh machine and compare state root and logs hash."""
    try:
        fork = fork_named(case.fork)
    except TargetError:
        return CaseResult(case.file, case.title, case.fork, None, f"fork {case.fork} is unknown")
    machine = machine_for(kernel, fork, case)
    valid = execute(machine, fork, case.block, case.transaction)
    touch(machine, case.block.coinbase)
    logs = tuple(machine.logs()) if valid else ()
    problems = []
    if valid == case.expects_exception:
        problems.append("the transaction was accepted" if valid else "the transaction was refused")
    if (root := state_root(machine, keep_empty=not fork.removes_empty)) != case.state_root:
        problems.append(f"state root 0x{root.hex()}, expected 0x{case.state_root.hex()}")
    if (digest := logs_hash(logs)) != case.logs_hash:
        problems.append(f"logs hash 0x{digest.hex()}, expected 0x{case.logs_hash.hex()}")
    return CaseResult(case.file, case.title, case.fork, not problems, "; ".join(problems))


def files_under(paths: Iterable[Path]) -> Iterator[Path]:
    """The given files, and all `.json` files below the given folders, in order. Raises `StateTestError`."""
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.json"))
        elif path.is_file():
            yield path
        else:
            raise StateTestError(f"{path}: no such file or folder")


def run_paths(kernel: Kernel, paths: Iterable[Path], fork: str | None, report: Callable[[CaseResult], None]) -> Summary:
    """Run all cases under the paths, those of one fork when it is given; `report` gets each result as it comes.

    A file that is not a state test counts as one failure.
    """
    passed = failed = skipped = 0
    for path in files_under(paths):
        try:
            results = [
                run_case(kernel, case) for case in read_cases(path) if fork is None or case.fork.lower() == fork.lower()
            ]
        except StateTestError as error:
            results = [CaseResult(str(path), path.name, "", False, str(error))]
        for result in results:
            report(result)
            passed += result.passed is True
            failed += result.passed is False
            skipped += result.passed is None
    return Summary(passed, failed, skipped)
