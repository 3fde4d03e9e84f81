"""Random programs on the kernel and on revm: status, output, gas, logs and storage agree."""

from __future__ import annotations

import random

import pyrevm
import pytest

from simulator.evm.assembly import assemble
from simulator.evm.kernel_loader import Kernel
from simulator.evm.machine import BlockEnvironment, Machine
from simulator.evm.results import Result

SENDER, MAIN, OTHER, THIRD = 0x5E4DE7, 0xC0DE, 0x07E4, 0x3D
GAS = 400_000
INTRINSIC = 21_000
EDGES = [0, 1, 2, 31, 32, 33, 64, 255, 256, 2**32, 2**64 - 1, 2**128, 2**255, 2**256 - 1]
UNARY = [
    "ISZERO",
    "NOT",
    "CALLDATALOAD",
    "MLOAD",
    "SLOAD",
    "TLOAD",
    "BALANCE",
    "EXTCODESIZE",
    "EXTCODEHASH",
    "BLOCKHASH",
]
BINARY = [
    "ADD",
    "MUL",
    "SUB",
    "DIV",
    "SDIV",
    "MOD",
    "SMOD",
    "EXP",
    "SIGNEXTEND",
    "LT",
    "GT",
    "SLT",
    "SGT",
    "EQ",
    "AND",
    "OR",
    "XOR",
    "BYTE",
    "SHL",
    "SHR",
    "SAR",
]
NULLARY = [
    "ADDRESS",
    "CALLER",
    "CALLVALUE",
    "CALLDATASIZE",
    "CODESIZE",
    "RETURNDATASIZE",
    "GAS",
    "PC",
    "MSIZE",
    "NUMBER",
    "TIMESTAMP",
    "SELFBALANCE",
]
PROGRAMS = 300


def value(rng: random.Random) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        return str(rng.choice(EDGES))
    if kind == 1:
        return str(rng.randrange(100))
    if kind == 2:
        return str(rng.choice([MAIN, OTHER, THIRD, SENDER, 1, 2, 3, 4]))
    return hex(rng.getrandbits(rng.choice([8, 64, 160, 256])))


def small(rng: random.Random) -> str:
    return str(rng.randrange(0, 200))


def call(rng: random.Random) -> str:
    kind = rng.choice(["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE"])
    target = rng.choice([OTHER, THIRD, MAIN, 2, 3, 4, 5, rng.getrandbits(160)])
    wei = rng.choice(["0", "0", "1", "100000"]) if kind in ("CALL", "CALLCODE") else ""
    gas = rng.choice(["GAS", "30000", "0", "2300"])
    return f"{small(rng)} {small(rng)} {small(rng)} {small(rng)} {wei} {target} {gas} {kind}"


def creation(rng: random.Random) -> str:
    runtime = assemble(
        rng.choice(["1 1 SSTORE", "0 0 RETURN", "32 0 RETURN", "0 0 REVERT", "INVALID", "CALLER SELFDESTRUCT"])
    )
    word = runtime.ljust(32, b"\0").hex()
    size = rng.choice([len(runtime), 32, 0])
    if rng.random() < 0.5:
        return f"0x{word} 0 MSTORE {size} 0 {rng.choice(['0', '1'])} CREATE"
    return f"0x{word} 0 MSTORE {rng.randrange(3)} {size} 0 0 CREATE2"


def statement(rng: random.Random) -> str:
    choice = rng.randrange(16)
    if choice < 4:
        return f"{value(rng)} {value(rng)} {rng.choice(BINARY)}"
    if choice == 4:
        return f"{value(rng)} {value(rng)} {value(rng)} {rng.choice(['ADDMOD', 'MULMOD'])}"
    if choice == 5:
        return f"{rng.choice([small(rng), value(rng)])} {rng.choice(UNARY)}"
    if choice == 6:
        return rng.choice(NULLARY)
    if choice == 7:
        return f"{value(rng)} {small(rng)} {rng.choice(['MSTORE', 'MSTORE8'])} 0"
    if choice in (8, 9):
        return f"{rng.choice(['0', value(rng)])} {rng.randrange(4)} {rng.choice(['SSTORE', 'SSTORE', 'TSTORE'])} 1"
    if choice == 10:
        topics = rng.randrange(5)
        return " ".join(value(rng) for _ in range(topics)) + f" {small(rng)} {small(rng)} LOG{topics} 2"
    if choice == 11:
        return f"{small(rng)} {small(rng)} KECCAK256"
    if choice == 12:
        copy = rng.choice(["CALLDATACOPY", "CODECOPY", "RETURNDATACOPY", "MCOPY"])
        size = "0" if copy == "RETURNDATACOPY" and rng.random() < 0.8 else small(rng)
        return f"{size} {small(rng) if copy != 'RETURNDATACOPY' else '0'} {small(rng)} {copy} 3"
    if choice == 13:
        return creation(rng)
    return call(rng)


