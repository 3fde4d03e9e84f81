"""Where a finding is shown to reviewers: in code of the project, as they cannot change what lies in libraries."""

from __future__ import annotations

from orchestrator.report.model import FindingReport, SourceLocation, TestReport
from orchestrator.report.page.contract_groups import group_of


def shown_place(test: TestReport, finding: FindingReport) -> SourceLocation | None:
    """The place of the failure; the declaration of the test where the failure is in a library's helper, such as an
    assertion of it."""
    place = finding.location
    if place is None or test.location is None:
        return place
    is_foreign = group_of(place.path) == "libraries" and group_of(test.location.path) != "libraries"
    return test.location if is_foreign else place
