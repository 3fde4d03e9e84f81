"""`expectRevert`: the next call of the calling frame must revert, and the caller sees a success."""

from __future__ import annotations

from dataclasses import replace

from simulator.abi.codec import decode
from simulator.abi.text import format_raw
from simulator.abi.types import String
from simulator.cheatcodes.core.errors import CheatcodeError, ExpectationFailedError
from simulator.cheatcodes.core.frames import CHEATCODE_ERROR_SELECTOR, ERROR_SELECTOR, EndedFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import ExpectedRevert
from simulator.errors import AbiError

NO_REVERT = "next call did not revert as expected"
NO_CALL = "call didn't revert at a lower depth than cheatcode call depth"


def note_reverter(vm: Session, ended: EndedFrame) -> None:
    """The first contract that reverts is the one that is compared, whatever its callers make of the revert; where
    several reverts are expected, it is the last one. A creation inside of a cheatcode of the frame (`deployCode`) is no
    call of that frame, but one below it."""
    expected = vm.state.expected_revert
    if expected is not None and ended.is_creation and ended.depth > expected.depth + 1:
        vm.expected_below = expected.id
    if not ended.reverted or (ended.is_creation and (expected is None or ended.depth > expected.depth + 1)):
        return
    for each in (expected, vm.state.assumed_success):
        if each is None:
            continue
        if isinstance(each, ExpectedRevert) and each.count > 1:
            vm.reverters[each.id] = ended.target_address
        vm.reverters.setdefault(each.id, ended.target_address)


def settle_revert(vm: Session, expected: ExpectedRevert, ended: EndedFrame) -> None:
    """A call of the frame that expects has ended. Raises `ExpectationFailedError` when not as expected."""
    reverter = vm.reverters.pop(expected.id, None)
    vm.change(expected_revert=None)
    if expected.count == 0:
        if not ended.succeeded:
            raise ExpectationFailedError("call reverted when it was expected not to revert")
        ended.make_successful()
        return
    if ended.succeeded:
        raise ExpectationFailedError(NO_REVERT)
    mismatch = _mismatch(expected, ended.output, reverter)
    if mismatch is not None:
        raise ExpectationFailedError(mismatch)
    if expected.seen + 1 < expected.count:
        vm.change(expected_revert=replace(expected, seen=expected.seen + 1))
    ended.make_successful()


def settle_own_revert(vm: Session, expected: ExpectedRevert, ended: EndedFrame) -> None:
    """The frame that expects has ended itself. Raises `ExpectationFailedError`, unless it is the revert to come."""
    if expected.seen == 0 and vm.expected_below != expected.id and not vm.rules.own_reverts_are_expected:
        vm.change(expected_revert=None)
        raise ExpectationFailedError(NO_CALL)
    settle_revert(vm, expected, ended)


def _mismatch(expected: ExpectedRevert, output: bytes, reverter: int | None) -> str | None:
    if expected.reverter is not None and reverter not in (None, expected.reverter):
        return f"Reverter != expected reverter: {reverter:#042x} != {expected.reverter:#042x}"
    if expected.data is None:
        return None
    if expected.data and not output:
        return "call reverted as expected, but without data"
    if expected.partial and output[:4] == expected.data[:4]:
        return None
    if expected.data in (output, _text_of(output)):
        return None
    return f"Error != expected error: {_shown(output)} != {_shown(expected.data)}"


def _text_of(output: bytes) -> bytes | None:
    """The text of an error with one: `expectRevert("text")` hands over the text alone."""
    if output[:4] not in (ERROR_SELECTOR, CHEATCODE_ERROR_SELECTOR):
        return None
    try:
        (text,) = decode((String(),), output[4:], strict=False)
    except AbiError:
        return None
    return str(text).encode("utf-8", "surrogateescape")


def _shown(data: bytes) -> str:
    text = _text_of(data)
    shown = data if text is None else text
    return shown.decode() if shown and shown.isascii() and shown.decode().isprintable() else format_raw(data)


def _expect(
    vm: Session, data: bytes | None = None, reverter: int | None = None, count: int = 1, *, partial: bool = False
) -> None:
    if vm.state.expected_revert is not None:
        raise CheatcodeError("you must call another function prior to expecting a second revert")
    vm.reverters.clear()
    vm.change(expected_revert=ExpectedRevert(vm.next_id(), vm.caller_depth, data, partial, reverter, count))


@cheatcode("expectRevert()")
def expect_any_revert(vm: Session) -> None:
    _expect(vm)


@cheatcode("expectRevert(bytes4)", "expectRevert(bytes)")
def expect_revert(vm: Session, data: bytes) -> None:
    _expect(vm, data)


@cheatcode("expectRevert(address)")
def expect_revert_of(vm: Session, reverter: int) -> None:
    _expect(vm, reverter=reverter)


@cheatcode("expectRevert(bytes4,address)", "expectRevert(bytes,address)")
def expect_revert_with_of(vm: Session, data: bytes, reverter: int) -> None:
    _expect(vm, data, reverter)


@cheatcode("expectRevert(uint64)")
def expect_reverts(vm: Session, count: int) -> None:
    _expect(vm, count=count)


@cheatcode("expectRevert(bytes4,uint64)", "expectRevert(bytes,uint64)")
def expect_reverts_with(vm: Session, data: bytes, count: int) -> None:
    _expect(vm, data, count=count)


@cheatcode("expectRevert(address,uint64)")
def expect_reverts_of(vm: Session, reverter: int, count: int) -> None:
    _expect(vm, reverter=reverter, count=count)


@cheatcode("expectRevert(bytes4,address,uint64)", "expectRevert(bytes,address,uint64)")
def expect_reverts_with_of(vm: Session, data: bytes, reverter: int, count: int) -> None:
    _expect(vm, data, reverter, count)


@cheatcode("expectPartialRevert(bytes4)")
def expect_partial_revert(vm: Session, data: bytes) -> None:
    _expect(vm, data, partial=True)


@cheatcode("expectPartialRevert(bytes4,address)")
def expect_partial_revert_of(vm: Session, data: bytes, reverter: int) -> None:
    _expect(vm, data, reverter, partial=True)
