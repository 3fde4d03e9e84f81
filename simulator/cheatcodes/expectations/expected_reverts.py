"""`expectRevert`: the next call of the calling frame must revert, and the caller sees a success."""

from __future__ import annotations

from dataclasses import replace

from simulator.abi.codec import decode
from simulator.abi.text import format_raw
from simulator.abi.types import String
from simulator.cheatcodes.core.errors import AssertionFailedError, CheatcodeError
from simulator.cheatcodes.core.frames import ERROR_SELECTOR, EndedFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import ExpectedRevert
from simulator.errors import AbiError

NO_REVERT = "next call did not revert as expected"


def settle_revert(vm: Session, expected: ExpectedRevert, ended: EndedFrame, reverter: int) -> None:
    """A call of the frame that expects has ended; `reverter` is the contract that a revert came from. Raises
    `AssertionFailedError` when it is not what was expected."""
    if expected.count == 0:
        if not ended.succeeded and _mismatch(expected, ended.output, reverter) is None:
            raise AssertionFailedError("call reverted when it was expected not to revert")
        return
    if ended.succeeded:
        raise AssertionFailedError(NO_REVERT)
    mismatch = _mismatch(expected, ended.output, reverter)
    if mismatch is not None:
        raise AssertionFailedError(mismatch)
    seen = expected.seen + 1
    vm.change(expected_revert=replace(expected, seen=seen) if seen < expected.count else None)
    ended.make_successful()


def _mismatch(expected: ExpectedRevert, output: bytes, reverter: int) -> str | None:
    if expected.reverter not in (None, reverter):
        return f"Reverter != expected reverter: {reverter:#042x} != {expected.reverter:#042x}"
    if expected.data is None:
        return None
    if expected.partial and output.startswith(expected.data):
        return None
    if expected.data in (output, _text_of(output)):
        return None
    return f"Error != expected error: {_shown(output)} != {_shown(expected.data)}"


def _text_of(output: bytes) -> bytes | None:
    """The text of `Error(string)`: `expectRevert("text")` hands over the text alone."""
    if output[:4] != ERROR_SELECTOR:
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
    if vm.state.expected_revert is not None and vm.state.expected_revert.count:
        raise CheatcodeError("you must call another function prior to expecting a second revert")
    vm.change(expected_revert=ExpectedRevert(vm.caller_depth, data, partial, reverter, count))


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
