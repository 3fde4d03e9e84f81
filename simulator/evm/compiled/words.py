"""Arithmetic, comparisons, bits and the stack: what needs nothing but operands."""

from __future__ import annotations

from collections.abc import Callable

from simulator.evm.compiled.blocks import DecodedInstruction
from simulator.evm.compiled.trace import UNLIKELY, Trace
from simulator.evm.compiled.translations import TRANSLATIONS, translation
from simulator.evm.compiled.values import Value, constant
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.plain import division
from simulator.evm.kernel.plain import words as plain
from simulator.evm.kernel.plain.words import Word
from simulator.evm.kernel.records import Field

Emit = Callable[[Trace, Value, Value], Value]
SHIFTS = {"SHL": "shl", "SHR": "lshr", "SAR": "ashr"}
COMPARISONS = {"LT": "ult", "GT": "ugt", "SLT": "slt", "SGT": "sgt", "EQ": "eq"}
MAX_SHIFT = 255


def _known(*values: Value) -> bool:
    return all(value.constant is not None for value in values)


def _words(*values: Value) -> list[Word]:
    return [Word(value.constant or 0) for value in values]


def _register_binary(name: str, emit: Emit, fold: Callable[[Word, Word], int]) -> None:
    def translate(trace: Trace, instruction: DecodedInstruction) -> None:
        left, right = trace.pop(), trace.pop()
        if _known(left, right):
            trace.push(constant(int(fold(*_words(left, right)))))
        else:
            trace.push(emit(trace, left, right))

    TRANSLATIONS[name] = translate


def _plain_operation(operation: str) -> Emit:
    return lambda trace, left, right: Value(trace.let(f"{operation} i256 {left.text}, {right.text}"))


def _and(trace: Trace, left: Value, right: Value) -> Value:
    for value, other in ((left, right), (right, left)):
        if value.bit is not None and other.constant is not None and other.constant & 1:
            return value
    return Value(trace.let(f"and i256 {left.text}, {right.text}"))


def _divide(helper: Field, by_power: Callable[[int], str]) -> Emit:
    """Division, as a shift or a mask where the divisor is a known power of two."""

    def emit(trace: Trace, dividend: Value, divisor: Value) -> Value:
        known = divisor.constant
        if known is not None and known.bit_count() == 1:
            return Value(trace.let(by_power(known).replace("$", dividend.text)))
        return Value(trace.call(helper, f"i256 {dividend.text}, i256 {divisor.text}", "i256"))

    return emit


def _helper(helper: Field) -> Emit:
    return lambda trace, left, right: Value(trace.call(helper, f"i256 {left.text}, i256 {right.text}", "i256"))


def _shift(operation: str) -> Emit:
    def emit(trace: Trace, amount: Value, value: Value) -> Value:
        known = amount.constant
        if known is not None and (known <= MAX_SHIFT or operation == "ashr"):
            return Value(trace.let(f"{operation} i256 {value.text}, {min(known, MAX_SHIFT)}"))
        if known is not None:
            return constant(0)
        large = trace.let(f"icmp ugt i256 {amount.text}, {MAX_SHIFT}")
        instead = MAX_SHIFT if operation == "ashr" else 0
        safe = trace.let(f"select i1 {large}, i256 {instead}, i256 {amount.text}")
        shifted = trace.let(f"{operation} i256 {value.text}, {safe}")
        return Value(shifted if operation == "ashr" else trace.let(f"select i1 {large}, i256 0, i256 {shifted}"))

    return emit


def _byte(trace: Trace, index: Value, value: Value) -> Value:
    inside = trace.let(f"icmp ult i256 {index.text}, 32")
    bits = trace.let(f"shl i256 {index.text}, 3")
    distance = trace.let(f"sub i256 248, {bits}")
    safe = trace.let(f"select i1 {inside}, i256 {distance}, i256 0")
    shifted = trace.let(f"lshr i256 {value.text}, {safe}")
    low = trace.let(f"and i256 {shifted}, 255")
    return Value(trace.let(f"select i1 {inside}, i256 {low}, i256 0"))


def _sign_extend(trace: Trace, index: Value, value: Value) -> Value:
    inside = trace.let(f"icmp ult i256 {index.text}, 31")
    bits = trace.let(f"shl i256 {index.text}, 3")
    distance = trace.let(f"sub i256 248, {bits}")
    safe = trace.let(f"select i1 {inside}, i256 {distance}, i256 0")
    raised = trace.let(f"shl i256 {value.text}, {safe}")
    return Value(trace.let(f"ashr i256 {raised}, {safe}"))


