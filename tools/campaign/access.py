"""Access of the campaign tools to the campaign of this server, if there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import trio

from actors.campaign.actor import Campaign
from actors.campaign.tests import TestRecord
from actors.corpus.keeper import CorpusKeeper
from actors.corpus.reader import CorpusReader
from actors.coverage.reader import CoverageReader
from actors.events.log import EventLog
from simulator.corpus.call_reading import CallReader
from simulator.known_names import known_names
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence
from tools.campaign.health import HealthReader
from tools.errors import ErrorCode, ToolError


@dataclass(frozen=True)
class CampaignComponents:
    """One campaign, while it runs and after. `book` gives the address book of the moment; `corpus_folder` is where the
    corpus and reports are kept, None for nowhere; `foundry_test` renders a finding for Foundry, None where Foundry
    cannot check it; `foundry_replay` renders any sequence under a name, and raises `SimulatorError`. Both take their
    time, and run in threads."""

    campaign: Campaign
    keeper: CorpusKeeper
    coverage: CoverageReader
    log: EventLog
    book: Callable[[], AddressBook]
    project: Project
    settings: CampaignSettings
    seed: int
    corpus: CorpusReader
    corpus_folder: Path | None = None
    foundry_test: Callable[[TestRecord], str | None] = field(default=lambda _: None)
    foundry_replay: Callable[[str, Sequence], str] = field(default=lambda _, __: "")

    @property
    def is_over(self) -> bool:
        return self.campaign.is_over

    def check_contract(self, name: str | None) -> None:
        """A filter by contract that fits nothing would look like good news. Raises `ToolError` naming the contracts."""
        if name is None:
            return
        known = set(self.campaign.priorities.contracts()) | {
            each.name for each in self.coverage.latest.summary.contracts
        }
        if known and name not in known:
            message = f"there is no contract {name[:100]!r}; contracts are: {known_names(name, known)}"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")

    def call_texts(self, sequence: Sequence) -> list[str]:
        """Calls in readable form."""
        reader = CallReader(self.book())
        return [reader.call_text(transaction.to, transaction.data) for transaction in sequence]


@dataclass(eq=False)
class CampaignPlace:
    """One campaign's place on a server. `phase` says in a few words what happens where there is none to ask yet, and
    `failure` why there is none any more. `id` names it among those of its server, `title` names its target before that
    is known. `give_up` ends one that cannot be asked yet, None where that is not for clients to do."""

    id: str = ""
    title: str = ""
    parts: CampaignComponents | None = None
    phase: str = ""
    failure: str = ""
    health: HealthReader = field(default_factory=HealthReader)
    changed: trio.Event = field(default_factory=trio.Event)
    give_up: Callable[[], None] | None = None

    @property
    def is_open(self) -> bool:
        """The campaign is on its way, or runs."""
        return bool(self.phase) if self.parts is None else not self.parts.is_over


class CampaignAccess:
    """The campaign that tools mean: that of one place."""

    def __init__(self, parts: CampaignComponents | None = None, place: CampaignPlace | None = None) -> None:
        self._place = place or CampaignPlace(parts=parts)

    @property
    def place(self) -> CampaignPlace:
        return self._place

    @property
    def parts(self) -> CampaignComponents | None:
        return self.place.parts

    @property
    def phase(self) -> str:
        return self.place.phase

    @property
    def failure(self) -> str:
        return self.place.failure

    @property
    def health(self) -> HealthReader:
        return self.place.health

    def prepare(self, phase: str) -> None:
        """A campaign is on its way and cannot be asked yet."""
        self.place.parts = None
        self._change(phase, "")

    def follow(self, parts: CampaignComponents) -> None:
        """From now on this campaign is meant, also after its end."""
        self.place.parts = parts
        self._change("", "")

    def settle(self, failure: str) -> None:
        """The campaign that was on its way has ended, or never began, because of `failure`."""
        if failure and self.parts is not None and not self.parts.is_over:
            self.parts.campaign.fail(failure)
        self._change("", failure)

    def _change(self, phase: str, failure: str) -> None:
        place = self.place
        place.phase, place.failure = phase, failure
        place.changed.set()
        place.changed = trio.Event()

    async def arrival(self, seconds: float) -> None:
        """Wait while a campaign is on its way, at most so long."""
        place = self.place
        with trio.move_on_after(seconds):
            while place.parts is None and place.phase:
                await place.changed.wait()

    @property
    def current(self) -> CampaignComponents:
        """The campaign, running or ended. Raises `ToolError` when there is none to ask."""
        if self.parts is not None:
            return self.parts
        if self.phase:
            raise ToolError(
                ErrorCode.INTERNAL_ERROR, f"The campaign is {self.phase}; ask again soon", reason="CAMPAIGN_STARTING"
            )
        if self.failure:
            message = f"The campaign could not be carried out: {self.failure}"
            raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="CAMPAIGN_FAILED")
        message = "There is no campaign; begin one with start_campaign"
        raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="NO_CAMPAIGN")
