"""The opcode table: byte, name, handler, stack effect, price, fork; and the decode table that the kernel reads."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.layout import decode_entry as entry
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import Word256
from simulator.forks import Fork

# Values of Fork.order.
FRONTIER, HOMESTEAD, BYZANTIUM, CONSTANTINOPLE, ISTANBUL = -6, -5, -2, -1, 1
LONDON, SHANGHAI, CANCUN, OSAKA = 3, 5, 6, 8
_ENTRY = struct.Struct("<8i")


@dataclass(frozen=True)
class Opcode:
    """One instruction. `value` is the fixed argument of its handler. `fork` is the first one that has it."""

    byte: int
    name: str
    pops: int
    pushes: int
    gas: int
    handler: str = ""
    operand: int = entry.NO_OPERAND
    value: int = 0
    ending: int = entry.CONTINUES
    static_handler: str = ""
    fork: int = FRONTIER

    @property
    def handler_name(self) -> str:
        return self.handler or self.name


def _environment(byte: int, name: str, field: Word256, gas: int = 2, fork: int = FRONTIER) -> Opcode:
    return Opcode(byte, name, 0, 1, gas, "ENVIRONMENT", entry.FIXED, field.offset, fork=fork)


def _block(byte: int, name: str, field: Word256, fork: int = FRONTIER) -> Opcode:
    return Opcode(byte, name, 0, 1, 2, "BLOCK_ENVIRONMENT", entry.FIXED, field.offset, fork=fork)


def _call(byte: int, name: str, pops: int, kind: int, fork: int = FRONTIER) -> Opcode:
    return Opcode(byte, name, pops, 1, 0, "CALL", entry.FIXED, kind, entry.ENDS_BLOCK, fork=fork)


_ARITHMETIC = (
    Opcode(0x00, "STOP", 0, 0, 0, ending=entry.STOPS, static_handler="NEXT_BLOCK"),
    Opcode(0x01, "ADD", 2, 1, 3),
    Opcode(0x02, "MUL", 2, 1, 5),
    Opcode(0x03, "SUB", 2, 1, 3, static_handler="SUB_TESTED"),
    Opcode(0x04, "DIV", 2, 1, 5),
    Opcode(0x05, "SDIV", 2, 1, 5),
    Opcode(0x06, "MOD", 2, 1, 5),
    Opcode(0x07, "SMOD", 2, 1, 5),
    Opcode(0x08, "ADDMOD", 3, 1, 8),
    Opcode(0x09, "MULMOD", 3, 1, 8),
    Opcode(0x0A, "EXP", 2, 1, 10),
    Opcode(0x0B, "SIGNEXTEND", 2, 1, 5),
)
_LOGIC = (
    Opcode(0x10, "LT", 2, 1, 3),
    Opcode(0x11, "GT", 2, 1, 3),
    Opcode(0x12, "SLT", 2, 1, 3),
    Opcode(0x13, "SGT", 2, 1, 3),
    Opcode(0x14, "EQ", 2, 1, 3),
    Opcode(0x15, "ISZERO", 1, 1, 3),
    Opcode(0x16, "AND", 2, 1, 3),
    Opcode(0x17, "OR", 2, 1, 3),
    Opcode(0x18, "XOR", 2, 1, 3, static_handler="XOR_TESTED"),
    Opcode(0x19, "NOT", 1, 1, 3),
    Opcode(0x1A, "BYTE", 2, 1, 3),
    Opcode(0x1B, "SHL", 2, 1, 3, fork=CONSTANTINOPLE),
    Opcode(0x1C, "SHR", 2, 1, 3, fork=CONSTANTINOPLE),
    Opcode(0x1D, "SAR", 2, 1, 3, fork=CONSTANTINOPLE),
    Opcode(0x1E, "CLZ", 1, 1, 5, fork=OSAKA),
    Opcode(0x20, "KECCAK256", 2, 1, 30),
)
_ENVIRONMENT = (
    _environment(0x30, "ADDRESS", Context.address),
    Opcode(0x31, "BALANCE", 1, 1, 0),
    _environment(0x32, "ORIGIN", Context.origin),
    _environment(0x33, "CALLER", Context.caller),
    _environment(0x34, "CALLVALUE", Context.callvalue),
    Opcode(0x35, "CALLDATALOAD", 1, 1, 3),
    _environment(0x36, "CALLDATASIZE", Context.calldatasize_word),
    Opcode(0x37, "CALLDATACOPY", 3, 0, 3),
    Opcode(0x38, "CODESIZE", 0, 1, 2, "PUSH", entry.CODE_SIZE),
    Opcode(0x39, "CODECOPY", 3, 0, 3),
    _environment(0x3A, "GASPRICE", Context.gasprice),
    Opcode(0x3B, "EXTCODESIZE", 1, 1, 0),
    Opcode(0x3C, "EXTCODECOPY", 4, 0, 0),
    _environment(0x3D, "RETURNDATASIZE", Context.returndatasize_word, fork=BYZANTIUM),
    Opcode(0x3E, "RETURNDATACOPY", 3, 0, 3, fork=BYZANTIUM),
    Opcode(0x3F, "EXTCODEHASH", 1, 1, 0, fork=CONSTANTINOPLE),
    Opcode(0x40, "BLOCKHASH", 1, 1, 20),
    _environment(0x41, "COINBASE", Context.coinbase),
    _block(0x42, "TIMESTAMP", Context.timestamp),
    _block(0x43, "NUMBER", Context.number),
    _block(0x44, "PREVRANDAO", Context.prevrandao),
    _environment(0x45, "GASLIMIT", Context.gaslimit),
    _environment(0x46, "CHAINID", Context.chainid, fork=ISTANBUL),
    Opcode(0x47, "SELFBALANCE", 0, 1, 5, fork=ISTANBUL),
    _environment(0x48, "BASEFEE", Context.basefee, fork=LONDON),
    Opcode(0x49, "BLOBHASH", 1, 1, 3, fork=CANCUN),
    _environment(0x4A, "BLOBBASEFEE", Context.blobbasefee, fork=CANCUN),
)
_STACK_AND_MEMORY = (
    Opcode(0x50, "POP", 1, 0, 2),
    Opcode(0x51, "MLOAD", 1, 1, 3),
    Opcode(0x52, "MSTORE", 2, 0, 3),
    Opcode(0x53, "MSTORE8", 2, 0, 3),
    Opcode(0x54, "SLOAD", 1, 1, 0),
    Opcode(0x55, "SSTORE", 2, 0, 0, ending=entry.ENDS_BLOCK),
    Opcode(0x56, "JUMP", 1, 0, 8, operand=entry.JUMP, ending=entry.STOPS, static_handler="JUMP_STATIC"),
    Opcode(0x57, "JUMPI", 2, 0, 10, operand=entry.BRANCH, ending=entry.ENDS_BLOCK, static_handler="JUMPI_STATIC"),
    Opcode(0x58, "PC", 0, 1, 2, "PUSH", entry.PROGRAM_COUNTER),
    Opcode(0x59, "MSIZE", 0, 1, 2),
    Opcode(0x5A, "GAS", 0, 1, 2, ending=entry.ENDS_BLOCK),
    Opcode(0x5B, "JUMPDEST", 0, 0, 1, "NEXT_BLOCK", entry.BLOCK_START),
    Opcode(0x5C, "TLOAD", 1, 1, 100, fork=CANCUN),
    Opcode(0x5D, "TSTORE", 2, 0, 100, fork=CANCUN),
    Opcode(0x5E, "MCOPY", 3, 0, 3, fork=CANCUN),
    Opcode(0x5F, "PUSH0", 0, 1, 2, "PUSH", entry.CONSTANT, fork=SHANGHAI),
    *(Opcode(0x5F + n, f"PUSH{n}", 0, 1, 3, "PUSH", entry.CONSTANT) for n in range(1, 33)),
    *(Opcode(0x7F + n, f"DUP{n}", n, n + 1, 3, operand=entry.FIXED, value=32 * n) for n in range(1, 17)),
    *(Opcode(0x8F + n, f"SWAP{n}", n + 1, n + 1, 3, operand=entry.FIXED, value=32 * (n + 1)) for n in range(1, 17)),
)
_SYSTEM = (
    *(Opcode(0xA0 + n, f"LOG{n}", n + 2, 0, 375 * (n + 1), "LOG", entry.FIXED, n) for n in range(5)),
    Opcode(0xF0, "CREATE", 3, 1, 32000, "CREATE", entry.FIXED, calls.CREATE, entry.ENDS_BLOCK),
    _call(0xF1, "CALL", 7, calls.CALL),
    _call(0xF2, "CALLCODE", 7, calls.CALLCODE),
    Opcode(0xF3, "RETURN", 2, 0, 0, ending=entry.STOPS),
    _call(0xF4, "DELEGATECALL", 6, calls.DELEGATECALL, HOMESTEAD),
    Opcode(0xF5, "CREATE2", 4, 1, 32000, "CREATE", entry.FIXED, calls.CREATE2, entry.ENDS_BLOCK, fork=CONSTANTINOPLE),
    _call(0xFA, "STATICCALL", 6, calls.STATICCALL, BYZANTIUM),
    Opcode(0xFD, "REVERT", 2, 0, 0, ending=entry.STOPS, fork=BYZANTIUM),
    Opcode(0xFE, "INVALID", 0, 0, 0, ending=entry.STOPS),
    Opcode(0xFF, "SELFDESTRUCT", 1, 0, 5000, ending=entry.STOPS),
)
OPCODES = {opcode.byte: opcode for opcode in (*_ARITHMETIC, *_LOGIC, *_ENVIRONMENT, *_STACK_AND_MEMORY, *_SYSTEM)}
_UNKNOWN = Opcode(0, "UNKNOWN", 0, 0, 0, ending=entry.STOPS)


def opcode_in(fork: Fork, byte: int) -> Opcode:
    """The instruction of a byte in a fork; `UNKNOWN` where there is none."""
    opcode = OPCODES.get(byte, _UNKNOWN)
    return opcode if opcode.fork <= fork.order else _UNKNOWN


def decode_table(fork: Fork, handlers: dict[str, int]) -> bytes:
    """256 decode entries, as `layout/decode_entry.py` describes them."""
    parts = []
    for byte in range(256):
        opcode = opcode_in(fork, byte)
        gas = fork.warm_sload if opcode.name == "SLOAD" else fork.static_gas.get(opcode.name, opcode.gas)
        parts.append(
            _ENTRY.pack(
                handlers[opcode.handler_name],
                gas,
                opcode.pops,
                opcode.pushes,
                opcode.ending,
                opcode.operand,
                opcode.value,
                handlers[opcode.static_handler] if opcode.static_handler else 0,
            )
        )
    return b"".join(parts)
