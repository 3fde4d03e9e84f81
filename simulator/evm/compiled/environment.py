"""Memory, hashing, calldata, the environment, storage and logs."""

from __future__ import annotations

from simulator.evm.compiled.blocks import DecodedInstruction
from simulator.evm.compiled.trace import CONTEXT, MEMORY, Trace
from simulator.evm.compiled.translations import translation
from simulator.evm.compiled.values import Value
from simulator.evm.kernel.feedback.reads import BLOCK
from simulator.evm.kernel.instructions.memory import GAS_HASH_WORD
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.memory.memory import GAS_COPY_WORD


def _load_big_endian(trace: Trace, address: str) -> str:
    return trace.swapped(trace.let(f"load i256, ptr {address}, align 1{MEMORY}"))


@translation("MLOAD")
def mload(trace: Trace, instruction: DecodedInstruction) -> None:
    offset = trace.saturated(trace.pop())
    trace.touch(trace.add(offset, "32"))
    trace.push(Value(_load_big_endian(trace, trace.memory_at(offset))))


@translation("MSTORE")
def mstore(trace: Trace, instruction: DecodedInstruction) -> None:
    offset, value = trace.saturated(trace.pop()), trace.pop()
    trace.touch(trace.add(offset, "32"))
    trace.text.do(f"store i256 {trace.swapped(value.text)}, ptr {trace.memory_at(offset)}, align 1{MEMORY}")


@translation("MSTORE8")
def mstore8(trace: Trace, instruction: DecodedInstruction) -> None:
    offset, value = trace.saturated(trace.pop()), trace.pop()
    trace.touch(trace.add(offset, "1"))
    low = trace.let(f"trunc i256 {value.text} to i8")
    trace.text.do(f"store i8 {low}, ptr {trace.memory_at(offset)}, align 1{MEMORY}")


