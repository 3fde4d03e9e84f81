"""Sequences of instructions that run as one, which saves their dispatch and most of their stack traffic.

The list was taken from what contracts compiled with and without optimizer hold and execute most, as far as at least
three of them share it. A sequence is matched inside a block, longest first; only
its first instruction gets another handler, so that execution can leave and resume at any of the others.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.mode import kernel

JOINT = "+"

SEQUENCES = tuple(
    tuple(line.split())
    for line in """
ADD AND DUP3 ADD DUP1 PUSH MSTORE POP
AND SWAP1 POP SWAP2 SWAP1 POP JUMP
DUP1 DUP3 ADD DUP1 DUP3 GT ISZERO JUMPI_STATIC
DUP1 PUSH EQ JUMPI_STATIC
DUP2 ADD SWAP1 PUSH SWAP2 SWAP1 JUMP_STATIC
DUP2 EQ JUMPI_STATIC
DUP2 LT ISZERO JUMPI_STATIC
DUP2 MSTORE
DUP2 MSTORE PUSH ADD
DUP2 PUSH MUL NOT AND SWAP1 DUP4
DUP3 GT ISZERO JUMPI_STATIC
DUP3 MSTORE POP POP JUMP
ENVIRONMENT DUP1 ISZERO JUMPI_STATIC
ENVIRONMENT PUSH
ENVIRONMENT PUSH PUSH
ISZERO DUP1 ISZERO JUMPI_STATIC
ISZERO JUMPI_STATIC
POP DUP1 DUP1 PUSH ADD SWAP2 POP POP
POP JUMP
POP POP POP POP
POP PUSH
POP PUSH ENVIRONMENT LT JUMPI_STATIC
POP PUSH JUMP_STATIC
POP PUSH PUSH DUP1 ENVIRONMENT SUB
PUSH ADD
PUSH AND
PUSH AND MUL OR SWAP1
PUSH AND PUSH AND DUP2 MSTORE PUSH ADD
PUSH AND PUSH SHL DUP2 MSTORE PUSH ADD
PUSH DUP1
PUSH DUP2
PUSH DUP2 ADD
PUSH DUP2 GT ISZERO JUMPI_STATIC
PUSH DUP2 JUMP_STATIC
PUSH DUP2 LT ISZERO JUMPI_STATIC
PUSH DUP2 LT JUMPI_STATIC
PUSH DUP2 MLOAD SWAP1 POP PUSH DUP2 JUMP_STATIC
PUSH DUP2 SWAP1 POP SWAP2 SWAP1 POP JUMP
PUSH DUP3 ADD
PUSH DUP3 PUSH DUP2 LT JUMPI_STATIC
PUSH JUMP_STATIC
PUSH MLOAD
PUSH MLOAD DUP1 SWAP2 SUB SWAP1
PUSH MLOAD ENVIRONMENT PUSH NOT PUSH DUP3
PUSH MLOAD PUSH DUP2 MSTORE PUSH ADD
PUSH MLOAD PUSH PUSH SHL DUP2 MSTORE
PUSH MLOAD PUSH SWAP2 SWAP1 JUMP_STATIC
PUSH MSTORE PUSH PUSH MSTORE PUSH PUSH
PUSH PUSH
PUSH PUSH DUP1 ENVIRONMENT SUB DUP2 ADD SWAP1
PUSH PUSH DUP3
PUSH PUSH DUP3 ADD SWAP1 POP
PUSH PUSH DUP3 DUP5 SUB
PUSH PUSH DUP3 JUMP_STATIC
PUSH PUSH DUP4
PUSH PUSH DUP4 ADD DUP5 JUMP_STATIC
PUSH PUSH DUP4 ADD DUP6 JUMP_STATIC
PUSH PUSH DUP5 DUP3 DUP6 ADD JUMP_STATIC
PUSH PUSH DUP6 DUP3 DUP7 ADD JUMP_STATIC
PUSH PUSH ENVIRONMENT PUSH AND PUSH AND
PUSH PUSH ENVIRONMENT PUSH JUMP_STATIC
PUSH PUSH MLOAD DUP1 DUP4 SUB DUP2
PUSH PUSH MLOAD DUP1 DUP4 SUB DUP2 DUP7
PUSH PUSH MSTORE
PUSH PUSH MSTORE ENVIRONMENT DUP1 ISZERO JUMPI_STATIC
PUSH PUSH MSTORE PUSH ENVIRONMENT LT JUMPI_STATIC
PUSH PUSH MSTORE PUSH PUSH MSTORE PUSH PUSH
PUSH PUSH PUSH
PUSH PUSH PUSH DUP4 DUP6 SUB
PUSH PUSH PUSH PUSH
PUSH PUSH PUSH PUSH SHL SUB
PUSH PUSH PUSH SHL SUB
PUSH PUSH PUSH SHL SUB AND
PUSH PUSH PUSH SHL SUB DUP2 AND
PUSH PUSH SHL
PUSH SHR DUP1 PUSH EQ JUMPI_STATIC
PUSH SHR DUP1 PUSH GT JUMPI_STATIC
PUSH SLOAD
PUSH SWAP1
PUSH SWAP2 SWAP1 JUMP_STATIC
PUSH SWAP3 SWAP2 SWAP1 JUMP_STATIC
SWAP1 DUP2 MSTORE PUSH ADD PUSH
SWAP1 POP
SWAP1 POP PUSH DUP2 JUMP_STATIC
SWAP1 POP SWAP1 JUMP
SWAP1 POP SWAP2 SWAP1 POP JUMP
SWAP1 POP SWAP3 SWAP2 POP POP JUMP
SWAP1 PUSH
SWAP1 PUSH ADD
SWAP2 POP POP
SWAP2 POP POP SWAP3 SWAP2 POP POP JUMP
SWAP2 POP PUSH DUP3
SWAP2 POP PUSH DUP4 JUMP_STATIC
SWAP2 SWAP1 POP JUMP
SWAP3 POP DUP3 DUP3 ADD SWAP1 POP DUP1
SWAP3 POP DUP3 DUP3 SUB SWAP1 POP
SWAP3 POP POP DUP2 SWAP1
SWAP3 POP SWAP3 SWAP1 POP JUMP
SWAP3 SWAP2 POP POP JUMP
SWAP4 SWAP3 POP POP POP JUMP
SWAP5 SWAP4 POP POP POP POP JUMP
""".strip().splitlines()
)


@kernel
def longest_match(machine: Context, first: int, end: int) -> int:
    """The handler of the longest sequence that begins at an instruction and ends before `end`, or -1.

    `fusion_table` is a trie: a row of int32 for each state, one for each handler, then the handler that accepts. State
    0 is the root, and no row leads back to it.
    """
    table = machine.fusion_table
    width = machine.fusion_width
    state = 0
    found = -1
    while first < end:
        handler = Instruction(first).handler
        state = table[state * width + handler]
        if state == 0:
            break
        accepted = table[state * width + width - 1]
        if accepted:
            found = accepted
        first += Instruction.SIZE
    return found


@kernel
def sequence_length(machine: Context, handler: int) -> int:
    """Number of instructions that a handler covers."""
    return machine.fusion_lengths[handler]


@kernel
def fuse_block(machine: Context, first: int, end: int) -> None:
    """Give the instructions of one block the handlers of the sequences that they form."""
    if not machine.fusion_table:
        return
    while first < end:
        fused = longest_match(machine, first, end)
        if fused < 0:
            first += Instruction.SIZE
        else:
            Instruction(first).handler = fused
            first += Instruction.SIZE * sequence_length(machine, fused)
