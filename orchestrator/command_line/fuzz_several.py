"""`monotreme fuzz` on several contracts: a report for each campaign, how they all came out, and one exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from actors.events.types import StopReason
from orchestrator.campaign import CampaignOutcome
from orchestrator.configuration.request import CampaignRequest
from orchestrator.failures import ExitCode, failure_of
from orchestrator.interrupts import listening
from orchestrator.several_campaigns import Turn
from orchestrator.streams import Form, write_result, write_stderr
from simulator.printable import one_line

_WORST_FIRST = (ExitCode.FINDINGS, ExitCode.INFRASTRUCTURE, ExitCode.WRONG_INPUT, ExitCode.INTERRUPTED)
_INTERRUPTED = StopReason.INTERRUPTED.value


@dataclass
class _Run:
    """State of the campaigns by now: a sentence for each contract, and the exit codes."""

    results: dict[str, str] = field(default_factory=dict)
    codes: list[int] = field(default_factory=list)
    is_interrupted: bool = False
    stopped: str = ""

    def exit_code(self) -> int:
        """That of findings wherever there are some, else the worst."""
        return next((int(code) for code in _WORST_FIRST if code in self.codes), ExitCode.NOTHING_FOUND)

    def interrupt(self) -> None:
        self.is_interrupted = True


@dataclass
class _Reports:
    """Reports on stdout, each as soon as it is there."""

    are_json: bool
    form: Form
    written: int = 0

    def write(self, text: str) -> None:
        separator = ("," if self.written else "[") if self.are_json else ("\n" if self.written else "")
        write_result(separator + text, self.form)
        self.written += 1

    def close(self) -> None:
        if self.are_json:
            write_result("]" if self.written else "[]", self.form)


def fuzz_in_turn(request: CampaignRequest, turns: Sequence[Turn], form: Form) -> int:
    """Carry out the campaigns and return the exit code. Reports go to stdout in `form`, those in JSON as one array. A
    campaign that fails stops no other; a signal, and a failed test where `stopOnFail` is set, end the run."""
    run = _Run()
    reports = _Reports(request.format == "json", form)
    if not request.configuration.quiet and request.format != "none":
        write_stderr(f"{len(turns)} contracts, one campaign each with all of the limits: {_names(turns)}")
    with listening(run.interrupt, exit_code=run.exit_code):
        for turn in turns:
            outcome = _carry_out(turn, run)
            if outcome is not None and outcome.output:
                reports.write(outcome.output)
            run.stopped = run.stopped or _why_stopped(run, request)
            if run.stopped:
                break
    reports.close()
    _write_summary(request, turns, run)
    return run.exit_code()


def _carry_out(turn: Turn, run: _Run) -> CampaignOutcome | None:
    try:
        outcome = turn.run()
    except KeyboardInterrupt:
        run.codes.append(ExitCode.INTERRUPTED)
        run.results[turn.contract] = run.stopped = _INTERRUPTED
        return None
    # As at the end of the program: whatever ended this campaign, the others are still wanted.
    except Exception as error:
        _note_failure(turn, run, error)
        return None
    run.codes.append(outcome.exit_code)
    run.results[turn.contract] = _result(outcome)
    if outcome.report.campaign.stop_reason == _INTERRUPTED:
        run.interrupt()
    if outcome.error is not None:
        _note_failure(turn, run, outcome.error)
    return outcome


def _note_failure(turn: Turn, run: _Run, error: Exception) -> None:
    if os.environ.get("MONOTREME_DEBUG") == "1":
        import traceback

        write_stderr("".join(traceback.format_exception(error)).rstrip())
    failure = failure_of(error)
    write_stderr(failure.text)
    run.codes.append(failure.exit_code)
    run.results.setdefault(turn.contract, one_line(failure.text.partition("\n")[0]))


def _result(outcome: CampaignOutcome) -> str:
    tests = outcome.report.tests
    failed = sum(test.status == "falsified" for test in tests)
    of_all = f"{len(tests)} test{'s' if len(tests) != 1 else ''}"
    interrupted = f", {_INTERRUPTED}" if outcome.report.campaign.stop_reason == _INTERRUPTED else ""
    return (f"{failed} of {of_all} failed" if failed else f"{of_all}, no failure") + interrupted


def _why_stopped(run: _Run, request: CampaignRequest) -> str:
    if run.is_interrupted:
        return _INTERRUPTED
    return "stopOnFail" if request.configuration.stop_on_fail and ExitCode.FINDINGS in run.codes else ""


def _write_summary(request: CampaignRequest, turns: Sequence[Turn], run: _Run) -> None:
    """On stdout with reports in text; on stderr where another form is expected there."""
    missing = f"not fuzzed: {run.stopped}"
    names = {turn.contract: one_line(turn.contract) for turn in turns}
    width = max(map(len, names.values()))
    failed = sum(code == ExitCode.FINDINGS for code in run.codes)
    lines = [
        f"{len(turns)} contracts, {failed or 'none'} with failed tests",
        *(f"  {name:<{width}}  {run.results.get(contract, missing)}" for contract, name in names.items()),
    ]
    if request.format == "text":
        write_result("\n".join(["", *lines]))
    elif request.format != "none":
        write_stderr("\n".join(lines))


def _names(turns: Sequence[Turn]) -> str:
    return ", ".join(one_line(turn.contract) for turn in turns)
