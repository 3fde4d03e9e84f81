"""The corpus by sequence: searching, one entry, exporting, importing and minimising."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
import trio
from pydantic import Field

from actors.events.types import CAMPAIGN
from actors.steering.commands import InjectSequence
from simulator.corpus.echidna_json import parse_sequence, render_sequence
from simulator.errors import CorpusError, SimulatorError
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.findings import FindingCall, readable_calls
from tools.campaign.fields import AddressText, Integer, SearchText, WeiText, address_of
from tools.campaign.inputs import NoInput
from tools.campaign.naming import corpus_entry, finding
from tools.campaign.publishing import acting, looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_ID_LENGTH = 1_000
MAX_JSON_LENGTH = 1 << 20
MAX_SHOWN_CALLS = 200
EntryId = Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]


class SearchCorpusInput(ToolInput):
    function: SearchText | None = Field(default=None, description="As transfer(address,uint256), or a bare name.")
    sender: AddressText | None = None
    min_value: WeiText | None = Field(default=None, alias="minValue", description="Wei, as a decimal text.")
    offset: Integer = Field(default=0, ge=0, le=2**53)
    limit: Integer = Field(default=20, ge=1, le=100)


class EntryInput(ToolInput):
    id: EntryId = Field(description="Id of an entry, from search_corpus or explain_uncovered.")


class ExportInput(ToolInput):
    id: EntryId = Field(description="Id of a corpus entry or of a finding.")
    format: Literal["echidna", "foundry"] = Field(
        default="echidna",
        description="echidna: JSON, for import_sequence; foundry: a test file, which checks the finding, or makes the"
        " calls of an entry.",
    )


class ImportInput(ToolInput):
    content: Annotated[str, Field(min_length=2, max_length=MAX_JSON_LENGTH)] = Field(
        description="A sequence in the JSON of Echidna's corpus, as export_sequence returns it."
    )


class FoundTransaction(ToolResult, frozen=True):
    """`entry` is the id of the sequence, for get_corpus_entry and execute_sequence."""

    index: int
    call: str
    sender: str
    value: str
    entry: str


class SearchResult(ToolResult, frozen=True):
    """`next_offset` is that of the next page, null behind the last."""

    transactions: tuple[FoundTransaction, ...]
    total: int
    next_offset: int | None


class EntryResult(ToolResult, frozen=True):
    """`finder` is the worker that found it, null for what came from a file or a client. `features` it covers,
    `unique_features` only it does; null while no worker has measured it. `superseded`: others cover what it does, and
    it has left the corpus."""

    id: str
    origin: str
    finder: int | None
    superseded: bool
    features: int | None
    unique_features: int | None
    total_calls: int
    sequence: tuple[FindingCall, ...]


class MinimisedResult(ToolResult, frozen=True):
    """`removed` sequences were set aside in the corpus folder; of those that stay, `sequences` with `transactions`."""

    removed: int
    sequences: int
    transactions: int


class ImportedResult(ToolResult, frozen=True):
    calls: int
    workers: int


class CorpusTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published_looking(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "search_corpus",
                "Pages through the transactions of the corpus, all or those of a function, a sender or a least value,"
                " each with the id of its sequence.",
                (SearchCorpusInput, SearchResult),
                self.search,
            ),
            looking(
                "get_corpus_entry",
                "One sequence of the corpus: its calls, who found it, and how much only it covers.",
                (EntryInput, EntryResult),
                self.entry,
            ),
            looking(
                "export_sequence",
                "A corpus entry or a finding as a file of Echidna's corpus, in JSON, which import_sequence takes back;"
                " or as a test file for Foundry.",
                (ExportInput, None),
                self.export,
                deadline=Deadline.ANALYSIS,
            ),
        )

    def published_acting(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "import_sequence",
                "Lets every worker execute a sequence in the JSON of Echidna's corpus, and keeps it in the corpus.",
                (ImportInput, ImportedResult),
                self.import_sequence,
                idempotent=False,
            ),
            acting(
                "minimize_corpus",
                "Sets aside the sequences whose coverage others have; findings and injected ones stay.",
                (NoInput, MinimisedResult),
                self.minimise,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def search(self, inputs: SearchCorpusInput) -> Answer:
        parts = self._access.current
        if inputs.function is None and inputs.sender is None and inputs.min_value is None:
            page = await parts.corpus.page(inputs.offset, inputs.limit)
            found, total = page.transactions, page.total
        else:
            matches = await parts.corpus.find(
                signature=inputs.function,
                sender=address_of(inputs.sender) if inputs.sender is not None else None,
                minimum_value=int(inputs.min_value or "0"),
                limit=inputs.limit,
                offset=inputs.offset,
            )
            found, total = matches.matches, matches.count
        end = inputs.offset + len(found)
        listed = tuple(
            FoundTransaction(each.index, each.call, each.sender, each.value, each.sequence) for each in found
        )
        return answer_of(SearchResult(listed, total, end if found and end < total else None))

    async def entry(self, inputs: EntryInput) -> Answer:
        parts = self._access.current
        sequence = corpus_entry(parts, inputs.id)
        summary = await parts.corpus.entry(inputs.id)
        assert summary is not None, "an entry with a sequence has a summary"
        rarity = summary.rarity
        return answer_of(
            EntryResult(
                id=summary.id,
                origin=summary.origin,
                finder=summary.finder if summary.finder >= 0 else None,
                superseded=summary.position < 0,
                features=rarity.features if rarity is not None else None,
                unique_features=rarity.unique if rarity is not None else None,
                total_calls=len(sequence),
                sequence=readable_calls(parts, sequence[:MAX_SHOWN_CALLS]),
            )
        )

    async def export(self, inputs: ExportInput) -> Answer:
        parts = self._access.current
        if inputs.format == "foundry":
            return Answer(await _foundry_text(parts, inputs.id))
        sequence = parts.corpus.sequence(inputs.id) or finding(parts, inputs.id).sequence
        abi_of = parts.book().abi
        content = await trio.to_thread.run_sync(render_sequence, sequence, abi_of, abandon_on_cancel=True)
        return Answer(content.decode("utf-8", "replace"))

    async def import_sequence(self, inputs: ImportInput) -> Answer:
        try:
            sequence = parse_sequence(inputs.content.encode("utf-8", "replace"), "content")
        except CorpusError as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="PARSE_ERROR") from error
        if not sequence:
            raise ToolError(ErrorCode.INVALID_INPUT, "content: there is no call in it", reason="PARSE_ERROR")
        # A file may name any gas; more than the campaign's would only make a worker seem to hang.
        most = self._access.current.settings.transaction_gas
        bounded = tuple(msgspec.structs.replace(each, gas=min(each.gas, most)) for each in sequence)
        done = await steer(self._access, InjectSequence((), bounded))
        return answer_of(ImportedResult(done.calls, done.workers))

    async def minimise(self, inputs: NoInput) -> Answer:
        parts = self._access.current
        done = await parts.keeper.minimise()
        if done is None:
            message = "Files of the corpus could not be written yet, so nothing is set aside; try again"
            raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="STORAGE")
        parts.log.append(CAMPAIGN, done)
        return answer_of(MinimisedResult(done.superseded, done.sequences, done.transactions))


async def _foundry_text(parts: CampaignComponents, name: str) -> str:
    """Raises `ToolError` for what is neither an entry nor a finding, and for what Foundry cannot do."""
    entry = parts.corpus.sequence(name)
    if entry is None:
        make: Callable[[], str | None] = partial(parts.foundry_test, finding(parts, name))
    else:
        make = partial(parts.foundry_replay, f"entry_{name}", entry)
    try:
        text = await trio.to_thread.run_sync(make, abandon_on_cancel=True)
    except SimulatorError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="NOT_AVAILABLE") from error
    if text is None:
        message = f"Foundry cannot check {name[:200]!r}; format echidna exports its calls"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_AVAILABLE")
    return text
