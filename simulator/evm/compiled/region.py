"""One region of a contract's code, as one function: a tree of traces with the stack in LLVM's values.

A trace follows control as long as it can: through static jumps, and through dynamic ones to a destination that it has
seen pushed, so that internal functions are copied into their callers. It ends at a *head*, the beginning of another
region, where the stack is in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from simulator.evm.compiled import environment, words
from simulator.evm.compiled.blocks import ENDINGS, Block, DecodedCode
from simulator.evm.compiled.control import count_block, end_block
from simulator.evm.compiled.state import Path, TranslatedState
from simulator.evm.compiled.text import Label, ModuleText
from simulator.evm.compiled.trace import AT_HEADER, CONTEXT, UNLIKELY, Trace, note_side, proceed
from simulator.evm.compiled.translations import TRANSLATIONS
from simulator.evm.compiled.values import Value
from simulator.evm.kernel.code.instruction_writing import STACK_LIMIT
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.status import BAD_JUMP

_TRANSLATING = (environment, words)  # importing them fills the table
REGION_LIMIT = 500
LOADED = {
    "memory": ("ptr", Context.memory),
    "stack": ("i64", Context.stack),
    "calldata": ("ptr", Context.calldata),
    "calldata_size": ("i64", Context.calldata_size),
    "cells": ("ptr", Context.cells),
    "depth_bit": ("i64", Context.depth_bit),
    "code": ("ptr", Context.code),
    "helpers": ("ptr", Context.helpers),
    "epoch": ("i64", Context.epoch),
    "logging": ("i64", Context.comparisons_on),
}
RESULTS = {"wide": "i256", "narrow": "i64", "exception": "ptr"}
Signature = tuple[tuple[int, int], ...]
Key = tuple[int, Signature]
"""A block, and what is known of the jump targets on the stack when it begins."""


class Heads(Protocol):
    """The other regions."""

    @property
    def is_exhausted(self) -> bool:
        """No further code may be copied."""

    def is_cold(self, index: int) -> bool:
        """Return whether a block runs so rarely that it is left to the interpreter."""

    def has(self, key: Key) -> bool:
        """Return whether there is a region that begins so."""

    def function(self, key: Key) -> str:
        """Name of the function of such a region, which is written later if there is none."""

    def dispatch(self) -> str:
        """Name of the function that jumps to a program counter."""

    def grown(self, count: int) -> None:
        """So many instructions were written."""


class Region:
    """Writes one region; each instance is used once."""

    def __init__(self, code: DecodedCode, heads: Heads) -> None:
        self._code = code
        self._heads = heads
        self._text = ModuleText()
        self._size = 0
        self._seen: set[Key] = set()
        self._pending: list[tuple[Label, TranslatedState, int]] = []

    def write_head(self, key: Key) -> str:
        """The body of the function that begins before a block is paid for, with what `key` tells of the stack."""
        index, signature = key
        state = self._begin()
        state.recall(signature)
        self._seen.add(key)
        self._block(state, index)
        return self._finish()

    def write_entry(self, index: int) -> str:
        """The body of the function that begins behind a block's header: paid for, checked and counted."""
        state = self._begin()
        block = self._code.blocks[index]
        self._follow(state, self._instructions(state, block))
        return self._finish()

    # --- the frame of the function -------------------------------------------------------------------------

    def _begin(self) -> TranslatedState:
        text = self._text
        for name, (kind, field) in LOADED.items():
            text.do(f"%{name} = load {kind}, ptr {text.field('%c', field)}, align 8{CONTEXT}")
        text.do("%comparing = icmp ne i64 %logging, 0")
        for name, kind in RESULTS.items():
            text.do(f"%{name} = alloca {kind}, align 32")
        return TranslatedState("%sp", "%gas", "%memory_size")

    def _finish(self) -> str:
        while self._pending:
            label, state, index = self._pending.pop()
            self._text.here = label
            self._follow(state, index)
        self._heads.grown(self._size)
        return self._text.body()

    # --- traces --------------------------------------------------------------------------------------------

    def _follow(self, state: TranslatedState, index: int | None) -> None:
        """Continue with a block here, or in another region."""
        if index is None:
            return
        if self._heads.is_cold(index):
            proceed(self._text, AT_HEADER, state, self._code.blocks[index].offset)
            return
        key: Key = (index, state.signature(self._code.entries))
        is_full = self._size > REGION_LIMIT or self._heads.is_exhausted
        if is_full or key in self._seen or self._heads.has(key):
            if self._heads.is_exhausted and not self._heads.has(key):
                key = (index, ())
            self._go(state, self._heads.function(key))
        else:
            self._seen.add(key)
            self._block(state, index)

    def _go(self, state: TranslatedState, function: str, argument: str = "") -> None:
        """Go to another function, with the stack in memory; `cell` is told because a frame that fails at a header
        failed in the block before."""
        text = self._text
        note_side(text, state)
        state.flush(text)
        moved = f"ptr %c, ptr {state.pointer(text)}, i64 {state.gas}, i64 {state.memory_size}, i64 {state.cell}"
        text.give(f"{function}({moved}{argument})")

    def _block(self, state: TranslatedState, index: int) -> None:
        block = self._code.blocks[index]
        if state.path is None:
            self._check(state, block)
        assert state.path is not None, "checked"
        state.path.add(block.gas, block.minimum - state.height, block.growth + state.height)
        state.paid += block.gas
        state.gas = self._text.let(f"sub i64 {state.gas}, {block.gas}")
        count_block(Trace(self._text, state, block), block.cell)
        self._follow(state, self._instructions(state, block))

    def _instructions(self, state: TranslatedState, block: Block) -> int | None:
        """Write a block that has begun; the one that follows when there is just one."""
        trace = Trace(self._text, state, block)
        state.cell = str(block.cell)
        self._size += len(block.instructions)
        for instruction in block.instructions:
            trace.begin(instruction)
            translate = TRANSLATIONS.get(instruction.handler)
            if translate is not None:
                translate(trace, instruction)
            if instruction.handler in ENDINGS:
                return end_block(trace, self, instruction, block.index + 1)
            if translate is None:
                trace.hand_over()
                return None
        raise AssertionError("every block ends")

    def _check(self, state: TranslatedState, block: Block) -> None:
        """Make sure of gas and stack for all that follows in this region, and that no pause is asked for; otherwise the
        interpreter finds out what is wrong. Every loop passes here."""
        text = self._text
        path = state.path = Path()
        base = text.let(f"ptrtoint ptr {state.base} to i64")
        depth = text.let(f"sub i64 {base}, %stack")
        poor, low, high, flat, short = (text.name() for _ in range(5))
        text.do(lambda: f"{poor} = icmp slt i64 {state_gas}, {path.cost}")
        text.do(lambda: f"{low} = icmp slt i64 {depth}, {32 * path.need}")
        text.do(lambda: f"{high} = icmp sgt i64 {depth}, {32 * (STACK_LIMIT - path.room)}")
        text.do(f"{flat} = or i1 {low}, {high}")
        text.do(f"{short} = or i1 {poor}, {flat}")
        # Volatile, because another thread sets it while this one is in a loop.
        pauses = text.let(f"load volatile i64, ptr {text.field('%c', Context.wants_pause)}, align 8")
        bad = text.let(f"or i1 {short}, {text.let(f'icmp ne i64 {pauses}, 0')}")
        state_gas = state.gas
        cold, usual = text.label("short", cold=True), text.label("enough")
        text.choose(bad, cold, usual, UNLIKELY)
        text.here = cold
        proceed(text, AT_HEADER, state, block.offset)
        text.here = usual

    # --- what ends of blocks ask for -----------------------------------------------------------------------

    def block_at(self, pc: int) -> int | None:
        """The block that a jump to a program counter enters, None when it may not."""
        return self._code.entries.get(pc)

    def later(self, label: Label, state: TranslatedState, block: int) -> None:
        """Write a block at a label that something branches to."""
        self._pending.append((label, state, block))

    def jump_anywhere(self, trace: Trace, destination: Value) -> None:
        """Jump to where a word says."""
        to = trace.saturated(destination)
        self._go(trace.state, self._heads.dispatch(), f", i64 {to}")