_SIMPLE: dict[str, tuple[Emit, Callable[[Word, Word], int]]] = {
    "ADD": (_plain_operation("add"), lambda left, right: left + right),
    "SUB": (_plain_operation("sub"), lambda left, right: left - right),
    "MUL": (_plain_operation("mul"), lambda left, right: left * right),
    "AND": (_and, lambda left, right: left & right),
    "OR": (_plain_operation("or"), lambda left, right: left | right),
    "XOR": (_plain_operation("xor"), lambda left, right: left ^ right),
    "BYTE": (_byte, plain.byte_of),
    "SIGNEXTEND": (_sign_extend, plain.sign_extend),
    "SHL": (_shift("shl"), lambda amount, value: plain.shift_left(value, amount)),
    "SHR": (_shift("lshr"), lambda amount, value: plain.shift_right(value, amount)),
    "SAR": (_shift("ashr"), lambda amount, value: plain.shift_right_arithmetic(value, amount)),
    "DIV": (
        _divide(Helpers.divide, lambda power: f"lshr i256 $, {power.bit_length() - 1}"),
        division.divide,
    ),
    "MOD": (_divide(Helpers.modulo, lambda power: f"and i256 $, {power - 1}"), division.modulo),
}
for _name, (_emit, _fold) in _SIMPLE.items():
    _register_binary(_name, _emit, _fold)


def _register_helper(name: str, helper: Field) -> None:
    def translate(trace: Trace, instruction: DecodedInstruction) -> None:
        trace.push(_helper(helper)(trace, trace.pop(), trace.pop()))

    TRANSLATIONS[name] = translate


_register_helper("SDIV", Helpers.divide_signed)
_register_helper("SMOD", Helpers.modulo_signed)


def _register_modular(name: str, helper: Field) -> None:
    def translate(trace: Trace, instruction: DecodedInstruction) -> None:
        left, right, modulus = trace.pop(), trace.pop(), trace.pop()
        trace.push(Value(trace.call(helper, f"i256 {left.text}, i256 {right.text}, i256 {modulus.text}", "i256")))

    TRANSLATIONS[name] = translate


_register_modular("ADDMOD", Helpers.add_modulo)
_register_modular("MULMOD", Helpers.multiply_modulo)


def log_comparison(trace: Trace, left: Value, right: Value, pc: int) -> None:
    """Append to the comparison log when it is on."""
    text = trace.text
    cold, after = text.label("log", cold=True), text.label("logged")
    text.choose("%comparing", cold, after, UNLIKELY)
    text.here = cold
    trace.call(Helpers.append_comparison, f"ptr %c, i256 {left.text}, i256 {right.text}, i64 {pc}")
    text.branch(after)
    text.here = after


def _register_comparison(name: str, predicate: str) -> None:
    def translate(trace: Trace, instruction: DecodedInstruction) -> None:
        left, right = trace.pop(), trace.pop()
        log_comparison(trace, left, right, instruction.extra)
        trace.push_bit(trace.let(f"icmp {predicate} i256 {left.text}, {right.text}"))

    TRANSLATIONS[name] = translate


for _name, _predicate in COMPARISONS.items():
    _register_comparison(_name, _predicate)


def _register_tested(name: str, operation: str) -> None:
    def translate(trace: Trace, instruction: DecodedInstruction) -> None:
        left, right = trace.pop(), trace.pop()
        log_comparison(trace, left, right, instruction.extra)
        trace.push_named(f"{operation} i256 {left.text}, {right.text}")

    TRANSLATIONS[name] = translate


_register_tested("SUB_TESTED", "sub")
_register_tested("XOR_TESTED", "xor")


@translation("ISZERO")
def iszero(trace: Trace, instruction: DecodedInstruction) -> None:
    value = trace.pop()
    if value.constant is not None:
        trace.push(constant(int(value.constant == 0)))
    elif value.bit is not None:
        trace.push_bit(trace.let(f"xor i1 {value.bit}, true"))
    else:
        trace.push_bit(trace.let(f"icmp eq i256 {value.text}, 0"))


@translation("NOT")
def not_(trace: Trace, instruction: DecodedInstruction) -> None:
    value = trace.pop()
    if value.constant is not None:
        trace.push(constant(~value.constant))
    else:
        trace.push_named(f"xor i256 {value.text}, -1")


@translation("CLZ")
def clz(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.push_named(f"call i256 @llvm.ctlz.i256(i256 {trace.pop().text}, i1 false)")


@translation("EXP")
def exp(trace: Trace, instruction: DecodedInstruction) -> None:
    base, exponent = trace.pop(), trace.pop()
    price = trace.load_field(Context.gas_exponent_byte)
    if exponent.constant is not None:
        size = str((exponent.constant.bit_length() + 7) // 8)
    else:
        zeros = trace.let(f"call i256 @llvm.ctlz.i256(i256 {exponent.text}, i1 false)")
        count = trace.let(f"trunc i256 {zeros} to i64")
        rounded = trace.let(f"sub i64 263, {count}")
        size = trace.let(f"lshr i64 {rounded}, 3")
    trace.charge(trace.let(f"mul i64 {price}, {size}"))
    if base.constant is not None and exponent.constant is not None:
        trace.push(constant(pow(base.constant, exponent.constant, 1 << 256)))
    else:
        trace.push(_helper(Helpers.power)(trace, base, exponent))


@translation("PUSH")
def push(trace: Trace, instruction: DecodedInstruction) -> None:
    assert instruction.word is not None, "every PUSH has a constant"
    trace.push(constant(instruction.word))


@translation("POP")
def pop(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.state.drop(1)


@translation("DUP")
def dup(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.push(trace.state.peek(trace.text, instruction.argument // 32))


@translation("SWAP")
def swap(trace: Trace, instruction: DecodedInstruction) -> None:
    trace.state.swap(trace.text, instruction.argument // 32)
