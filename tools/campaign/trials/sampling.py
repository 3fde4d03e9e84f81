"""`sample_function`: what calls of a function return and why they revert, from sequences of the corpus."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pydantic import Field

from actors.steering.commands import ExecuteSequence
from simulator.transaction import Sequence
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.fields import Integer, SearchText
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_SAMPLES = 16
MAX_SHOWN = 10
MAX_TEXT_LENGTH = 200
MAX_MATCHES = 200


class SampleInput(ToolInput):
    function: SearchText = Field(min_length=1, description="As transfer(address,uint256), or a bare name.")
    sequences: Integer = Field(
        default=8, ge=1, le=MAX_SAMPLES, description="Most sequences of the corpus to execute for it."
    )


class Outcome(ToolResult, frozen=True):
    """`text` is a revert reason or the returned values, `calls` how many calls ended so; `entry` is one sequence that
    shows it."""

    text: str
    calls: int
    entry: str


class SampleResult(ToolResult, frozen=True):
    """Of `calls` in `sequences` of the corpus, newest first: the revert reasons and the values that were returned, the
    most frequent first, ten of each."""

    calls: int
    sequences: int
    reverted: tuple[Outcome, ...]
    returned: tuple[Outcome, ...]


class SamplingTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "sample_function",
                "Executes sequences of the corpus that call a function, and tells its revert reasons and the values it"
                " returned, with an entry that shows each. Use it to see why a function fails.",
                (SampleInput, SampleResult),
                self.sample,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def sample(self, inputs: SampleInput) -> Answer:
        parts = self._access.current
        entries = await _entries(parts, inputs.function, inputs.sequences)
        reverted: Counter[str] = Counter()
        returned: Counter[str] = Counter()
        shown: dict[tuple[bool, str], str] = {}
        for entry, (sequence, positions) in entries.items():
            done = await steer(self._access, ExecuteSequence((), False, sequence))
            for position in positions:
                outcome = done.outcomes[position]
                text = (outcome.returned if outcome.success else outcome.reason)[:MAX_TEXT_LENGTH]
                (returned if outcome.success else reverted)[text] += 1
                shown.setdefault((outcome.success, text), entry)
        return answer_of(
            SampleResult(
                calls=reverted.total() + returned.total(),
                sequences=len(entries),
                reverted=tuple(Outcome(text, n, shown[False, text]) for text, n in reverted.most_common(MAX_SHOWN)),
                returned=tuple(Outcome(text, n, shown[True, text]) for text, n in returned.most_common(MAX_SHOWN)),
            )
        )


async def _entries(parts: CampaignComponents, function: str, most: int) -> dict[str, tuple[Sequence, list[int]]]:
    """The newest sequences that call the function, with the positions of its calls."""
    first = await parts.corpus.find(signature=function, limit=1)
    offset = max(0, first.count - MAX_MATCHES)
    found = await parts.corpus.find(signature=function, limit=MAX_MATCHES, offset=offset)
    chosen = list(dict.fromkeys(each.sequence for each in reversed(found.matches)))[:most]
    calls: dict[str, list[str]] = {entry: [] for entry in chosen}
    for match in found.matches:
        if match.sequence in calls:
            calls[match.sequence].append(match.call)
    sampled: dict[str, tuple[Sequence, list[int]]] = {}
    for entry in chosen:
        sequence = parts.corpus.sequence(entry)
        if sequence is not None:
            texts = parts.call_texts(sequence)
            wanted = set(calls[entry])
            sampled[entry] = (sequence, [place for place, text in enumerate(texts) if text in wanted])
    return sampled
