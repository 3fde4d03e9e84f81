"""Second opinions on precompiled contracts: revm, and the official state tests where they lie beside the project."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyrevm
import pytest

from simulator.precompiles import PrecompileResult

STATE_TESTS = Path(__file__).resolve().parents[4] / "shared" / "evm-state-tests" / "state-tests.tar.xz"
CALLER = "0x" + "11" * 20
RELAY = "0x" + "22" * 20
AMPLE_GAS = 1 << 40


@pytest.fixture
def state_test() -> Callable[[str], dict[str, Any]]:
    """Reads one file of the official state tests, given its path below GeneralStateTests."""

    def read(name: str) -> dict[str, Any]:
        if not STATE_TESTS.is_file():
            pytest.skip("the official state tests are not beside this checkout")
        with tarfile.open(STATE_TESTS) as archive:
            member = archive.extractfile(f"GeneralStateTests/{name}.json")
            assert member is not None
            content: dict[str, Any] = json.load(member)
            return content

    return read


def _relay_code(number: int) -> bytes:
    """Calls the precompile with the gas that the first word of calldata gives and with the rest as input; returns the
    success flag as a word, then the output."""
    copy_input = "6020 36 03 6020 6000 37"  # calldatacopy(0, 32, calldatasize - 32)
    call = f"6000 6000 6020 36 03 6000 61{number:04x} 6000 35 fa"  # staticcall(gas, number, 0, size, 0, 0)
    answer = "6000 52 3d 6000 6020 3e 6020 3d 01 6000 f3"
    return bytes.fromhex(copy_input + call + answer)


@pytest.fixture(scope="session")
def revm_precompile() -> Callable[[int, bytes, int, str], tuple[bool, bytes]]:
    """Calls a precompile in revm from a contract: success and output."""
    machines: dict[tuple[int, str], pyrevm.EVM] = {}

    def call(number: int, data: bytes, gas: int, fork: str) -> tuple[bool, bytes]:
        if (number, fork) not in machines:
            machine = machines[number, fork] = pyrevm.EVM(spec_id=fork.upper(), gas_limit=AMPLE_GAS)
            machine.insert_account_info(RELAY, pyrevm.AccountInfo(code=_relay_code(number)))
        answer = machines[number, fork].message_call(
            caller=CALLER, to=RELAY, calldata=gas.to_bytes(32, "big") + data, gas=AMPLE_GAS
        )
        return answer[31] == 1, bytes(answer[32:])

    return call


@pytest.fixture(scope="session")
def agree(revm_precompile: Callable[..., tuple[bool, bytes]]) -> Callable[[int, bytes, str], PrecompileResult]:
    """Asserts that revm and ours agree on an input: outcome, output, and the gas to the last unit. Returns ours."""
    from simulator.precompiles import run_precompile

    def check(number: int, data: bytes, fork: str, gas: int = 30_000_000) -> PrecompileResult:
        ours = run_precompile(number, data, gas, fork)
        assert revm_precompile(number, data, gas, fork) == (ours.success, ours.output)
        if ours.success:
            assert revm_precompile(number, data, ours.gas_used, fork)[0]
            if ours.gas_used:
                assert not revm_precompile(number, data, ours.gas_used - 1, fork)[0]
                assert not run_precompile(number, data, ours.gas_used - 1, fork).success
        return ours

    return check
