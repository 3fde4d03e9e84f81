"""Why a test failed, as one sentence for people."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.abi.codec import decode
from simulator.abi.contract import CustomError
from simulator.abi.reasons import decode_reason
from simulator.abi.types import Int
from simulator.errors import AbiError
from simulator.evm.results import Result, Status
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.checking.replay import Replayed
from simulator.modes.forge_std import SKIPPED

Errors = Mapping[bytes, CustomError]


def failure_reason(oracle: Oracle, replayed: Replayed, errors: Errors | None = None) -> str:
    """The reason shown beside a falsified test; the outcome of its last call tells it. `errors` are custom errors by
    selector."""
    if replayed.unavailable:
        return f"the test failed, but could not be traced: {replayed.unavailable}"
    match oracle.check:
        case Check.PROPERTY_TRUE | Check.PROPERTY_REVERTS | Check.OPTIMIZATION:
            return _property_reason(oracle, replayed.property_result, errors)
        case Check.FUNCTION_ASSERTS:
            return _assertion_reason(_last(replayed), errors)
        case Check.ASSERTION_EVENT:
            return "the event AssertionFailed was emitted"
        case Check.OVERFLOW:
            return "arithmetic overflow or underflow: Panic(17)"
        case Check.TARGET_DESTROYED:
            return "the target contract destroyed itself"
        case Check.ANY_DESTROYED:
            return "a contract destroyed itself"
        case Check.FOUNDRY_TEST:
            return _before_reason(replayed, errors) or _foundry_reason(_last(replayed), errors)
        case Check.FOUNDRY_INVARIANT:
            return _invariant_reason(replayed, errors)
        case Check.DECIDED | Check.SKIPPED:
            return oracle.reason
        case Check.NOTHING | Check.FOUNDRY_AFTER:
            return ""


def _property_reason(oracle: Oracle, result: Result | None, errors: Errors | None) -> str:
    if result is None:
        return ""
    if oracle.check is Check.OPTIMIZATION:
        return f"maximum value {optimization_value(result)}"
    if oracle.check is Check.PROPERTY_REVERTS:
        return "the call did not revert"
    if result.success:
        return "the property returned false"
    return f"the property failed: {outcome_text(result, errors)}"


def _before_reason(replayed: Replayed, errors: Errors | None) -> str:
    """Why a call failed that comes before a Foundry test; empty where none did."""
    failed = next((each for each in replayed.results[:-1] if each is not None and not each.success), None)
    return "" if failed is None else f"a call of beforeTestSetup failed: {outcome_text(failed, errors)}"


def _foundry_reason(result: Result | None, errors: Errors | None) -> str:
    """Why a call failed a Foundry test; one that succeeded has stored the failure."""
    if result is None or result.success:
        return "a failure was stored at the cheatcode address, as ds-test does"
    return outcome_text(result, errors)


def _invariant_reason(replayed: Replayed, errors: Errors | None) -> str:
    """Return the reason that broke an invariant: itself, `afterInvariant`, or the call before it."""
    own, after = replayed.property_result, replayed.after_result
    if own is not None and not own.success:
        return outcome_text(own, errors)
    if after is not None and not after.success:
        return f"afterInvariant: {outcome_text(after, errors)}"
    return _foundry_reason(_last(replayed), errors)


def _assertion_reason(result: Result | None, errors: Errors | None) -> str:
    if result is None or result.success:
        return "the event AssertionFailed was emitted"
    outcome = outcome_text(result, errors)
    if "assertion failed" in outcome or outcome.startswith("Panic("):
        return outcome
    if result.status is Status.INVALID_OPCODE:
        return f"assertion failed: {outcome}"
    return f"the event AssertionFailed was emitted, then the call was undone: {outcome}"


def outcome_text(result: Result, errors: Errors | None = None) -> str:
    """Describe how a transaction ended: the decoded revert reason where there is one. `errors` are custom ones by
    selector."""
    if result.success:
        return "success"
    return decode_reason(result.output, errors).text if result.output else result.status.text


def skip_reason(output: bytes) -> str:
    """Why a test skipped itself, as it said with `vm.skip`; empty when it did not say."""
    return output.removeprefix(SKIPPED).decode(errors="replace") if output.startswith(SKIPPED) else ""


def optimization_value(result: Result | None) -> str:
    """The int256 that an optimization test returned, empty when it did not return one or was not called."""
    if result is None or not result.success:
        return ""
    try:
        return str(decode((Int(256),), result.output)[0])
    except AbiError:
        return ""


def _last(replayed: Replayed) -> Result | None:
    return next((result for result in reversed(replayed.results) if result is not None), None)
