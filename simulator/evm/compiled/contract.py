"""A whole contract: its regions, the function that the interpreter enters, and the ends that all regions share."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from simulator.evm.compiled.blocks import Block, DecodedCode
from simulator.evm.compiled.region import Key, Region, write_dispatch
from simulator.evm.compiled.text import ModuleText
from simulator.evm.compiled.trace import CONTEXT
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import Field
from simulator.evm.kernel.status import FRAME_SWITCHED, HANDED_OVER

SYMBOL = "contract"
# Instructions that never leave compiled code: only a block that begins with one may be entered from the interpreter,
# which would enter it again and again otherwise.
STAYING = frozenset(
    (
        *("PUSH", "POP", "DUP", "SWAP", "ADD", "SUB", "MUL", "AND", "OR", "XOR", "NOT", "ISZERO", "BYTE", "SHL", "SHR"),
        *("SAR", "LT", "GT", "SLT", "SGT", "EQ", "SUB_TESTED", "XOR_TESTED", "DIV", "MOD", "SDIV", "SMOD"),
        *("SIGNEXTEND", "ENVIRONMENT", "CALLDATALOAD", "JUMP_STATIC", "JUMPI_STATIC", "NEXT_BLOCK", "STOP"),
    )
)
# Behind these the interpreter looks for compiled code again.
RESUMING = frozenset({"CALL", "CREATE"})
# How much longer than the code the regions together may become, in instructions.
GROWTH = 2
MIN_BUDGET = 3000
# A block that runs this many times less often than the most frequent one is left to the interpreter.
RARE = 2000

# Functions have at most six arguments: LLVM's tail calls are only sure to be right when all fit into registers.
_REGION = """\
define internal tailcc i64 {name}(
    ptr noalias %c, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell) nounwind {{
{body}
}}
"""
_DISPATCH = """\
define internal tailcc i64 @dispatch(
    ptr %c, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell, i64 %to) nounwind {{
{body}
}}
"""
_ENTRY = """\
define i64 @{symbol}(ptr %c, i64 %block) nounwind {{
{body}
}}
"""
_ENDS = """\
define internal tailcc i64 @continue_at_header(
    ptr %c, i64 %ip, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell) nounwind noinline cold {{
{at_header}
}}
define internal tailcc i64 @continue_at_instruction(
    ptr %c, i64 %ip, ptr %sp, i64 %gas, i64 %memory_size, i64 %cell) nounwind noinline cold {{
{at_instruction}
}}
define internal tailcc i64 @finish(
    ptr %c, i64 %gas, i64 %cell, ptr %output, i64 %size, i64 %status) nounwind noinline {{
{finish}
}}
define internal tailcc i64 @fail(ptr %c, i64 %cell, i64 %status) nounwind noinline cold {{
{fail}
}}
declare i256 @llvm.bswap.i256(i256)
declare i256 @llvm.ctlz.i256(i256, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{{!"machine"}}
!1 = !{{!"stack", !0, i64 0}}
!2 = !{{!"memory", !0, i64 0}}
!3 = !{{!"context", !0, i64 0}}
!4 = !{{!"coverage", !0, i64 0}}
!8 = !{{!"branch_weights", i32 1, i32 4000}}
!11 = !{{!1, !1, i64 0}}
!12 = !{{!2, !2, i64 0}}
!13 = !{{!3, !3, i64 0}}
!14 = !{{!4, !4, i64 0}}
"""


class TranslatedContract:
    """Writes the LLVM assembly of one code. `entries` are the blocks that the interpreter may enter it at.

    `hits` tells how often each block has run; by default all blocks are worth compiling.
    """

    def __init__(self, code: DecodedCode, hits: Sequence[int] | None = None) -> None:
        self._hits = hits or [1] * len(code.blocks)
        self._least = max(1, max(self._hits) // RARE)
        entries = (block.index for block in code.blocks if _is_entry(code, block))
        self.entries = tuple(index for index in entries if not self.is_cold(index))
        self._code = code
        self._budget = max(MIN_BUDGET, GROWTH * code.size)
        self._written = 0
        self._functions: dict[Key, str] = {}
        self._waiting: deque[Key] = deque()
        self._dispatches = False
        self._parts: list[str] = []

    def write(self) -> str:
        """The module. It defines one function for the outside, `SYMBOL`, as kernel/compiled_code.py calls it."""
        for index in self.entries:
            self._parts.append(_REGION.format(name=f"@entry{index}", body=Region(self._code, self).write_entry(index)))
        self._write_regions()
        if self._dispatches:
            self._write_dispatch()
        self._parts.append(_ENTRY.format(symbol=SYMBOL, body=self._enter()))
        ends = {"at_header": _continue_call(FRAME_SWITCHED), "at_instruction": _continue_call(HANDED_OVER)}
        self._parts.append(_ENDS.format(finish=_finish(), fail=_fail(), **ends))
        return "\n".join(self._parts)

    # --- what regions ask for ------------------------------------------------------------------------------

    @property
    def is_exhausted(self) -> bool:
        """No further code may be copied."""
        return self._written > self._budget

    def is_cold(self, index: int) -> bool:
        """Return whether a block runs so rarely that it is left to the interpreter."""
        return self._hits[index] < self._least

    def has(self, key: Key) -> bool:
        """Return whether there is a region that begins so."""
        return key in self._functions

    def function(self, key: Key) -> str:
        """Name of the function of such a region, which is written later if there is none."""
        if key not in self._functions:
            self._functions[key] = f"@region{len(self._functions)}"
            self._waiting.append(key)
        return self._functions[key]

    def dispatch(self) -> str:
        """Name of the function that jumps to a program counter."""
        self._dispatches = True
        return "@dispatch"

    def grown(self, count: int) -> None:
        """So many instructions were written."""
        self._written += count

    # --- parts ---------------------------------------------------------------------------------------------

    def _write_regions(self) -> None:
        while self._waiting:
            key = self._waiting.popleft()
            body = Region(self._code, self).write_head(key)
            self._parts.append(_REGION.format(name=self._functions[key], body=body))

    def _write_dispatch(self) -> None:
        """Each JUMPDEST that the code pushes otherwise than for a static jump gets a region."""
        pushed = {each.word for block in self._code.blocks for each in block.instructions}
        targets = {pc: index for pc, index in self._code.entries.items() if pc in pushed and not self.is_cold(index)}
        regions = {pc: self.function((index, ())) for pc, index in sorted(targets.items())}
        self._write_regions()
        self._parts.append(_DISPATCH.format(body=write_dispatch(regions)))

    def _enter(self) -> str:
        text = ModuleText()
        sp = text.let(f"load ptr, ptr {text.field('%c', Context.sp)}, align 8")
        gas = text.let(f"load i64, ptr {text.field('%c', Context.gas)}, align 8")
        size = text.let(f"load i64, ptr {text.field('%c', Context.memory_size)}, align 8")
        places = {index: text.label("block") for index in self.entries}
        nowhere = text.label("nowhere")
        cases = " ".join(f"i64 {index}, {label.reference}" for index, label in places.items())
        text.do(f"switch i64 %block, {nowhere.reference} [ {cases} ]")
        for index, label in places.items():
            text.here = label
            result = text.let(f"call tailcc i64 @entry{index}(ptr %c, ptr {sp}, i64 {gas}, i64 {size}, i64 0)")
            text.do(f"ret i64 {result}")
        text.here = nowhere
        text.do("unreachable")
        return text.body()


def _is_entry(code: DecodedCode, block: Block) -> bool:
    if block.instructions[0].handler not in STAYING:
        return False
    return block.index == 0 or code.blocks[block.index - 1].instructions[-1].handler in RESUMING


def _store(text: ModuleText, field: Field, kind: str, value: str) -> None:
    text.do(f"store {kind} {value}, ptr {text.field('%c', field)}, align 8{CONTEXT}")


def _end(text: ModuleText, status: str = "%status") -> str:
    cells = text.let(f"load ptr, ptr {text.field('%c', Context.cells)}, align 8{CONTEXT}")
    cell = text.let(f"getelementptr i8, ptr {cells}, i64 %cell")
    _store(text, Context.cell, "ptr", cell)
    text.do(f"ret i64 {status}")
    return text.body()


def _continue_call(status: int) -> str:
    """Leave to the interpreter."""
    text = ModuleText()
    code = text.let(f"load ptr, ptr {text.field('%c', Context.code)}, align 8{CONTEXT}")
    base = text.let(f"load ptr, ptr {text.field(code, Code.instructions)}, align 8{CONTEXT}")
    _store(text, Context.ip, "ptr", text.let(f"getelementptr i8, ptr {base}, i64 %ip"))
    _store(text, Context.sp, "ptr", "%sp")
    _store(text, Context.gas, "i64", "%gas")
    _store(text, Context.memory_size, "i64", "%memory_size")
    return _end(text, str(status))


def _finish() -> str:
    text = ModuleText()
    _store(text, Context.gas, "i64", "%gas")
    _store(text, Context.finish_output, "ptr", "%output")
    _store(text, Context.finish_output_size, "i64", "%size")
    return _end(text)


def _fail() -> str:
    return _end(ModuleText())
