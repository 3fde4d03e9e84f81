"""`mockCall` and its family: answers in the place of a contract's code."""

from __future__ import annotations

from dataclasses import replace

from simulator.cheatcodes.core.frames import EnteredFrame, take_code_of
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import Mock, MockedFunction
from simulator.evm.results import HostAnswer


def answer_mocked(vm: Session, entered: EnteredFrame) -> HostAnswer | None:
    """The answer of the mock that fits a call best: the longest calldata, then one that asks for the value."""
    fitting = [mock for mock in vm.state.mocks if _fits(mock, entered)]
    if not fitting or entered.is_creation:
        return None
    mock = max(fitting, key=lambda mock: (len(mock.data), mock.value is not None))
    if not mock.outputs:
        return None
    if len(mock.outputs) > 1:
        used = replace(mock, outputs=mock.outputs[1:])
        vm.change(mocks=tuple(used if each is mock else each for each in vm.state.mocks))
    return HostAnswer(mock.outputs[0], reverted=mock.reverts)


def _fits(mock: Mock, entered: EnteredFrame) -> bool:
    return (
        mock.callee == entered.code_address
        and entered.data.startswith(mock.data)
        and mock.value in (None, entered.value)
    )


def redirect_mocked(vm: Session, entered: EnteredFrame) -> EnteredFrame:
    """Let a call of a mocked function run the code it is mocked with. Returns the frame as one of that code: mocks and
    expectations that name the other contract do not fit it any more."""
    if not vm.state.mocked_functions or entered.is_creation:
        return entered
    targets = {mock.data: mock.target for mock in vm.state.mocked_functions if mock.callee == entered.code_address}
    target = targets.get(entered.data, targets.get(entered.data[:4]))
    if target is None:
        return entered
    take_code_of(vm.machine, vm.machine.accounts.record(target).code)
    return replace(entered, code_address=target)


def _add(vm: Session, mock: Mock) -> None:
    """A mock of the same calls replaces the earlier one."""
    vm.mockable(mock.callee)
    if not vm.machine.get_code(mock.callee):
        vm.give_some_code(mock.callee)
    key = (mock.callee, mock.value, mock.data)
    others = tuple(each for each in vm.state.mocks if (each.callee, each.value, each.data) != key)
    vm.change(mocks=(*others, mock))


@cheatcode("mockCall(address,bytes,bytes)", "mockCall(address,bytes4,bytes)")
def mock_call(vm: Session, callee: int, data: bytes, output: bytes) -> None:
    _add(vm, Mock(callee, None, data, (output,), False))


@cheatcode("mockCall(address,uint256,bytes,bytes)", "mockCall(address,uint256,bytes4,bytes)")
def mock_call_with_value(vm: Session, callee: int, value: int, data: bytes, output: bytes) -> None:
    _add(vm, Mock(callee, value, data, (output,), False))


@cheatcode("mockCallRevert(address,bytes,bytes)", "mockCallRevert(address,bytes4,bytes)")
def mock_call_revert(vm: Session, callee: int, data: bytes, output: bytes) -> None:
    _add(vm, Mock(callee, None, data, (output,), True))


@cheatcode("mockCallRevert(address,uint256,bytes,bytes)", "mockCallRevert(address,uint256,bytes4,bytes)")
def mock_call_revert_with_value(vm: Session, callee: int, value: int, data: bytes, output: bytes) -> None:
    _add(vm, Mock(callee, value, data, (output,), True))


@cheatcode("mockCalls(address,bytes,bytes[])")
def mock_calls(vm: Session, callee: int, data: bytes, outputs: tuple[bytes, ...]) -> None:
    _add_calls(vm, callee, None, data, outputs)


@cheatcode("mockCalls(address,uint256,bytes,bytes[])")
def mock_calls_with_value(vm: Session, callee: int, value: int, data: bytes, outputs: tuple[bytes, ...]) -> None:
    _add_calls(vm, callee, value, data, outputs)


def _add_calls(vm: Session, callee: int, value: int | None, data: bytes, outputs: tuple[bytes, ...]) -> None:
    """Without outputs, such calls are no longer mocked."""
    _add(vm, Mock(callee, value, data, outputs, False))


@cheatcode("mockFunction(address,address,bytes)")
def mock_function(vm: Session, callee: int, target: int, data: bytes) -> None:
    others = tuple(
        each for each in vm.state.mocked_functions if (each.callee, each.data) != (vm.changeable(callee), data)
    )
    vm.change(mocked_functions=(*others, MockedFunction(callee, data, target)))


@cheatcode("clearMockedCalls()")
def clear_mocked_calls(vm: Session) -> None:
    """Functions that are mocked stay so."""
    vm.change(mocks=())
