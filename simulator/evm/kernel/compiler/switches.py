# mypy: disable-error-code="import-untyped"
"""Chains of `if x == 0 ... elif x == 1 ...` become switches.

Numba lowers such a chain to one comparison a block. LLVM joins them, but gives up on large ones: it would leave a
dispatch over a hundred handlers as several jump tables, one behind the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from llvmlite import ir

SHORTEST = 8  # links of a chain that is worth it


class Link(NamedTuple):
    """The end of a block that compares a variable with a constant, and where it goes."""

    variable: Any
    constant: Any
    equal: Any
    other: Any


def link_of(block: Any) -> Link | None:
    """The comparison in which a block ends: load, compare, branch."""
    if len(block.instructions) < 3:
        return None
    load, compare, branch = block.instructions[-3:]
    if not (isinstance(load, ir.LoadInstr) and isinstance(compare, ir.ICMPInstr) and branch.opname == "br"):
        return None
    left, constant = compare.operands
    if compare.op != "eq" or left is not load or not isinstance(constant, ir.Constant) or len(branch.operands) != 3:
        return None
    condition, equal, other = branch.operands
    return Link(load.operands[0], constant, equal, other) if condition is compare else None


def chain_from(block: Any) -> Iterator[Link]:
    """The links of the chain that begins in a block; behind the first one, blocks hold nothing but their link."""
    link = link_of(block)
    first = link
    while link and first and link.variable is first.variable:
        yield link
        following = link.other
        link = link_of(following) if len(following.instructions) == 3 else None


def is_impossible(block: Any) -> bool:
    """Return whether kernel code calls `impossible()` there."""
    calls = (each for each in block.instructions if isinstance(each, ir.CallInstr))
    return any(each.callee.name == "llvm.assume" for each in calls)


def nowhere(function: Any) -> Any:
    """A block that tells LLVM that no execution comes here, so that a switch need not test whether one does."""
    block = function.append_basic_block("nowhere")
    ir.IRBuilder(block).unreachable()
    return block


def replace_chain(block: Any, chain: list[Link]) -> None:
    """End the block in a switch. The blocks of the other links are left without a way to them."""
    value, compare, branch = block.instructions[-3:]
    for instruction in (branch, compare):
        block.instructions.remove(instruction)
    block.terminator = None
    rest = chain[-1].other
    builder = ir.IRBuilder(block)
    switch = builder.switch(value, nowhere(block.function) if is_impossible(rest) else rest)
    for link in chain:
        switch.add_case(link.constant, link.equal)


def make_switches(module: Any) -> None:
    """Rewrite the long chains of all functions of an llvmlite module in place."""
    for function in module.functions:
        inside: set[Any] = set()
        for block in function.blocks:
            chain = [] if block in inside else list(chain_from(block))
            if len(chain) >= SHORTEST:
                inside.update(link.other for link in chain)
                replace_chain(block, chain)