def write_dispatch(regions: Mapping[int, str]) -> str:
    """The body of the function that jumps to a program counter: to one of the regions, by program counter; otherwise
    the interpreter continues there, or it is a bad jump."""
    text = ModuleText()
    elsewhere = text.label("elsewhere")
    places = {pc: text.label("known") for pc in regions}
    cases = " ".join(f"i64 {pc}, {label.reference}" for pc, label in places.items())
    text.do(f"switch i64 %to, {elsewhere.reference} [ {cases} ]")
    for pc, label in places.items():
        text.here = label
        text.give(f"{regions[pc]}(ptr %c, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell)")
    text.here = elsewhere
    code = text.let(f"load ptr, ptr {text.field('%c', Context.code)}, align 8")
    size = text.let(f"load i64, ptr {text.field(code, Code.bytes_size)}, align 8")
    look, bad, go = text.label("look"), text.label("bad"), text.label("go")
    text.choose(text.let(f"icmp ult i64 %to, {size}"), look, bad)
    text.here = look
    table = text.let(f"load ptr, ptr {text.field(code, Code.jumps)}, align 8")
    place = text.let(f"getelementptr i32, ptr {table}, i64 %to")
    short = text.let(f"load i32, ptr {place}, align 4")
    offset = text.let(f"sext i32 {short} to i64")
    text.choose(text.let(f"icmp ne i64 {offset}, 0"), go, bad)
    text.here = bad
    text.give(f"@fail(ptr %c, i64 %cell, i64 {BAD_JUMP})")
    text.here = go
    text.give(f"{AT_HEADER}(ptr %c, i64 {offset}, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell)")
    return text.body()
