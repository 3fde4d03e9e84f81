"""Outcome of executing an exported test, and the note about it in the test's file."""

from __future__ import annotations

from typing import Literal

import msgspec

from simulator.printable import one_line, shortened

MAX_REASON = 160


class ExportOutcome(msgspec.Struct, frozen=True):
    """`failed` and `passed` are verdicts of `test_reproduce`; a test is `stopped` when it did not come to that. `notes`
    name what the program that ran it does not support."""

    status: Literal["failed", "passed", "stopped"]
    reason: str = ""
    notes: tuple[str, ...] = ()


class Verification(msgspec.Struct, frozen=True):
    """Verification: was the test seen to fail as it must? `text` is one sentence for people."""

    is_verified: bool
    text: str


def judged(outcome: ExportOutcome, expected: str, program: str) -> Verification:
    """Judge the outcome of a test that must fail with the text `expected`."""
    reason = shortened(one_line(outcome.reason), MAX_REASON)
    if outcome.status == "failed" and outcome.reason == expected:
        return Verification(True, f"Verified: {program} executed it, and it failed as it must: {reason}.")
    notes = "".join(f" ({shortened(one_line(note), MAX_REASON)})" for note in outcome.notes[:1])
    match outcome.status:
        case "failed":
            said = f"{program} executed it, and it failed for another reason: {reason}"
        case "passed":
            said = f"{program} executed it, and it passed, although it failed in the campaign"
        case "stopped":
            said = f"{program} could not execute it: {reason}"
    return Verification(False, f"Unverified: {said}{notes}.")


def unverified(reason: str) -> Verification:
    """A test that was not executed."""
    return Verification(False, f"Unverified: it was not executed: {shortened(one_line(reason), MAX_REASON)}.")
