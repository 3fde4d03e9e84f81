"""The campaigns of one server, and which of them a call means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from simulator.printable import one_line, shortened
from tools.campaign.access import CampaignAccess, CampaignPlace
from tools.errors import ErrorCode, ToolError

MAX_ENDED = 3
"""Ended campaigns that can still be asked; they hold their corpus in memory."""
MAX_NAME_SHOWN = 100

_chosen: ContextVar[CampaignPlace | None] = ContextVar("campaign", default=None)


class ServedCampaigns:
    """Campaigns by id, in the order in which they began. An id is never given twice."""

    def __init__(self) -> None:
        self._known: dict[str, CampaignPlace] = {}
        self._none = CampaignPlace()
        self._begun = 0

    def begin(self, title: str = "") -> CampaignPlace:
        """Return the place of a further campaign. The oldest that have ended are forgotten."""
        ended = [each for each in self._known.values() if not each.is_open]
        for each in ended[: max(0, len(ended) - MAX_ENDED + 1)]:
            self.forget(each)
        self._begun += 1
        place = CampaignPlace(id=f"c{self._begun}", title=title)
        self._known[place.id] = place
        return place

    def forget(self, place: CampaignPlace) -> None:
        """No call can mean this campaign any more."""
        self._known.pop(place.id, None)

    @property
    def known(self) -> tuple[CampaignPlace, ...]:
        return tuple(self._known.values())

    @property
    def open(self) -> tuple[CampaignPlace, ...]:
        """Those that have not ended."""
        return tuple(each for each in self._known.values() if each.is_open)

    @property
    def are_several(self) -> bool:
        return len(self.open) > 1

    @property
    def shown(self) -> CampaignPlace:
        """The campaign where nobody has chosen one: the newest that runs, else the newest."""
        return next(reversed(self.open or self.known), self._none)

    @property
    def meant(self) -> CampaignPlace:
        """The campaign of the call that this task carries out."""
        return _chosen.get() or self.shown

    def named(self, name: str | None) -> CampaignPlace:
        """The campaign of this id; without one the only one that runs, or where none does the newest. Raises
        `ToolError`."""
        if name is None:
            if self.are_several:
                message = f"{len(self.open)} campaigns run; name one of them as campaignId: {_listed(self.open)}"
                raise ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_NOT_NAMED")
            return self.shown
        if (found := self._known.get(name)) is not None:
            return found
        known = _listed(self.known) or "none; start_campaign begins one"
        message = f"there is no campaign {name[:MAX_NAME_SHOWN]!r}; campaigns are: {known}"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")

    @contextmanager
    def choosing(self, name: str | None) -> Iterator[str]:
        """Within the block the campaign of this id is meant; gives its id. Raises as `named`."""
        place = self.named(name)
        token = _chosen.set(place)
        try:
            yield place.id
        finally:
            _chosen.reset(token)


def target_name(place: CampaignPlace) -> str:
    """Return what a campaign fuzzes, as far as that is known."""
    parts = place.parts
    return one_line(parts.settings.contract.rpartition(":")[2] if parts is not None else place.title)


def _listed(places: tuple[CampaignPlace, ...]) -> str:
    return ", ".join(f"{each.id} ({shortened(target_name(each), MAX_NAME_SHOWN)})" for each in places)


class MeantCampaign(CampaignAccess):
    """Whichever campaign a call means."""

    def __init__(self, campaigns: ServedCampaigns) -> None:
        super().__init__()
        self._campaigns = campaigns

    @property
    def place(self) -> CampaignPlace:
        return self._campaigns.meant


@dataclass(frozen=True)
class ShownCampaign:
    """As the campaigns themselves, for clients that show one where none is named: the newest that runs."""

    campaigns: ServedCampaigns

    @property
    def are_several(self) -> bool:
        return False

    def choosing(self, name: str | None) -> AbstractContextManager[str]:
        """Raises `ToolError` for an id that there is not."""
        return self.campaigns.choosing(name or self.campaigns.shown.id or None)