def program(rng: random.Random, length: int) -> bytes:
    parts = [statement(rng) for _ in range(rng.randrange(1, length))]
    # Results are stored, so that a wrong one shows in the state.
    body = " ".join(f"{part} {rng.randrange(8)} SSTORE" if rng.random() < 0.4 else f"{part} POP" for part in parts)
    ending = rng.choice(["128 0 RETURN", "64 0 REVERT", "STOP", "STOP", f"{OTHER} SELFDESTRUCT", "INVALID"])
    return assemble(f"{body} {ending}")


def run_revm(codes: dict[int, bytes], data: bytes, wei: int) -> tuple[pyrevm.EVM, bool, bytes]:
    evm = pyrevm.EVM(gas_limit=1 << 40, spec_id="CANCUN")
    evm.set_block_env(pyrevm.BlockEnv(number=300, timestamp=1000, gas_limit=1 << 40))
    evm.set_balance(hex_address(SENDER), 10**30)
    for address, code in codes.items():
        evm.insert_account_info(hex_address(address), pyrevm.AccountInfo(nonce=1, balance=1000, code=code))
    try:
        output = evm.message_call(
            caller=hex_address(SENDER), to=hex_address(MAIN), calldata=data, value=wei, gas=GAS + intrinsic(data)
        )
    except RuntimeError:
        return evm, False, b""
    return evm, True, bytes(output)


def hex_address(address: int) -> str:
    return f"0x{address:040x}"


def intrinsic(data: bytes) -> int:
    return INTRINSIC + sum(16 if byte else 4 for byte in data)


def run_kernel(kernel: Kernel, codes: dict[int, bytes], data: bytes, wei: int) -> tuple[Machine, Result]:
    machine = Machine(kernel, fork="cancun", host_addresses=False, chain=BlockEnvironment(number=300, timestamp=1000))
    machine.set_account(SENDER, balance=10**30)
    for address, code in codes.items():
        machine.set_account(address, nonce=1, balance=1000, code=code)
    return machine, machine.transact(sender=SENDER, to=MAIN, data=data, value=wei, gas=GAS, mint=False)


def disagreements(kernel: Kernel, seed: int) -> list[str]:
    """Where kernel and revm differ on the program of this seed."""
    rng = random.Random(seed)
    codes = {MAIN: program(rng, 14), OTHER: program(rng, 8), THIRD: program(rng, 5)}
    data = rng.randbytes(rng.randrange(70))
    wei = rng.choice([0, 0, 5])
    evm, success, output = run_revm(codes, data, wei)
    machine, result = run_kernel(kernel, codes, data, wei)
    found = []
    if success != result.success:
        return [f"seed {seed}: revm {success} {evm.result}, kernel {result.status.name}"]
    if success and output != result.output:
        found.append(f"seed {seed}: output {output.hex()} and {result.output.hex()}")
    spent = result.gas_used + intrinsic(data)
    refund = min(result.refund, spent // 5) if success else 0
    if evm.result.gas_used != spent - refund:
        found.append(f"seed {seed}: gas {evm.result.gas_used} and {spent - refund} ({result.status.name})")
    if success and len(evm.result.logs) != len(result.logs):
        found.append(f"seed {seed}: logs {len(evm.result.logs)} and {len(result.logs)}")
    for address in codes:
        for key in range(8):
            theirs, ours = evm.storage(hex_address(address), key), machine.get_storage(address, key)
            if theirs != ours:
                found.append(f"seed {seed}: slot {key} of {address:#x}: {theirs:#x} and {ours:#x}")
    return found


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_random_programs_agree_with_revm(first: int, compiled: Kernel) -> None:
    """Status, output, gas, number of logs and the slots of three contracts that call each other."""
    assert [text for seed in range(first, first + 50) for text in disagreements(compiled, seed)] == []


@pytest.mark.nightly
def test_many_random_programs_agree_with_revm(compiled: Kernel) -> None:
    """The same, 20,000 programs."""
    assert [text for seed in range(1_000_000, 1_020_000) for text in disagreements(compiled, seed)] == []
