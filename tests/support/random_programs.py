"""Random EVM programs for differential tests, built from small integers so that hypothesis can shrink them.

Each statement is made from one number, its recipe: equal recipes give equal statements, a program is a list of
them, and a failing program shrinks to the few statements that matter.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from simulator.evm.assembly import assemble

SENDER, MAIN, OTHER, THIRD = 0x5E4DE7, 0xC0DE, 0x07E4, 0x3D3D
# revm's Python package executes by the rules of Cancun whatever fork it is asked for; the official state tests judge
# the other forks.
FORK = "cancun"
EDGES = [0, 1, 2, 31, 32, 33, 64, 255, 256, 2**32, 2**64 - 1, 2**128, 2**255 - 1, 2**255, 2**256 - 1]
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
    "ORIGIN",
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
    "CHAINID",
    "BASEFEE",
    "PUSH0",
    "GASLIMIT",
    "COINBASE",
]
# Valid inputs, so that more than the failure of a precompile is compared.
SIGNATURE = (
    "456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3"
    "000000000000000000000000000000000000000000000000000000000000001c"
    "9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608"
    "4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada"
)
ONE_TWO = f"{1:064x}{2:064x}"
POWER = f"{1:064x}{1:064x}{32:064x}03fd{2**256 - 2**32 - 977:064x}"
BLAKE = (
    f"{3:08x}"
    + "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" * 2
    + "61" * 128
    + "03"
    + "00" * 15
    + "01"
)
PRECOMPILE_INPUTS = {
    1: SIGNATURE,
    2: "00ff" * 20,
    3: "aa" * 33,
    4: "0102030405",
    5: POWER,
    6: ONE_TWO * 2,
    7: ONE_TWO + f"{7:064x}",
    9: BLAKE,
}


@dataclass(frozen=True)
class Scenario:
    """Three contracts that call each other, and the transaction sent to the first."""

    codes: dict[int, bytes]
    data: bytes
    wei: int

    def __repr__(self) -> str:
        codes = ", ".join(f"{address:#x}: bytes.fromhex('{code.hex()}')" for address, code in self.codes.items())
        return f"Scenario({{{codes}}}, bytes.fromhex('{self.data.hex()}'), {self.wei})"


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


def precompile_call(rng: random.Random) -> str:
    number = rng.choice(list(PRECOMPILE_INPUTS))
    data = bytearray.fromhex(PRECOMPILE_INPUTS[number])
    if rng.random() < 0.3:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    words = [bytes(data[at : at + 32]).ljust(32, b"\0").hex() for at in range(0, len(data), 32)]
    stored = " ".join(f"0x{word} {32 * at} MSTORE" for at, word in enumerate(words))
    size = rng.choice([len(data), len(data), max(0, len(data) - 1), len(data) + 7])
    gas = rng.choice(["GAS", "60000", "700"])
    return f"{stored} 64 0 {size} 0 {number} {gas} STATICCALL POP 0 MLOAD RETURNDATASIZE ADD"


def creation(rng: random.Random) -> str:
    endings = [
        "1 1 SSTORE",
        "0 0 RETURN",
        "32 0 RETURN",
        "0 0 REVERT",
        "INVALID",
        "CALLER SELFDESTRUCT",
        "0xef 0 MSTORE8 1 0 RETURN",
    ]
    runtime = assemble(rng.choice(endings))
    word = runtime.ljust(32, b"\0").hex()
    size = rng.choice([len(runtime), 32, 0])
    if rng.random() < 0.5:
        return f"0x{word} 0 MSTORE {size} 0 {rng.choice(['0', '1'])} CREATE"
    return f"0x{word} 0 MSTORE {rng.randrange(3)} {size} 0 0 CREATE2"


def statement(rng: random.Random) -> str:
    """Assembly that leaves one word on the stack."""
    choice = rng.randrange(18)
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
    if choice in (8, 9, 10):
        return f"{rng.choice(['0', value(rng)])} {rng.randrange(4)} {rng.choice(['SSTORE', 'SSTORE', 'TSTORE'])} 1"
    if choice == 11:
        topics = rng.randrange(5)
        return " ".join(value(rng) for _ in range(topics)) + f" {small(rng)} {small(rng)} LOG{topics} 2"
    if choice == 12:
        return f"{small(rng)} {small(rng)} KECCAK256"
    if choice == 13:
        copy = rng.choice(["CALLDATACOPY", "CODECOPY", "RETURNDATACOPY", "MCOPY"])
        size = "0" if copy == "RETURNDATACOPY" and rng.random() < 0.8 else small(rng)
        return f"{size} {small(rng) if copy != 'RETURNDATACOPY' else '0'} {small(rng)} {copy} 3"
    if choice == 14:
        return creation(rng)
    if choice == 15:
        return precompile_call(rng)
    return call(rng)


def line(recipe: int) -> str:
    """A statement whose result is stored, so that a wrong one shows in the state, or dropped."""
    rng = random.Random(recipe)
    text = statement(rng)
    return f"{text} {rng.randrange(8)} SSTORE" if rng.random() < 0.4 else f"{text} POP"


ENDINGS = ["STOP", "128 0 RETURN", "64 0 REVERT", f"{OTHER} SELFDESTRUCT", "ADDRESS SELFDESTRUCT", "INVALID"]


def programs(longest: int) -> st.SearchStrategy[bytes]:
    lines = st.lists(st.integers(0, 2**32 - 1).map(line), max_size=longest)
    return st.builds(lambda parts, ending: assemble(" ".join((*parts, ending))), lines, st.sampled_from(ENDINGS))


scenarios = st.builds(
    lambda main, other, third, data, wei: Scenario({MAIN: main, OTHER: other, THIRD: third}, data, wei),
    programs(14),
    programs(8),
    programs(5),
    st.binary(max_size=70),
    st.sampled_from((0, 0, 5)),
)
