"""Writing instructions: operands, helpers, gas, and the ways out of compiled code."""

from __future__ import annotations

from simulator.evm.compiled.blocks import Block, DecodedInstruction
from simulator.evm.compiled.state import TranslatedState
from simulator.evm.compiled.text import Label, ModuleText
from simulator.evm.compiled.values import OFFSET_LIMIT, Value
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.records import Field

# Tags for LLVM: what is accessed is none of what has another tag. Their numbers stand in contract.py.
STACK, MEMORY, CONTEXT, COVERAGE = (f", !tbaa !{number}" for number in (11, 12, 13, 14))
UNLIKELY = ", !prof !8"
# The functions that leave to the interpreter.
AT_HEADER, AT_INSTRUCTION = "@continue_at_header", "@continue_at_instruction"


class Trace:
    """The point of execution that is being written: `state`, and the instruction at hand."""

    def __init__(self, text: ModuleText, state: TranslatedState, block: Block) -> None:
        self.text = text
        self.state = state
        self.block = block
        self.instruction = block.instructions[0]
        self._before = state
        self._way_out: Label | None = None

    def begin(self, instruction: DecodedInstruction) -> None:
        """Go to an instruction of the block."""
        self.state.limit(self.text)
        self.instruction = instruction
        self._before = self.state.copy()
        self._way_out = None

    # --- operands ------------------------------------------------------------------------------------------

    def let(self, expression: str) -> str:
        return self.text.let(expression)

    def pop(self) -> Value:
        return self.state.pop(self.text)

    def push(self, value: Value) -> None:
        self.state.push(value)

    def push_named(self, expression: str) -> None:
        """Push the i256 that an LLVM expression gives."""
        self.push(Value(self.let(expression)))

    def push_bit(self, bit: str) -> None:
        self.push(Value(self.let(f"zext i1 {bit} to i256"), bit=bit))

    def push_i64(self, value: str) -> None:
        self.push(Value(self.let(f"zext i64 {value} to i256")))

    def bit_of(self, value: Value) -> str:
        """An i1: whether a word is not zero."""
        if value.bit is not None:
            return value.bit
        if value.constant is not None:
            return "true" if value.constant else "false"
        return self.let(f"icmp ne i256 {value.text}, 0")

    def saturated(self, value: Value) -> str:
        """The word as i64, at most OFFSET_LIMIT."""
        if value.constant is not None:
            return str(min(value.constant, OFFSET_LIMIT))
        large = self.let(f"icmp ugt i256 {value.text}, {OFFSET_LIMIT}")
        low = self.let(f"trunc i256 {value.text} to i64")
        return self.let(f"select i1 {large}, i64 {OFFSET_LIMIT}, i64 {low}")

    def add(self, left: str, right: str) -> str:
        """The sum of two i64."""
        if left.isdecimal() and right.isdecimal():
            return str(int(left) + int(right))
        return self.let(f"add i64 {left}, {right}")

    # --- memory of the machine -----------------------------------------------------------------------------

    def load_at(self, record: str, field: Field, kind: str = "i64", tag: str = "") -> str:
        place = self.text.field(record, field)
        return self.let(f"load {kind}, ptr {place}, align 8{tag}")

    def load_field(self, field: Field, kind: str = "i64") -> str:
        return self.load_at("%c", field, kind, CONTEXT)

    def load_word_at(self, offset: int) -> str:
        """The word of the context at an offset that an instruction has as its argument."""
        return self.let(f"load i256, ptr {self.text.offset('%c', offset)}, align 8{CONTEXT}")

    def store_field(self, field: Field, kind: str, value: str) -> None:
        self.text.do(f"store {kind} {value}, ptr {self.text.field('%c', field)}, align 8{CONTEXT}")

    def memory_at(self, offset: str) -> str:
        return self.let(f"getelementptr i8, ptr %memory, i64 {offset}")

    def swapped(self, value: str) -> str:
        return self.let(f"call i256 @llvm.bswap.i256(i256 {value})")

    def call(self, helper: Field, arguments: str, result: str = "i64") -> str:
        """Call a kernel function by numba's convention; its result."""
        function = self.load_at("%helpers", helper, "ptr", CONTEXT)
        place = "%wide" if result == "i256" else "%narrow"
        self.text.do(f"call i32 {function}(ptr {place}, ptr %exception, {arguments})")
        return self.let(f"load {result}, ptr {place}, align 16")

    # --- gas and memory ------------------------------------------------------------------------------------

    def reserve(self) -> str:
        """An i64: gas that the rest of the path may need."""
        name, reserve = self.text.name(), self.state.reserve()
        self.text.do(lambda: f"{name} = add i64 {reserve()}, 0")
        return name

    def charge(self, amount: str) -> None:
        """Take gas. Nothing may have happened yet; when there is not enough, the interpreter runs the instruction."""
        left = self.let(f"sub i64 {self.state.gas}, {amount}")
        short, reserve = self.text.name(), self.state.reserve()
        self.text.do(lambda: f"{short} = icmp slt i64 {left}, {reserve()}")
        self._leave_when(short)
        self.state.gas = left

    def touch(self, end: str, size: str | None = None) -> None:
        """Make memory reach to `end`, unless `size` is zero. Nothing but `charge` may have happened yet."""
        state, text = self.state, self.text
        if size is not None and size.isdecimal():
            if size == "0":
                return
            size = None
        if end.isdecimal() and int(end) <= state.memory_known:
            return
        short = self.let(f"icmp ugt i64 {end}, {state.memory_size}")
        if size is not None:
            some = self.let(f"icmp ne i64 {size}, 0")
            short = self.let(f"and i1 {short}, {some}")
        joined = text.join("wide", {"gas": "i64", "size": "i64"})
        joined.add(text.here, gas=state.gas, size=state.memory_size)
        cold = text.label("grow", cold=True)
        text.choose(short, cold, joined.label, UNLIKELY)
        text.here = cold
        self._grow(end)
        joined.add(text.here, gas=state.gas, size=state.memory_size)
        text.branch(joined.label)
        text.here = joined.label
        state.gas, state.memory_size = joined.values["gas"], joined.values["size"]
        if end.isdecimal() and size is None:
            state.memory_known = -(-int(end) // 32) * 32

    def _grow(self, end: str) -> None:
        state = self.state
        arguments = f"ptr %c, i64 {end}, i64 {state.memory_size}, i64 {state.gas}, i64 {self.reserve()}"
        state.gas = self.call(Helpers.grow_within, arguments)
        self.leave_when(f"icmp slt i64 {state.gas}, 0")
        padded = self.let(f"add i64 {end}, 31")
        state.memory_size = self.let(f"and i64 {padded}, -32")

    # --- ways out ------------------------------------------------------------------------------------------

    def leave_when(self, condition: str) -> None:
        """Let the interpreter run this instruction when an LLVM expression holds. Nothing may have happened yet."""
        self._leave_when(self.let(condition))

    def _leave_when(self, condition: str) -> None:
        text = self.text
        usual = text.label("then", cold=text.here.cold)
        text.choose(condition, self._leaving(), usual, UNLIKELY)
        text.here = usual

    def hand_over(self) -> None:
        """Let the interpreter run this instruction."""
        self.text.branch(self._leaving())

    def _leaving(self) -> Label:
        """Give back the state before the instruction: written once for each."""
        if self._way_out is None:
            text, here = self.text, self.text.here
            self._way_out = text.here = text.label("over", cold=True)
            proceed(text, AT_INSTRUCTION, self._before, self.instruction.offset)
            text.here = here
        return self._way_out

    def show_stack(self, state: TranslatedState) -> None:
        """Write a state's stack to memory, for who asks where the frame has failed."""
        kept = state.copy()
        kept.flush(self.text)
        self.store_field(Context.sp, "ptr", kept.pointer(self.text))

    def fail(self, status: int) -> None:
        """End the frame."""
        note_side(self.text, self.state)
        self.text.give(f"@fail(ptr %c, i64 {self.state.cell}, i64 {status})")

    def finish(self, status: int, output: str, size: str) -> None:
        """End the frame with its output."""
        state = self.state
        note_side(self.text, state)
        self.text.give(f"@finish(ptr %c, i64 {state.gas}, i64 {state.cell}, ptr {output}, i64 {size}, i64 {status})")


def note_side(text: ModuleText, state: TranslatedState) -> None:
    """Tell which side was taken last, where a trace ends: it is not read earlier."""
    if state.side is not None:
        side = text.let(f"getelementptr i8, ptr %cells, i64 {state.side}")
        text.do(f"store ptr {side}, ptr {text.field('%c', Context.last_side)}, align 8{CONTEXT}")


def proceed(text: ModuleText, function: str, state: TranslatedState, offset: int) -> None:
    """Leave to the interpreter with a state, at the decoded instruction or header at an offset."""
    note_side(text, state)
    kept = state.copy()
    kept.flush(text)
    arguments = f"i64 {offset}, ptr {kept.pointer(text)}, i64 {kept.gas}, i64 {kept.memory_size}, i64 {kept.cell}"
    text.give(f"{function}(ptr %c, {arguments})")
