"""`page_corpus` and `page_relatives`: entries by what only they cover, their age, and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import Any, Literal

import msgspec
import trio
from pydantic import Field

from actors.corpus.entries import CorpusEntries
from simulator.printable import shortened
from simulator.transaction import Sequence
from tools.campaign.access import CampaignAccess
from tools.campaign.fields import Integer
from tools.campaign.naming import corpus_entry
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_RANKED = 5_000
MAX_RELATIVES = 8
MAX_SHOWN_CALLS = 4
MAX_CALL_LENGTH = 80
Order = Literal["unique", "rare", "newest", "oldest", "longest"]


class PageCorpusInput(ToolInput):
    order: Order = Field(default="unique", description="unique: most that only it covers first.")
    offset: Integer = Field(default=0, ge=0, le=2**53)
    limit: Integer = Field(default=25, ge=1, le=100)


class PageRelativesInput(ToolInput):
    id: str = Field(min_length=1, max_length=1_000)


class RankedEntry(ToolResult, frozen=True):
    """`features` it covers, `unique` only it does, `rare` few do; null while no worker has measured it. `age` is in
    seconds. `first_calls` are the beginning of its `calls`."""

    id: str
    position: int
    origin: str
    finder: int | None
    calls: int
    features: int | None
    unique: int | None
    rare: int | None
    age: float
    first_calls: tuple[str, ...]


class PageCorpusResult(ToolResult, frozen=True):
    """`ranked` of `total` entries were compared: the newest, where there are more."""

    entries: tuple[RankedEntry, ...]
    total: int
    ranked: int


class Relative(ToolResult, frozen=True):
    """`shared` calls are equal to the last byte; `earlier` when it was in the corpus before."""

    id: str
    origin: str
    calls: int
    shared: int
    earlier: bool


class PageRelativesResult(ToolResult, frozen=True):
    """Entries that share calls with this one, those with the most first. The fuzzer does not record what it mutated:
    the earlier relative with the most shared calls is the likely parent. `superseded` entries are none."""

    calls: int
    relatives: tuple[Relative, ...]
    total: int


class _Candidate(msgspec.Struct, frozen=True):
    number: int
    position: int


class EntryRanking:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "page_corpus",
                "Entries of the corpus by what only they cover, by age or by length.",
                (PageCorpusInput, PageCorpusResult),
                self.corpus,
                deadline=Deadline.ANALYSIS,
            ),
            looking(
                "page_relatives",
                "Entries that share calls with one entry.",
                (PageRelativesInput, PageRelativesResult),
                self.relatives,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def corpus(self, inputs: PageCorpusInput) -> Answer:
        parts = self._access.current
        entries, now = parts.keeper.entries, trio.current_time()
        total = len(entries)
        start = max(0, total - MAX_RANKED)
        candidates = [
            _Candidate(number, position) for position, number in enumerate(entries.numbers(start, MAX_RANKED), start)
        ]
        rank = partial(_ranked, entries, candidates, inputs.order)
        page = (await trio.to_thread.run_sync(rank, abandon_on_cancel=True))[
            inputs.offset : inputs.offset + inputs.limit
        ]
        listed = []
        for each in page:
            summary = entries.summary(each.number, each.position)
            rarity = entries.features.rarity(each.number)
            sequence = entries.sequence(each.number)
            listed.append(
                RankedEntry(
                    id=summary.id,
                    position=each.position,
                    origin=summary.origin,
                    finder=summary.finder if summary.finder >= 0 else None,
                    calls=len(sequence),
                    features=rarity.features if rarity is not None else None,
                    unique=rarity.unique if rarity is not None else None,
                    rare=rarity.rare if rarity is not None else None,
                    age=round(max(0.0, now - entries.came(each.number)), 1),
                    first_calls=tuple(
                        shortened(text, MAX_CALL_LENGTH) for text in parts.call_texts(sequence[:MAX_SHOWN_CALLS])
                    ),
                )
            )
        return answer_of(PageCorpusResult(tuple(listed), total, len(candidates)))

    async def relatives(self, inputs: PageRelativesInput) -> Answer:
        parts = self._access.current
        sequence = corpus_entry(parts, inputs.id)
        entries = parts.keeper.entries
        numbers = entries.numbers(max(0, len(entries) - MAX_RANKED), MAX_RANKED)
        own = entries.number(inputs.id)
        others = [(number, entries.sequence(number)) for number in numbers if number != own]
        find = partial(related, sequence, others)
        found = await trio.to_thread.run_sync(find, abandon_on_cancel=True)
        listed = tuple(
            Relative(
                entries.identity(number),
                entries.summary(number, -1).origin,
                len(entries.sequence(number)),
                shared,
                own is not None and number < own,
            )
            for shared, number in found[:MAX_RELATIVES]
        )
        return answer_of(PageRelativesResult(len(sequence), listed, len(found)))


def _ranked(entries: CorpusEntries, candidates: SequenceOf[_Candidate], order: Order) -> list[_Candidate]:
    if order == "oldest":
        return list(candidates)
    newest = list(reversed(candidates))
    match order:
        case "newest":
            return newest
        case "longest":
            return sorted(newest, key=lambda each: -len(entries.sequence(each.number)))
        case "unique" | "rare":
            rarities = {each.number: entries.features.rarity(each.number) for each in newest}

            def worth(each: _Candidate) -> tuple[int, float]:
                rarity = rarities[each.number]
                if rarity is None:
                    return 1, 0.0
                return -(rarity.unique if order == "unique" else rarity.rare), -rarity.energy

            return sorted(newest, key=worth)


def related(sequence: Sequence, others: list[tuple[int, Sequence]]) -> list[tuple[int, int]]:
    """(shared calls, number) of the entries that share any, the most first, older ones before newer ones."""
    own = {(each.to, each.data, each.value) for each in sequence if each.to}
    found = []
    for number, other in others:
        shared = len(own & {(each.to, each.data, each.value) for each in other})
        if shared:
            found.append((shared, number))
    return sorted(found, key=lambda each: (-each[0], each[1]))
