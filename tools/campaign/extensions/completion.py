"""Completion of arguments: functions, contracts, tests, files and corpus entries, by what has been typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tools.campaign.access import CampaignAccess
from tools.campaign.naming import finding_id
from tools.campaign.several import ServedCampaigns
from tools.registry import CAMPAIGN_ID

MAX_ENTRIES = 2_000


class CampaignCompletion:
    """Suggestions from the campaigns of this moment; none without one."""

    def __init__(self, access: CampaignAccess, campaigns: ServedCampaigns | None = None) -> None:
        self._access = access
        self._campaigns = campaigns

    def complete(self, argument: str, typed: str, campaign: str | None = None) -> tuple[str, ...]:
        """All values of an argument that begin with what was typed, then those that hold it, whatever the case. Where
        several campaigns run and none is named, the values of all of them."""
        wanted = typed.lower()
        known = dict.fromkeys(self._values(argument, campaign))
        first = [value for value in known if value.lower().startswith(wanted)]
        return (*first, *(value for value in known if wanted in value.lower() and value not in first))

    def _values(self, argument: str, campaign: str | None) -> Iterator[str]:
        if self._campaigns is None:
            yield from self._known(argument)
            return
        if argument == CAMPAIGN_ID:
            yield from (place.id for place in self._campaigns.known)
            return
        several = self._campaigns.open if self._campaigns.are_several else (self._campaigns.shown,)
        wanted = several if campaign is None else [each for each in self._campaigns.known if each.id == campaign]
        for place in wanted:
            yield from CampaignCompletion(CampaignAccess(place=place))._known(argument)

    def _known(self, argument: str) -> Iterable[str]:
        parts = self._access.parts
        if parts is None:
            return ()
        functions = parts.campaign.priorities.statistics().functions
        match argument:
            case "function":
                return (name for each in functions for name in (each.signature, f"{each.contract}.{each.signature}"))
            case "contract":
                return (each.contract for each in functions)
            case "id":
                return (finding_id(record) for record in parts.campaign.status().tests if record.found)
            case "entry":
                entries = parts.keeper.entries
                return (entries.identity(number) for number in entries.numbers(0, MAX_ENTRIES))
            case "file":
                return (file.path for file in parts.coverage.latest.files)
            case _:
                return ()
