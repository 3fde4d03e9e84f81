"""The tables of formats, as flags, configuration and output read them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.configuration.types import CoverageFormats, ReportFormat, allowed_text
from orchestrator.report.build import campaign_summary
from orchestrator.report.formats import COVERAGE_FORMATS, REPORT_FORMATS
from orchestrator.report.model import CampaignReport, CorpusSummary
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.summary import summarize

REPORT = CampaignReport(
    campaign=campaign_summary(
        target="t.sol:T", mode="property", seed=1, workers=1, calls=2, duration=1.0, stop_reason="test limit"
    ),
    tests=(),
    coverage=summarize(()),
    corpus=CorpusSummary(0, 0, None),
)


@pytest.mark.parametrize("name", REPORT_FORMATS)
def test_each_report_format_renders_and_is_configured_by_its_name(name: str) -> None:
    """A machine's format never has colours."""
    assert TypeAdapter(ReportFormat).validate_python(name) == name
    text = REPORT_FORMATS[name].render(REPORT, color=True)
    if REPORT_FORMATS[name].form == "json":
        assert msgspec.json.decode(text)["campaign"]["target"] == "t.sol:T"
    else:
        assert ("t.sol:T" in text) == (name != "none")


@pytest.mark.parametrize("name", COVERAGE_FORMATS)
def test_each_coverage_format_renders_and_is_configured_by_any_of_its_names(name: str) -> None:
    """The file's path is in every form of it."""
    names = (name, *COVERAGE_FORMATS[name].aliases)
    assert TypeAdapter(CoverageFormats).validate_python(names) == (name,) * len(names)
    files = [FileCoverage("src/Token.sol", "contract Token {}")]
    text = COVERAGE_FORMATS[name].render(files, title="Token", root=str(Path("/p")), generated=1)
    assert "src/Token.sol" in text


def test_other_names_are_refused_with_those_of_the_tables() -> None:
    """The allowed form comes from the table."""
    for annotation, names in ((ReportFormat, REPORT_FORMATS), (CoverageFormats, COVERAGE_FORMATS)):
        with pytest.raises(ValidationError):
            TypeAdapter(annotation).validate_python("odt" if annotation is ReportFormat else ("odt",))
        assert all(name in allowed_text(annotation) for name in names)
