"""Sequences of instructions that run as one, which saves their dispatch.

The list was taken from what compiled contracts execute most. A sequence is matched inside a block, longest first; only
its first instruction gets another handler, so that execution can leave and resume at any of the others.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import context, instruction
from simulator.evm.kernel.memory_access import load_i32, load_i64, store_i32
from simulator.evm.kernel.mode import kernel

JOINT = "+"

SEQUENCES = tuple(
    tuple(line.split())
    for line in """
DUP PUSH EQ JUMPI_STATIC
DUP PUSH GT JUMPI_STATIC
DUP PUSH LT JUMPI_STATIC
DUP ISZERO JUMPI_STATIC
ISZERO JUMPI_STATIC
LT ISZERO JUMPI_STATIC
GT ISZERO JUMPI_STATIC
SLT ISZERO JUMPI_STATIC
EQ JUMPI_STATIC
PUSH JUMP_STATIC
PUSH PUSH
PUSH PUSH PUSH
PUSH DUP
PUSH SWAP
PUSH ADD
PUSH AND
PUSH MLOAD
PUSH SLOAD
PUSH MSTORE
PUSH SHL SUB
PUSH SHL SUB AND
PUSH CALLDATALOAD PUSH SHR
DUP DUP
DUP PUSH
DUP ADD
DUP MSTORE
DUP CALLDATALOAD
SWAP SWAP
SWAP POP
SWAP DUP
SWAP POP JUMP
SWAP POP POP JUMP
SWAP SWAP POP POP JUMP
POP POP
POP PUSH
POP JUMP
MSTORE PUSH
ADD SWAP
ENVIRONMENT PUSH
""".strip().splitlines()
)


@kernel
def longest_match(c: int, first: int, end: int) -> int:
    """The handler of the longest sequence that begins at an instruction and ends before `end`, or -1.

    FUSION_TABLE is a trie: a row of int32 for each state, one for each handler, then the handler that accepts. State
    0 is the root, and no row leads back to it.
    """
    table = load_i64(c + context.FUSION_TABLE)
    width = load_i64(c + context.FUSION_WIDTH)
    state = 0
    found = -1
    while first < end:
        handler = load_i32(first + instruction.HANDLER)
        state = load_i32(table + 4 * (state * width + handler))
        if state == 0:
            break
        accepted = load_i32(table + 4 * (state * width + width - 1))
        if accepted:
            found = accepted
        first += instruction.SIZE
    return found


@kernel
def sequence_length(c: int, handler: int) -> int:
    """Number of instructions that a handler covers."""
    return load_i32(load_i64(c + context.FUSION_LENGTHS) + 4 * handler)


@kernel
def fuse_block(c: int, first: int, end: int) -> int:
    """Give the instructions of one block the handlers of the sequences that they form."""
    if load_i64(c + context.FUSION_TABLE) == 0:
        return 0
    while first < end:
        fused = longest_match(c, first, end)
        if fused < 0:
            first += instruction.SIZE
        else:
            store_i32(first + instruction.HANDLER, fused)
            first += instruction.SIZE * sequence_length(c, fused)
    return 0
