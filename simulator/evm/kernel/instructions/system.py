"""0xa0 to 0xa4 and 0xf0 to 0xff: logs, calls, creations, destruction."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.calls.calls import call
from simulator.evm.kernel.calls.create import create
from simulator.evm.kernel.calls.destruction import destroy
from simulator.evm.kernel.instructions.macros import checked, halt, instruction, save_state
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.logs import write_log
from simulator.evm.kernel.records import Words
from simulator.evm.kernel.status import STOP


@instruction("LOG")
def log(machine: Context, sp: Words, gas: int, memory_size: int, argument: int) -> None:
    """The argument is the number of topics."""
    save_state()
    gas = write_log(machine, sp, argument, gas)
    checked(gas)
    memory_size = machine.memory_size
    sp -= 2 + argument


@instruction("CALL")
def any_call(machine: Context, argument: int) -> None:
    """The argument is the kind, see calls.py."""
    save_state()
    halt(call(machine, argument))


@instruction("CREATE")
def any_create(machine: Context, argument: int) -> None:
    save_state()
    halt(create(machine, argument))


@instruction("SELFDESTRUCT")
def selfdestruct(machine: Context, sp: Words, gas: int, memory: int, output: int, output_size: int) -> None:
    save_state()
    gas = destroy(machine, sp[-1], gas)
    checked(gas)
    output = memory
    output_size = 0
    halt(STOP)
