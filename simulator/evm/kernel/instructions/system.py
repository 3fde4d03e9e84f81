"""0xa0 to 0xa4 and 0xf0 to 0xff: logs, calls, creations, destruction."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.calls import call
from simulator.evm.kernel.create import create
from simulator.evm.kernel.destruction import destroy
from simulator.evm.kernel.instructions.macros import checked, halt, instruction, save_state
from simulator.evm.kernel.layout import context
from simulator.evm.kernel.logs import write_log
from simulator.evm.kernel.memory_access import load_i64, load_word
from simulator.evm.kernel.status import STOP


@instruction("LOG")
def log(c: int, sp: int, gas: int, memory_size: int, argument: int) -> None:
    """The argument is the number of topics."""
    save_state()
    gas = write_log(c, sp, argument, gas)
    checked(gas)
    memory_size = load_i64(c + context.MEMORY_SIZE)
    sp -= 64 + 32 * argument


@instruction("CALL")
def any_call(c: int, argument: int) -> None:
    """The argument is the kind, see calls.py."""
    save_state()
    halt(call(c, argument))


@instruction("CREATE")
def any_create(c: int, argument: int) -> None:
    save_state()
    halt(create(c, argument))


@instruction("SELFDESTRUCT")
def selfdestruct(c: int, sp: int, gas: int, memory: int, output: int, output_size: int) -> None:
    save_state()
    gas = destroy(c, load_word(sp - 32), gas)
    checked(gas)
    output = memory
    output_size = 0
    halt(STOP)
