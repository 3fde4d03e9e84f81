"""The corpus of a saved campaign: the sequences of its folder, by the tools that a running one answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import msgspec
import trio

from actors.corpus.messages import Origin
from orchestrator.dashboard.page_tools.entries import (
    MAX_CALL_LENGTH,
    MAX_RELATIVES,
    MAX_SHOWN_CALLS,
    PageCorpusInput,
    PageCorpusResult,
    PageRelativesInput,
    PageRelativesResult,
    RankedEntry,
    Relative,
    related,
)
from orchestrator.dashboard.saved.call_texts import CallTexts
from orchestrator.dashboard.saved.reading import SavedFolder
from simulator.corpus.echidna_json import render_sequence
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import CorpusEntry, Folder, load_corpus
from simulator.errors import CorpusError
from simulator.printable import shortened
from simulator.transaction import Sequence
from tools.campaign.extensions.corpus import (
    MAX_SHOWN_CALLS as MAX_ENTRY_CALLS,
)
from tools.campaign.extensions.corpus import (
    EntryInput,
    EntryResult,
    ExportInput,
    FoundTransaction,
    SearchCorpusInput,
    SearchResult,
)
from tools.campaign.naming import finding_id
from tools.campaign.publishing import looking
from tools.campaign.results import answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool

_ORIGINS: Final[dict[Folder, Origin]] = {
    Folder.COVERAGE: "coverage",
    Folder.REPRODUCERS: "failed",
    Folder.INJECTED: "injected",
}


class _Listed(msgspec.Struct, frozen=True):
    """An entry, and when its file was written."""

    id: str
    origin: Origin
    sequence: Sequence
    written: float


class SavedCorpus:
    """`texts` gives calls as people read them."""

    def __init__(self, folder: SavedFolder, texts: CallTexts) -> None:
        self._folder = folder
        self._texts = texts
        self._entries: dict[str, _Listed] | None = None
        self._reading = trio.Lock()

    def published(self) -> Iterator[Tool[Any]]:
        # The folder is read at the first question.
        look = partial(looking, deadline=Deadline.ANALYSIS)
        what = "As of a running campaign, from the folder of one that has ended."
        yield look("page_corpus", what, (PageCorpusInput, PageCorpusResult), self.corpus)
        yield look("page_relatives", what, (PageRelativesInput, PageRelativesResult), self.relatives)
        yield look("search_corpus", what, (SearchCorpusInput, SearchResult), self.search)
        yield look("get_corpus_entry", what, (EntryInput, EntryResult), self.entry)
        yield look("export_sequence", what, (ExportInput, None), self.export)

    async def corpus(self, inputs: PageCorpusInput) -> Answer:
        entries = await self._all()
        listed = list(entries.values())
        match inputs.order:
            case "oldest":
                listed.sort(key=lambda each: each.written)
            case "longest":
                listed.sort(key=lambda each: -len(each.sequence))
            case "unique" | "rare" | "newest":
                # What each covers is not in the folder.
                listed.sort(key=lambda each: -each.written)
        now = time.time()
        page = tuple(
            RankedEntry(
                id=each.id,
                position=position,
                origin=each.origin,
                finder=None,
                calls=len(each.sequence),
                features=None,
                unique=None,
                rare=None,
                age=round(max(0.0, now - each.written), 1),
                first_calls=tuple(
                    shortened(self._texts.text(call), MAX_CALL_LENGTH) for call in each.sequence[:MAX_SHOWN_CALLS]
                ),
            )
            for position, each in enumerate(listed)
        )[inputs.offset : inputs.offset + inputs.limit]
        return answer_of(PageCorpusResult(page, len(listed), len(listed)))

    async def relatives(self, inputs: PageRelativesInput) -> Answer:
        entries = await self._all()
        own = self._entry(entries, inputs.id)
        others = [each for each in sorted(entries.values(), key=lambda each: each.written) if each is not own]
        found = related(own.sequence, [(number, each.sequence) for number, each in enumerate(others)])
        listed = tuple(
            Relative(each.id, each.origin, len(each.sequence), shared, each.written < own.written)
            for shared, each in ((shared, others[number]) for shared, number in found[:MAX_RELATIVES])
        )
        return answer_of(PageRelativesResult(len(own.sequence), listed, len(found)))

    async def search(self, inputs: SearchCorpusInput) -> Answer:
        entries = await self._all()
        least = int(inputs.min_value or "0")
        found = [
            FoundTransaction(index, self._texts.text(call), f"0x{call.sender.hex()}", str(call.wei), entry.id)
            for index, (entry, call) in enumerate(
                (entry, call) for entry in entries.values() for call in entry.sequence
            )
            if (inputs.function is None or self._texts.is_named(call, inputs.function))
            and inputs.sender in (None, f"0x{call.sender.hex()}")
            and call.wei >= least
        ]
        end = inputs.offset + inputs.limit
        return answer_of(SearchResult(tuple(found[inputs.offset : end]), len(found), end if end < len(found) else None))

    async def entry(self, inputs: EntryInput) -> Answer:
        own = self._entry(await self._all(), inputs.id)
        return answer_of(
            EntryResult(
                id=own.id,
                origin=own.origin,
                finder=None,
                superseded=False,
                features=None,
                unique_features=None,
                total_calls=len(own.sequence),
                sequence=tuple(map(self._texts.call, own.sequence[:MAX_ENTRY_CALLS])),
            )
        )

    async def export(self, inputs: ExportInput) -> Answer:
        entries = await self._all()
        records = {finding_id(record): record.sequence for record in self._folder.checkpoint.state.tests}
        sequence = records.get(inputs.id)
        sequence = self._entry(entries, inputs.id).sequence if sequence is None else sequence
        content = await trio.to_thread.run_sync(render_sequence, sequence, self._texts.abi_of)
        return Answer(content.decode("utf-8", "replace"))

    async def _all(self) -> dict[str, _Listed]:
        async with self._reading:
            if self._entries is None:
                self._entries = await trio.to_thread.run_sync(self._read)
        return self._entries

    def _read(self) -> dict[str, _Listed]:
        try:
            entries, _problems = load_corpus(self._folder.path)
        except CorpusError as error:
            raise ToolError(ErrorCode.INTERNAL_ERROR, str(error), reason="STORAGE") from error
        return {each.id: _listed(each) for each in entries}

    def _entry(self, entries: dict[str, _Listed], name: str) -> _Listed:
        """The entry of an id, also one that is a finding's. Raises `ToolError`."""
        records = self._folder.checkpoint.state.tests
        hashes = {finding_id(each): sequence_hash(each.sequence) for each in records if each.sequence}
        found = entries.get(hashes.get(name, name))
        if found is None:
            message = f"there is no corpus entry {name[:100]!r} in the folder"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        return found


def _listed(entry: CorpusEntry) -> _Listed:
    try:
        written = entry.path.lstat().st_mtime
    except OSError:
        written = 0.0
    return _Listed(entry.id, _ORIGINS.get(entry.folder, "foreign"), entry.sequence, written)
