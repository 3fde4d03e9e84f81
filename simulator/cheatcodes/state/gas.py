"""Gas that calls and sections use: `startSnapshotGas`, `lastCallGas`. No file is written."""

from __future__ import annotations

from simulator.abi.hashing import selector
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.frames import EndedFrame, EnteredFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import CallGas
from simulator.project import Project

LAST_CALL = ("lastCallGas()", "snapshotGasLastCall(string)", "snapshotGasLastCall(string,string)")


def asks_for_last_call(project: Project) -> bool:
    """Return whether some contract has a selector of those in its code that need every call measured."""
    selectors = [selector(signature) for signature in LAST_CALL]
    return any(each in contract.creation_code for contract in project.contracts for each in selectors)


class CallMeter:
    """Keeps the gas of the call that ended last, for `LAST_CALL`; costs nothing where nobody asks."""

    def __init__(self, session: Session) -> None:
        self._vm = session
        self._limits: dict[int, int] = {}

    def begin(self, entered: EnteredFrame) -> None:
        if self._vm.measures_calls:
            self._limits[self._vm.machine.context.depth] = entered.gas

    def end(self, ended: EndedFrame) -> None:
        """To be told once the state is again what the frame leaves behind, as a change replaces all later ones."""
        if not self._vm.measures_calls or ended.depth == 0 or ended.is_creation:
            return
        limit = self._limits.get(ended.depth, 0)
        refunded = self._vm.machine.context.refund - ended.record.refund_mark
        self._vm.change(last_call=CallGas(limit, limit - ended.gas_left, refunded))

    def end_transaction(self) -> None:
        """A transaction ends well: to the next one it is an earlier call, as `setUp()` is to a test in forge."""
        if self._vm.measures_calls and self._vm.state.last_call is None:
            limit = self._limits.get(0, 0)
            self._vm.change(last_call=CallGas(limit, 0, 0))


def _last_call(vm: Session) -> CallGas:
    if vm.state.last_call is None:
        raise CheatcodeError("vm.lastCallGas: no external call was made yet")
    return vm.state.last_call


@cheatcode("lastCallGas()")
def last_call_gas(vm: Session) -> tuple[int, int, int, int, int]:
    """Gas given, used, used for memory (not told), refunded, and left."""
    last = _last_call(vm)
    return last.limit, last.used, 0, last.refunded, last.limit - last.used


@cheatcode("snapshotGasLastCall(string)")
def snapshot_last_call(vm: Session, _name: str) -> int:
    return _last_call(vm).used


@cheatcode("snapshotGasLastCall(string,string)")
def snapshot_last_call_in(vm: Session, _group: str, _name: str) -> int:
    return _last_call(vm).used


def _start(vm: Session, key: tuple[str, str]) -> None:
    others = {other: gas for other, gas in vm.state.gas_snapshots.items() if other != key}
    vm.change(gas_snapshots={**others, key: vm.gas_left})


def _stop(vm: Session, key: tuple[str, str]) -> int:
    left = vm.state.gas_snapshots
    if key not in left:
        raise CheatcodeError("vm.stopSnapshotGas: no active gas snapshot of this name; start it first")
    vm.change(gas_snapshots={other: gas for other, gas in left.items() if other != key})
    return max(left[key] - vm.gas_left, 0)


@cheatcode("startSnapshotGas(string)")
def start_snapshot(vm: Session, name: str) -> None:
    _start(vm, ("", name))


@cheatcode("startSnapshotGas(string,string)")
def start_snapshot_in(vm: Session, group: str, name: str) -> None:
    _start(vm, (group, name))


@cheatcode("stopSnapshotGas()", "stopSnapshotGas(string)")
def stop_last_snapshot(vm: Session, _name: str = "") -> int:
    """The one that was started last. As in forge, a name without a group names none."""
    return _stop(vm, next(reversed([*vm.state.gas_snapshots]), ("", "")))


@cheatcode("stopSnapshotGas(string,string)")
def stop_snapshot_in(vm: Session, group: str, name: str) -> int:
    return _stop(vm, (group, name))


@cheatcode("snapshotValue(string,uint256)", "snapshotValue(string,string,uint256)")
def snapshot_value(_vm: Session, *_arguments: object) -> None:
    """forge writes the value to a file, which nothing in a campaign reads."""
