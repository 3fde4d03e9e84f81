"""Lines of a report about a finding's Foundry test."""

from __future__ import annotations

import json

from orchestrator.report.json_report import render_json
from orchestrator.report.model import CampaignReport, CampaignSummary, CorpusSummary, ExportReport, TestReport
from orchestrator.report.text import render_text
from simulator.coverage.summary import CoverageSummary


def report(export: ExportReport | None) -> CampaignReport:
    test = TestReport("echidna_a", "property", "A", "falsified", "false", True, (), value="", foundry_test=export)
    summary = CampaignSummary("a.sol:A", "property", 1, 1, 1, 1.0, 1.0, "test limit reached")
    return CampaignReport(
        campaign=summary, tests=(test,), coverage=CoverageSummary(0.0, 0.0, ()), corpus=CorpusSummary(0, 0, None)
    )


def test_a_finding_names_its_file_and_what_executing_it_showed() -> None:
    """In the text, and as data."""
    export = ExportReport("corpus/foundry/Test.a.sol", True, "Verified: forge executed it.")
    assert "  Foundry test: corpus/foundry/Test.a.sol\n    Verified: forge executed it.\n" in render_text(
        report(export)
    )
    (test,) = json.loads(render_json(report(export)))["tests"]
    assert test["foundryTest"] == {
        "path": "corpus/foundry/Test.a.sol",
        "verified": True,
        "text": "Verified: forge executed it.",
    }


def test_a_finding_without_a_file_says_why() -> None:
    """One line; a campaign without a corpus folder says nothing."""
    assert "\n  No Foundry test: no.\n" in render_text(report(ExportReport(None, False, "No Foundry test: no.")))
    assert "Foundry" not in render_text(report(None))
    assert "foundryTest" not in json.loads(render_json(report(None)))["tests"][0]
