"""Runs cases and sums up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from simulator.errors import KernelError, TargetError
from simulator.evm.block import BlockEnvironment
from simulator.evm.compiled.installation import CompiledCodes
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.machine_memory import CALLDATA_BYTES
from simulator.evm.statetest.cases import (
    BlockInput,
    Case,
    StateTestError,
    cases_of_test,
    looks_like_tests,
    other_format,
)
from simulator.evm.statetest.execution import execute, touch
from simulator.evm.statetest.fork_names import fork_of_test, usual_name
from simulator.evm.statetest.intrinsic import blob_base_fee
from simulator.evm.statetest.state import logs_hash, state_root
from simulator.evm.statetest.values import NoTestError, read_document
from simulator.forks import Fork

COMPILE_ALL = "MONOTREME_COMPILE_ALL"
DEFAULT_BASE_FEE = 10
MAX_GAS = (1 << 63) - 1
MAX_CALLDATA = CALLDATA_BYTES - 64
MAX_BLOB_FEE_EXPONENT = 176  # e ** 176 < 2 ** 256
MEMORY_BYTES = 2 << 30  # one test calls 1024 deep with a megabyte each


class CaseResult(msgspec.Struct, frozen=True):
    """`passed` None means skipped; `reason` then says why, else what differs.

    `name` is the case's title, `test` and `indexes` its parts. `state_root` and `logs_hash` are what the run came to,
    empty when it did not run.
    """

    file: str
    name: str
    fork: str
    passed: bool | None
    reason: str = ""
    state_root: bytes = b""
    logs_hash: bytes = b""
    test: str = ""
    indexes: tuple[int, int, int] = (0, 0, 0)


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
        chain_id=block.chain_id,
    )


def machine_for(kernel: Kernel, fork: Fork, case: Case) -> Machine:
    """A machine with the case's block and state, without addresses of the host.

    With MONOTREME_COMPILE_ALL=1 in the environment it compiles every code to native code before running it.
    """
    machine = Machine(
        kernel,
        Host,
        fork=fork,
        host_addresses=False,
        chain=block_environment(fork, case.block),
        memory_bytes=MEMORY_BYTES,
    )
    if os.environ.get(COMPILE_ALL) == "1":
        CompiledCodes(machine).compile_everything()
    for address, state in case.pre.items():
        machine.set_account(address, balance=state.balance, nonce=state.nonce, code=state.code, storage=state.storage)
    return machine


def fork_of(case: Case) -> Fork:
    """The fork with the blob schedule that the file gives it. Raises `TargetError` when it is not known."""
    fork = fork_of_test(case.fork, case.block)
    return replace(fork, blob_schedule=case.blob_schedule) if case.blob_schedule and fork.blob_schedule[2] else fork


def skip_reason(case: Case) -> str:
    """Why this program cannot run a case, or nothing."""
    try:
        fork = fork_of(case)
    except TargetError:
        return f"fork {case.fork} is not known"
    if MAX_GAS < case.transaction.gas_limit <= case.block.gas_limit:
        return f"a gas limit above {MAX_GAS} is not supported"
    if len(case.transaction.data) > MAX_CALLDATA:
        return f"calldata of more than {MAX_CALLDATA} bytes is not supported"
    if (case.block.excess_blob_gas or 0) > MAX_BLOB_FEE_EXPONENT * (fork.blob_schedule[2] or 1):
        return "the blob base fee does not fit 256 bits"
    return ""


def run_case(kernel: Kernel, case: Case) -> CaseResult:
    """Execute one case on a fresh machine and compare state root and logs hash."""
    if reason := skip_reason(case):
        return _result(case, None, reason)
    fork = fork_of(case)
    try:
        machine = machine_for(kernel, fork, case)
        valid = execute(machine, fork, case.block, case.transaction)
    except KernelError as error:
        return _result(case, False, str(error))
    touch(machine, fork, case.block.coinbase)
    root = state_root(machine, keep_empty=not fork.removes_empty)
    digest = logs_hash(machine.logs() if valid else ())
    problems = _problems(case, valid, root, digest)
    return _result(case, not problems, "; ".join(problems), root, digest)


def _result(case: Case, passed: bool | None, reason: str, root: bytes = b"", digest: bytes = b"") -> CaseResult:
    return CaseResult(case.file, case.title, case.fork, passed, reason, root, digest, case.name, case.indexes)


def _problems(case: Case, valid: bool, root: bytes, digest: bytes) -> list[str]:
    problems = []
    if valid == case.expects_exception:
        problems.append("the transaction was accepted" if valid else "the transaction was refused")
    if root != case.state_root:
        problems.append(f"state root 0x{root.hex()}, expected 0x{case.state_root.hex()}")
    if digest != case.logs_hash:
        problems.append(f"logs hash 0x{digest.hex()}, expected 0x{case.logs_hash.hex()}")
    return problems


def run_file(kernel: Kernel, path: Path, fork: str | None) -> Iterator[CaseResult]:
    """All cases of a file, or those of one fork by any of its names. Raises `StateTestError` when it is not a state
    test, `NoTestError` when it is no test at all."""
    document = read_document(path)
    try:
        for name, test in document.members():
            if kind := other_format(test):
                yield CaseResult(str(path), name, "", None, f"it is a {kind}, not a state test", test=name)
                continue
            for case in cases_of_test(str(path), name, test):
                if fork is None or usual_name(case.fork) == usual_name(fork):
                    yield run_case(kernel, case)
    except StateTestError as error:
        if looks_like_tests(document):
            raise
        raise NoTestError(str(error)) from error


def files_under(paths: Iterable[Path]) -> Iterator[Path]:
    """The given files, and all `.json` files below the given folders, in order, those in hidden folders left out.
    Raises `StateTestError`."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.json") if not _is_hidden(file.relative_to(path)))
        elif path.is_file():
            yield path
        else:
            raise StateTestError(f"{path}: no such file or folder")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
