"""Names of findings: `Contract.test`, the same in every run of the same target.

Further failures of a test are `Contract.test@site`.
"""

from __future__ import annotations

from actors.campaign.tests import TestRecord
from simulator.known_names import known_names
from simulator.transaction import Sequence
from tools.campaign.access import CampaignComponents
from tools.errors import ErrorCode, ToolError


def corpus_entry(parts: CampaignComponents, name: str) -> Sequence:
    """The corpus entry with this id. Raises `ToolError`."""
    sequence = parts.corpus.sequence(name)
    if sequence is None:
        message = f"there is no corpus entry {name[:100]!r}; search_corpus lists ids"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
    return sequence


def finding_id(record: TestRecord) -> str:
    name = f"{record.info.contract}.{record.info.name}"
    return f"{name}@{record.site}" if record.parent >= 0 else name


def finding(parts: CampaignComponents, name: str) -> TestRecord:
    """The test that is called so, by its id or by its own name where that is unique. Raises `ToolError`."""
    records = parts.campaign.status().tests
    chosen = [record for record in records if finding_id(record) == name]
    chosen = chosen or [record for record in records if record.info.name == name and record.parent < 0]
    if len(chosen) == 1:
        return chosen[0]
    known = known_names(name, (finding_id(record) for record in records if record.found))
    why = "there are several" if chosen else "there is no finding"
    message = f"{why} {name[:200]!r}; findings are: {known[:2000]}"
    raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
