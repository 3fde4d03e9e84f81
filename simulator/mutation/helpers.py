"""Values that a function of the compiler takes and computes, found by walking through it with the known stack."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from simulator.evm.opcodes import OPCODES

_JUMP, _JUMPI, _JUMPDEST = 0x56, 0x57, 0x5B
_PUSH0, _PUSH1, _PUSH32, _DUP1, _SWAP1 = 0x5F, 0x60, 0x7F, 0x80, 0x90
_FAILS = frozenset((0x00, 0xF3, 0xFD, 0xFE, 0xFF))
_MAX_STEPS = 600
_MAX_ROOM = 40

_Item = tuple[str, int] | None
"""On the stack: `("constant", number)`, `("given", depth below the top on entry)`, or nothing that is known."""


class Helper(NamedTuple):
    """Function of the compiler: how many words it takes and returns, and the instructions on the way through it
    without a panic."""

    arguments: int
    results: int
    opcodes: frozenset[int]


def read_helper(code: bytes, steps: Collection[int], target: int) -> Helper | None:
    """The function that begins at `target`; None for one whose way cannot be told. `steps` are the places of
    instructions."""
    waiting: list[tuple[int, list[_Item], frozenset[int]]] = [
        (target, [("given", depth) for depth in range(_MAX_ROOM, 0, -1)], frozenset())
    ]
    taken = 0
    while waiting:
        pc, stack, seen = waiting.pop()
        opcodes = set(seen)
        while pc in steps and taken < _MAX_STEPS:
            taken += 1
            opcode = code[pc]
            known = OPCODES.get(opcode)
            if known is None or opcode in _FAILS or len(stack) < max(known.pops, 1):
                break
            opcodes.add(opcode)
            if opcode in (_JUMP, _JUMPI):
                place = stack.pop()
                if opcode == _JUMPI:
                    stack.pop()
                    if place is not None and place[0] == "constant" and place[1] in steps:
                        waiting.append((place[1], list(stack), frozenset(opcodes)))
                    pc += 1
                    continue
                if place is None:
                    break
                if place[0] == "given":
                    # What is below the address of return is as it was.
                    arguments = place[1] - 1
                    return Helper(arguments, len(stack) - (_MAX_ROOM - arguments - 1), frozenset(opcodes))
                if place[1] not in steps or code[place[1]] != _JUMPDEST:
                    break
                pc = place[1]
                continue
            pc = _pass(code, pc, opcode, stack, known.pops, known.pushes)
    return None


def _pass(code: bytes, pc: int, opcode: int, stack: list[_Item], pops: int, pushes: int) -> int:
    """Let an instruction act on the stack; returns where the next one stands."""
    if _PUSH0 <= opcode <= _PUSH32:
        end = pc + 1 + max(opcode - _PUSH1 + 1, 0)
        stack.append(("constant", int.from_bytes(code[pc + 1 : end], "big")))
        return end
    if _DUP1 <= opcode < _SWAP1:
        stack.append(stack[-(opcode - _DUP1 + 1)])
    elif _SWAP1 <= opcode < _SWAP1 + 16:
        other = -(opcode - _SWAP1 + 2)
        stack[-1], stack[other] = stack[other], stack[-1]
    else:
        del stack[len(stack) - pops :]
        stack.extend([None] * pushes)
    return pc + 1
