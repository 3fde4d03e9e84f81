"""Completion of arguments: functions, contracts, tests, files and corpus entries, by what has been typed."""

from __future__ import annotations

from collections.abc import Iterable

from tools.campaign.access import CampaignAccess
from tools.campaign.naming import finding_id

MAX_ENTRIES = 2_000


class CampaignCompletion:
    """Suggestions from the campaign of this moment; none without one."""

    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def complete(self, argument: str, typed: str) -> tuple[str, ...]:
        """All values of an argument that begin with what was typed, then those that hold it, whatever the case."""
        wanted = typed.lower()
        known = dict.fromkeys(self._known(argument))
        first = [value for value in known if value.lower().startswith(wanted)]
        return (*first, *(value for value in known if wanted in value.lower() and value not in first))

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
