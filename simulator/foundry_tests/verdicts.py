"""Questions of an exported test after its calls, as Solidity."""

from __future__ import annotations

from typing import assert_never

from simulator.abi.hashing import checksum_address
from simulator.foundry_tests.literals import string_literal
from simulator.foundry_tests.model import (
    AssertionCheck,
    Check,
    DestructionCheck,
    EventCheck,
    InvariantCheck,
    OptimizationCheck,
    OverflowCheck,
    PropertyCheck,
    SuccessCheck,
)
from simulator.modes.foundry import AFTER_INVARIANT
from simulator.transaction import address_int

_PANIC_OVERFLOW = 'keccak256(abi.encodeWithSignature("Panic(uint256)", uint256(0x11)))'


def failure_text(check: Check) -> str:
    """With what the test reverts as long as the fault is there."""
    match check:
        case AssertionCheck():
            return "the last call fails an assertion"
        case EventCheck():
            return "the last call emits AssertionFailed"
        case OverflowCheck():
            return "the last call overflows"
        case PropertyCheck(signature, _, expects_revert):
            return f"{signature} does not revert" if expects_revert else f"{signature} is not true"
        case OptimizationCheck(signature, _, value):
            return f"{signature} reaches {value}"
        case DestructionCheck():
            return "the last call destroys a contract"
        case SuccessCheck():
            return "the last call fails"
        case InvariantCheck(signature):
            return f"{signature} fails"
        case _:
            assert_never(check)


def before_last_call(check: Check) -> list[str]:
    """Statements that must come before the call that is checked."""
    match check:
        case AssertionCheck() | EventCheck():
            return ["Replay.vm.recordLogs();"]
        case DestructionCheck():
            return ["Replay.vm.startStateDiffRecording();"]
        case _:
            return []


def verdict(check: Check, *, has_last_call: bool = True) -> list[str]:
    """Statements behind the calls: what is called, and what is required of it."""
    text = string_literal(failure_text(check))
    condition = _condition(check)
    if isinstance(check, InvariantCheck) and has_last_call:
        handled = "(isHandled || Replay.isRejection(handled))"
        is_wrong = f"!{handled}" if check.is_strict else "!isHandled && Replay.isAssertionFailure(handled)"
        condition = f"!({is_wrong}) && {condition}"
    if isinstance(check, InvariantCheck) and check.asks_after:
        # It is asked where the last call went well.
        asked = "(isOver || Replay.isRejection(over))"
        condition += f" && {f'(!isHandled || {asked})' if has_last_call else asked}"
    return [*_observation(check), "require(", f"    {condition},", f"    {text}", ");"]


def last_call_wanted(check: Check) -> str:
    """Return the results of the sequence's last call that are given names."""
    return "(bool isHandled, bytes memory handled,) = " if isinstance(check, InvariantCheck) else results_wanted(check)


def results_wanted(check: Check) -> str:
    """Return the results of the checked call that are given names."""
    match check:
        case AssertionCheck():
            return "(bool success, bytes memory result, bool usedAllGas) = "
        case OverflowCheck() | SuccessCheck() | PropertyCheck(_, _, False) | OptimizationCheck() | InvariantCheck():
            return "(bool success, bytes memory result,) = "
        case PropertyCheck():
            return "(bool success,,) = "
        case EventCheck() | DestructionCheck():
            return ""
        case _:
            assert_never(check)


def _condition(check: Check) -> str:
    match check:
        case AssertionCheck(panics):
            ways = ["Replay.assertionFailed(success, result, usedAllGas)"] if 1 in panics else []
            ways += ["Replay.isOtherPanic(success, result)"] if any(code != 1 for code in panics) else []
            return " && ".join(f"!{way}" for way in ways) or "true"
        case EventCheck():
            return "!Replay.assertionEventEmitted()"
        case OverflowCheck():
            return f"success || keccak256(result) != {_PANIC_OVERFLOW}"
        case PropertyCheck(_, _, expects_revert):
            if expects_revert:
                return "!success"
            holds = "result.length >= 32 && abi.decode(result, (uint256)) == 1"
            return f"success ? {holds} : Replay.isRejection(result)"
        case OptimizationCheck(_, _, value):
            return f"!success || result.length < 32 || abi.decode(result, (int256)) < {_signed(value)}"
        case DestructionCheck(address):
            account = checksum_address(address_int(address)) if address else "address(0)"
            return f"!Replay.isDestroyed({account})"
        case SuccessCheck() | InvariantCheck():
            return "(success || Replay.isRejection(result)) && !Replay.isMarkedFailed(TARGET)"
        case _:
            assert_never(check)


def _signed(value: int) -> str:
    return "type(int256).min" if value == -(1 << 255) else str(value)


def _observation(check: Check) -> list[str]:
    match check:
        case PropertyCheck() | OptimizationCheck() | InvariantCheck():
            asked = ["// What must hold.", *_asked(check, check.signature, results_wanted(check))]
            if isinstance(check, InvariantCheck) and check.asks_after:
                asked += _asked(check, AFTER_INVARIANT, "(bool isOver, bytes memory over,) = ")
            return asked
        case _:
            return []


def _asked(check: PropertyCheck | OptimizationCheck | InvariantCheck, signature: str, results: str) -> list[str]:
    who = checksum_address(address_int(check.sender))
    return [
        f"{results}Replay.send(",
        *(f"    {argument}," for argument in (who, "TARGET", "0", str(check.gas))),
        f"    abi.encodeWithSignature({string_literal(signature)})",
        ");",
    ]
