"""`pauseGasMetering` and its family: parts of a transaction that use no gas.

While gas is not metered, every frame has plenty of it, and the GAS instruction shows what was left when the pause
began. When metering is resumed, or the transaction ends, the frames that run have that much again.
"""

from __future__ import annotations

from simulator.abi.hashing import selector
from simulator.cheatcodes.core.frames import EndedFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import PausedGas
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.records import pointer
from simulator.project import Project

PLENTY = 1 << 37
"""Gas of a frame while it is not metered: enough for minutes, so that a loop without an end comes to one."""


def pauses_gas(project: Project) -> bool:
    """Return whether some contract has the selector of `pauseGasMetering` in its code. Compiled code shows the gas that
    there is."""
    wanted = selector("pauseGasMetering()")
    return any(wanted in contract.creation_code for contract in project.contracts)


def begin_unmetered(vm: Session) -> None:
    """A frame begins. A transaction may begin with a pause that an earlier one left."""
    paused, context = vm.state.paused_gas, vm.machine.context
    if paused is None:
        return
    if context.depth == 0:
        _set(vm, PausedGas(0, context.gas))
    context.gas = PLENTY


def end_unmetered(vm: Session, ended: EndedFrame) -> None:
    """A frame has ended, and what it did is undone if it failed: give its caller the gas that it has now."""
    paused, context = vm.state.paused_gas, vm.machine.context
    kept = ended.record.gas if ended.depth else 0
    if paused is None:
        # The pause was undone with the frame.
        if context.gas >= PLENTY // 2:
            context.gas = kept
        return
    if ended.depth <= paused.depth:
        paused = PausedGas(ended.depth - 1, kept + paused.gas)
    if ended.depth == 0:
        context.gas = min(paused.gas, context.tx_gas)
        return
    _set(vm, paused)
    context.gas = PLENTY


def _set(vm: Session, paused: PausedGas | None) -> None:
    vm.change(paused_gas=paused)
    vm.machine.note(vm.machine.context.gas_cell)
    vm.machine.context.shown_gas = paused.gas if paused is not None else 0


@cheatcode("pauseGasMetering()")
def pause(vm: Session) -> None:
    if vm.state.paused_gas is not None or vm.caller_depth < 0:
        return
    _set(vm, PausedGas(vm.caller_depth, vm.gas_left))
    vm.frame.gas = PLENTY
    # Its end is to be seen also where it takes the pause back.
    vm.machine.context.followed_epoch = vm.machine.context.epoch


@cheatcode("resumeGasMetering()")
def resume(vm: Session) -> None:
    """The frame that calls has what was left when the pause began, also where an outer frame began it."""
    paused = vm.state.paused_gas
    if paused is None or vm.caller_depth < 0:
        return
    _set(vm, None)
    vm.machine.context.gas = 0
    vm.frame.gas = paused.gas
    for above in range(1, vm.caller_depth - paused.depth + 1):
        view(Frame, pointer(vm.frame) - above * Frame.SIZE).gas = 0


@cheatcode("resetGasMetering()")
def reset(vm: Session) -> None:
    """The transaction's own frame has all of its gas again."""
    if vm.caller_depth != 0:
        vm.warn_once("vm.resetGasMetering has no effect below the function that a transaction calls")
        return
    vm.machine.context.gas = 0
    vm.frame.gas = PLENTY if vm.state.paused_gas is not None else vm.machine.context.tx_gas
