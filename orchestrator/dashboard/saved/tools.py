"""The tools that a saved campaign answers: those of a running one, from its folder. What it does not hold has none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import trio

from actors.campaign.tests import TestRecord
from orchestrator.dashboard.saved.reading import SavedFolder
from orchestrator.report.model import FindingReport
from simulator.files.regular_file import read_at_most
from simulator.known_names import known_names
from simulator.settings import PRIORITY_SHARE
from simulator.trace.data import TracedCall
from simulator.transaction import Transaction
from simulator.worker.commands import AddWords
from tools.campaign.extensions.clamps import clamp_figures
from tools.campaign.extensions.commands import CommandsResult, ListCommandsInput, given_command
from tools.campaign.extensions.findings import (
    FindingCall,
    FindingsResult,
    GetReproducerInput,
    ListFindingsInput,
    ReproducerResult,
    listed_findings,
    reproducer_result,
)
from tools.campaign.extensions.functions import FunctionFigures, FunctionsResult, FunctionStatisticsInput
from tools.campaign.extensions.health import CampaignHealthInput, HealthResult
from tools.campaign.extensions.steering_list import MAX_CALLS_LENGTH, Shares, SteeringResult, TemplateFigures
from tools.campaign.inputs import NoInput
from tools.campaign.naming import finding_id
from tools.campaign.publishing import looking
from tools.campaign.results import answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Tool

MAX_TEST_FILE: Final = 4 << 20
FOUNDRY_FOLDER: Final = "foundry"
_CALLEE: Final = re.compile(r"^[^(]*?::")
_VALUE: Final = re.compile(r"\{value: \d+\}", re.ASCII)


class SavedTools:
    def __init__(self, folder: SavedFolder) -> None:
        self._folder = folder

    def published(self) -> Iterator[Tool[Any]]:
        what = "As of a running campaign, from the folder of one that has ended."
        yield looking("list_findings", what, (ListFindingsInput, FindingsResult), self.list_findings)
        yield looking("get_reproducer", what, (GetReproducerInput, ReproducerResult), self.get_reproducer)
        yield looking("function_statistics", what, (FunctionStatisticsInput, FunctionsResult), self.functions)
        yield looking("campaign_health", what, (CampaignHealthInput, HealthResult), self.health)
        yield looking("list_steering", what, (NoInput, SteeringResult), self.list_steering)
        yield looking("list_commands", what, (ListCommandsInput, CommandsResult), self.list_commands)

    async def list_findings(self, inputs: ListFindingsInput) -> Answer:
        records = self._folder.checkpoint.state.tests
        return answer_of(listed_findings(records, inputs))

    async def get_reproducer(self, inputs: GetReproducerInput) -> Answer:
        records = {finding_id(record): record for record in self._folder.checkpoint.state.tests}
        if (record := records.get(inputs.id)) is None:
            message = f"there is no finding {inputs.id[:200]!r}; findings are: {known_names(inputs.id, records)}"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        reported = self._reported(record)
        test = await trio.to_thread.run_sync(self._foundry_test, reported, abandon_on_cancel=True)
        return answer_of(reproducer_result(record, _calls(record), test))

    def _reported(self, record: TestRecord) -> FindingReport | None:
        tests = self._folder.report.tests if self._folder.report is not None else ()
        for test in tests:
            if (test.name, test.contract) == (record.info.name, record.info.contract):
                return next((each for each in test.findings if each.site == record.site), None)
        return None

    def _foundry_test(self, reported: FindingReport | None) -> str | None:
        """The file of a finding. A report may name any path; only its last part counts."""
        if reported is None or reported.foundry_test is None or reported.foundry_test.path is None:
            return None
        folder = self._folder.path / FOUNDRY_FOLDER
        if folder.is_symlink():
            # It may lead to anything of this user's.
            return None
        try:
            return read_at_most(folder / Path(reported.foundry_test.path).name, MAX_TEST_FILE).decode(
                "utf-8", "replace"
            )
        except (OSError, ValueError):
            return None

    async def functions(self, inputs: FunctionStatisticsInput) -> Answer:
        state = self._folder.checkpoint.state
        steering = state.steering.priorities
        weights = dict(steering.weights)
        chosen = [each for each in state.functions if inputs.contract in (None, each.contract)]
        return answer_of(
            FunctionsResult(
                tuple(
                    FunctionFigures(
                        contract=each.contract,
                        signature=each.signature,
                        calls=each.calls,
                        reverts=each.reverts,
                        seconds_since_coverage=None,
                        rarest=0,
                        weight=weights.get(each.signature, 1.0),
                        prioritized=each.signature in steering.prioritized,
                        excluded=each.signature in steering.excluded,
                    )
                    for each in inputs.page(chosen)
                ),
                len(chosen),
                inputs.next_offset(len(chosen)),
            )
        )

    async def health(self, inputs: CampaignHealthInput) -> Answer:
        health = self._folder.report.health if self._folder.report is not None else None
        if not health:
            message = "The health was not saved: the campaign did not come to its report"
            raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="NOT_SAVED")
        points = health.points[: inputs.limit]
        total, calls = len(health.points) + health.omitted, self._folder.checkpoint.state.calls
        return answer_of(
            HealthResult(health.verdict, health.summary, points, total, health.growth, health.looked_at, calls)
        )

    async def list_steering(self, _: NoInput) -> Answer:
        """Return the steering in force at the end."""
        state = self._folder.checkpoint.state.steering
        prioritized = PRIORITY_SHARE if state.priorities.prioritized else 0.0
        templates = tuple(
            TemplateFigures(each.id, "; ".join(call.text for call in each.calls)[:MAX_CALLS_LENGTH], each.share, 0.0)
            for each in state.templates
        )
        return answer_of(
            SteeringResult(
                shares=Shares(0.0, prioritized, round(1 - prioritized, 4)),
                templates=templates,
                prioritized=state.priorities.prioritized,
                excluded=state.priorities.excluded,
                weights=dict(state.priorities.weights),
                clamps=clamp_figures(state.clamps),
                automatic_weights={},
                dictionary_words=sum(map(_words, state.dictionary_additions)),
                injected_sequences=0,
            )
        )

    async def list_commands(self, inputs: ListCommandsInput) -> Answer:
        commands = self._folder.commands
        newest = commands[-inputs.limit :][::-1]
        given = (given_command(each, each.args, each.calls) for each in newest)
        return answer_of(CommandsResult(tuple(given), len(commands)))


def _words(added: AddWords) -> int:
    return sum(map(len, (added.numbers, added.fixed_bytes, added.addresses, added.blobs)))


def _calls(record: TestRecord) -> tuple[FindingCall, ...]:
    """The sequence, with the texts of its own trace: the folder has no ABI."""
    traced = [each for each in record.calls if each.depth == 0 and each.type not in ("EVENT", "CONSOLE")]
    calls = []
    own = iter(traced)
    for transaction in record.sequence:
        step = next(own, None) if transaction.to else None
        callee = f"0x{transaction.to.hex()}" if transaction.to else ""
        calls.append(
            FindingCall(
                call=_text(transaction, step),
                contract=(step.contract if step is not None else "") or callee,
                sender=f"0x{transaction.sender.hex()}",
                value=str(transaction.wei),
                delay_seconds=transaction.seconds,
                delay_blocks=transaction.blocks,
            )
        )
    return tuple(calls)


def _text(transaction: Transaction, step: TracedCall | None) -> str:
    if step is not None:
        return _CALLEE.sub("", _VALUE.sub("", step.text))
    return "*wait*" if transaction.is_wait else f"0x{transaction.data.hex()}"