@translation("MSIZE")
def msize(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.push_i64(trace.state.memory_size)


def _words_of(trace: Trace, size: str) -> str:
    padded = trace.add(size, "31")
    return str(int(padded) >> 5) if padded.isdecimal() else trace.let(f"lshr i64 {padded}, 5")


def _price(trace: Trace, size: str, each: int) -> str:
    words = _words_of(trace, size)
    return str(int(words) * each) if words.isdecimal() else trace.let(f"mul i64 {words}, {each}")


@translation("KECCAK256")
def keccak256(trace: Trace, instruction: DecodedInstruction) -> None:
    offset, size = trace.saturated(trace.pop()), trace.saturated(trace.pop())
    trace.charge(_price(trace, size, GAS_HASH_WORD))
    trace.touch(trace.add(offset, size), size)
    address = trace.memory_at(offset)
    trace.push(Value(trace.call(Helpers.hash_bytes, f"ptr %c, ptr {address}, i64 {size}", "i256")))


@translation("CALLDATALOAD")
def calldataload(trace: Trace, instruction: DecodedInstruction) -> None:
    offset, text = trace.saturated(trace.pop()), trace.text
    inside = trace.let(f"icmp ule i64 {trace.add(offset, '32')}, %calldata_size")
    padded, direct = text.label("padded", cold=True), text.label("calldata")
    joined = text.join("loaded", {"at": "ptr"})
    text.choose(inside, direct, padded)
    text.here = padded
    scratch = trace.text.field("%c", Context.scratch)
    trace.call(Helpers.copy_padded, f"ptr {scratch}, ptr %calldata, i64 %calldata_size, i64 {offset}, i64 32")
    joined.add(text.here, at=scratch)
    text.branch(joined.label)
    text.here = direct
    joined.add(text.here, at=trace.let(f"getelementptr i8, ptr %calldata, i64 {offset}"))
    text.branch(joined.label)
    text.here = joined.label
    # The scratch space is neither the frame's memory nor another field: no tag.
    trace.push(Value(trace.swapped(trace.let(f"load i256, ptr {joined.values['at']}, align 1"))))


def _copy(trace: Trace, source: str, source_size: str, target: str, offset: str, size: str) -> None:
    """Call the kernel's copy, which keeps the memory size in the context."""
    trace.store_field(Context.memory_size, "i64", trace.state.memory_size)
    ranges = f"i64 {target}, ptr {source}, i64 {source_size}, i64 {offset}, i64 {size}"
    left = trace.call(Helpers.copy_within, f"ptr %c, {ranges}, i64 {trace.state.gas}, i64 {trace.reserve()}")
    trace.leave_when(f"icmp slt i64 {left}, 0")
    trace.state.memory_size = trace.load_field(Context.memory_size)
    trace.state.gas = left


def _ranges(trace: Trace) -> tuple[str, str, str]:
    """Target, offset and size of a copy."""
    target, offset = trace.saturated(trace.pop()), trace.saturated(trace.pop())
    return target, offset, trace.saturated(trace.pop())


@translation("CALLDATACOPY")
def calldatacopy(trace: Trace, instruction: DecodedInstruction) -> None:
    _copy(trace, "%calldata", "%calldata_size", *_ranges(trace))


@translation("CODECOPY")
def codecopy(trace: Trace, instruction: DecodedInstruction) -> None:
    source = trace.load_at("%code", Code.bytes, "ptr", CONTEXT)
    _copy(trace, source, trace.load_at("%code", Code.bytes_size, "i64", CONTEXT), *_ranges(trace))


@translation("RETURNDATACOPY")
def returndatacopy(trace: Trace, instruction: DecodedInstruction) -> None:
    source, source_size = trace.load_field(Context.returndata, "ptr"), trace.load_field(Context.returndata_size)
    target, offset, size = _ranges(trace)
    trace.leave_when(f"icmp ugt i64 {trace.add(offset, size)}, {source_size}")
    _copy(trace, source, source_size, target, offset, size)
    trace.store_field(Context.returned_at, "ptr", trace.memory_at(target))


@translation("MCOPY")
def mcopy(trace: Trace, instruction: DecodedInstruction) -> None:
    target, offset, size = _ranges(trace)
    further = trace.let(f"call i64 @llvm.umax.i64(i64 {target}, i64 {offset})")
    trace.charge(_price(trace, size, GAS_COPY_WORD))
    trace.touch(trace.add(further, size), size)
    trace.text.do(
        f"call void @llvm.memmove.p0.p0.i64(ptr {trace.memory_at(target)}, ptr {trace.memory_at(offset)}, "
        f"i64 {size}, i1 false)"
    )


@translation("ENVIRONMENT")
def environment(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.push(Value(trace.load_word_at(instruction.argument)))


@translation("BLOCK_ENVIRONMENT")
def block_environment(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.call(Helpers.mark_volatile, f"ptr %c, i64 {BLOCK}")
    trace.push(Value(trace.load_word_at(instruction.argument)))


@translation("SELFBALANCE")
def selfbalance(trace: Trace, instruction: DecodedInstruction) -> None:
    record = trace.load_field(Context.account, "ptr")
    trace.call(Helpers.mark_balance, f"ptr %c, ptr {record}")
    trace.push(Value(trace.load_at(record, Account.balance, "i256")))


@translation("SLOAD")
def sload(trace: Trace, instruction: DecodedInstruction) -> None:
    key, text = trace.pop(), trace.text
    entry = trace.call(Helpers.reach_slot, f"ptr %c, i256 {key.text}", "ptr")
    trace.leave_when(f"icmp eq ptr {entry}, null")
    epoch = trace.load_at(entry, Slot.warm_epoch)
    warm = trace.let(f"icmp eq i64 {epoch}, %epoch")
    joined = text.join("warm", {"gas": "i64"})
    cold = text.label("cold")
    joined.add(text.here, gas=trace.state.gas)
    text.choose(warm, joined.label, cold)
    text.here = cold
    price, paid = trace.load_field(Context.gas_cold_sload), trace.load_field(Context.gas_warm_sload)
    trace.charge(trace.let(f"sub i64 {price}, {paid}"))
    trace.call(Helpers.warm_slot, f"ptr %c, ptr {entry}", "i8")
    joined.add(text.here, gas=trace.state.gas)
    text.branch(joined.label)
    text.here = joined.label
    trace.state.gas = joined.values["gas"]
    trace.push(Value(trace.load_at(entry, Slot.value, "i256")))


@translation("SSTORE")
def sstore(trace: Trace, instruction: DecodedInstruction) -> None:
    key, value = trace.pop(), trace.pop()
    amounts = f"i64 {trace.state.gas}, i64 {trace.reserve()}"
    left = trace.call(Helpers.store_within, f"ptr %c, i256 {key.text}, i256 {value.text}, {amounts}")
    trace.leave_when(f"icmp slt i64 {left}, 0")
    trace.state.gas = left


@translation("LOG")
def log(trace: Trace, instruction: DecodedInstruction) -> None:
    state = trace.state
    state.flush(trace.text)
    trace.store_field(Context.memory_size, "i64", state.memory_size)
    trace.store_field(Context.cell, "ptr", trace.let(f"getelementptr i8, ptr %cells, i64 {state.cell}"))
    place = f"ptr {state.pointer(trace.text)}, i64 {instruction.argument}"
    left = trace.call(Helpers.log_within, f"ptr %c, {place}, i64 {state.gas}, i64 {trace.reserve()}")
    trace.leave_when(f"icmp slt i64 {left}, 0")
    state.memory_size = trace.load_field(Context.memory_size)
    state.drop(2 + instruction.argument)
    state.gas = left
