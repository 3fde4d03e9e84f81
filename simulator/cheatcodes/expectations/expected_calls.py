"""`expectCall`: a call that must have come when the transaction ends."""

from __future__ import annotations

from dataclasses import replace

from simulator.abi.text import format_raw
from simulator.cheatcodes.core.errors import CheatcodeError, ExpectationFailedError
from simulator.cheatcodes.core.frames import EnteredFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import ExpectedCall

CALL_STIPEND = 2300  # of gas, on top of what a call with value is given


def count_call(vm: Session, entered: EnteredFrame) -> None:
    """Count a call for every expectation that it fits."""
    if entered.is_creation:
        return
    for expected in vm.state.expected_calls:
        if _fits(expected, entered):
            vm.seen_calls[expected.id] = vm.seen_calls.get(expected.id, 0) + 1


def _fits(expected: ExpectedCall, entered: EnteredFrame) -> bool:
    return (
        expected.callee == entered.code_address
        and entered.data.startswith(expected.data)
        and expected.value in (None, entered.value)
        and expected.gas in (None, entered.gas)
        and entered.gas >= (expected.least_gas or 0)
    )


def settle_calls(vm: Session) -> None:
    """The transaction has ended. Raises `ExpectationFailedError` for the first expectation that was not met."""
    for expected in vm.state.expected_calls:
        seen = vm.seen_calls.get(expected.id, 0)
        wanted = expected.least if expected.count is None else expected.count
        if seen < wanted or (expected.count is not None and seen != wanted):
            value = "" if expected.value is None else f", value {expected.value}"
            raise ExpectationFailedError(
                f"expected call to {expected.callee:#042x} with data {format_raw(expected.data)}{value} to be called "
                f"{_times(wanted)}, but was called {_times(seen)}"
            )


def _times(count: int) -> str:
    return f"{count} time{'' if count == 1 else 's'}"


def _expect(
    vm: Session,
    callee: int,
    data: bytes,
    value: int | None = None,
    gas: int | None = None,
    least_gas: int | None = None,
    count: int | None = None,
) -> None:
    """Without a count, expecting the same calldata again expects it once more, of the first value and gas."""
    if not vm.state.expected_calls:
        vm.seen_calls.clear()
    stipend = CALL_STIPEND if value else 0
    gas, least_gas = (None if each is None else each + stipend for each in (gas, least_gas))
    same = next((each for each in vm.state.expected_calls if (each.callee, each.data) == (callee, data)), None)
    if same is None:
        new = ExpectedCall(vm.next_id(), callee, data, value, gas, least_gas, count)
    elif count is None and same.count is None:
        new = replace(same, least=same.least + 1)
    else:
        raise CheatcodeError("vm.expectCall: counted expected calls can only be set once")
    vm.change(expected_calls=(*(each for each in vm.state.expected_calls if each is not same), new))


@cheatcode("expectCall(address,bytes)")
def expect_call(vm: Session, callee: int, data: bytes) -> None:
    _expect(vm, callee, data)


@cheatcode("expectCall(address,bytes,uint64)")
def expect_calls(vm: Session, callee: int, data: bytes, count: int) -> None:
    _expect(vm, callee, data, count=count)


@cheatcode("expectCall(address,uint256,bytes)")
def expect_call_with_value(vm: Session, callee: int, value: int, data: bytes) -> None:
    _expect(vm, callee, data, value)


@cheatcode("expectCall(address,uint256,bytes,uint64)")
def expect_calls_with_value(vm: Session, callee: int, value: int, data: bytes, count: int) -> None:
    _expect(vm, callee, data, value, count=count)


@cheatcode("expectCall(address,uint256,uint64,bytes)")
def expect_call_with_gas(vm: Session, callee: int, value: int, gas: int, data: bytes) -> None:
    _expect(vm, callee, data, value, gas)


@cheatcode("expectCall(address,uint256,uint64,bytes,uint64)")
def expect_calls_with_gas(vm: Session, callee: int, value: int, gas: int, data: bytes, count: int) -> None:
    _expect(vm, callee, data, value, gas, count=count)


@cheatcode("expectCallMinGas(address,uint256,uint64,bytes)")
def expect_call_with_least_gas(vm: Session, callee: int, value: int, gas: int, data: bytes) -> None:
    _expect(vm, callee, data, value, least_gas=gas)


@cheatcode("expectCallMinGas(address,uint256,uint64,bytes,uint64)")
def expect_calls_with_least_gas(vm: Session, callee: int, value: int, gas: int, data: bytes, count: int) -> None:
    _expect(vm, callee, data, value, least_gas=gas, count=count)
