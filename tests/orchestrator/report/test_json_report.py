"""The JSON document."""

from __future__ import annotations

import json

import msgspec

from orchestrator.report.json_report import render_json
from orchestrator.report.model import (
    CampaignReport,
    CampaignSummary,
    CorpusSummary,
    Delay,
    ReproducerCall,
    TestReport,
)
from simulator.coverage.summary import ContractCoverage, CoverageSummary

CALL = ReproducerCall("f(1)", "f(uint256)", ("1",), "0x" + "01" * 20, "0x" + "02" * 20, "3", Delay(4, 5))
FAILED = TestReport("echidna_a", "property", "T", "falsified", "returned false", True, (CALL,), "")
PASSED = TestReport("echidna_b", "property", "T", "passed", None, False, (), "")
REPORT = CampaignReport(
    campaign=CampaignSummary("t.sol:T", "property", 1, 2, 3, 0.5, 6.0, "test limit"),
    tests=(FAILED, PASSED),
    coverage=CoverageSummary(66.7, 50.0, (ContractCoverage("T", "t.sol", 66.7, 50.0, 2, 3, 1, 2),)),
    corpus=CorpusSummary(1, 2, None),
)


def test_the_document_has_the_fields_of_schema_1() -> None:
    """Names and nesting are what programs rely on."""
    assert json.loads(render_json(REPORT)) == {
        "schema": 1,
        "campaign": {
            "target": "t.sol:T",
            "mode": "property",
            "seed": 1,
            "workers": 2,
            "calls": 3,
            "duration": 0.5,
            "callsPerSecond": 6.0,
            "stopReason": "test limit",
            "leftOut": [],
            "gas": 0,
        },
        "tests": [
            {
                "name": "echidna_a",
                "type": "property",
                "contract": "T",
                "status": "falsified",
                "reason": "returned false",
                "shrunk": True,
                "reproducer": [
                    {
                        "call": "f(1)",
                        "function": "f(uint256)",
                        "args": ["1"],
                        "sender": "0x" + "01" * 20,
                        "to": "0x" + "02" * 20,
                        "value": "3",
                        "delay": {"seconds": 4, "blocks": 5},
                    }
                ],
                "value": "",
            },
            {
                "name": "echidna_b",
                "type": "property",
                "contract": "T",
                "status": "passed",
                "reason": None,
                "shrunk": False,
                "reproducer": [],
                "value": "",
            },
        ],
        "coverage": {
            "lineCoverage": 66.7,
            "branchCoverage": 50.0,
            "contracts": [
                {
                    "name": "T",
                    "path": "t.sol",
                    "lineCoverage": 66.7,
                    "branchCoverage": 50.0,
                    "linesHit": 2,
                    "linesFound": 3,
                    "branchesHit": 1,
                    "branchesFound": 2,
                }
            ],
        },
        "corpus": {"sequences": 1, "transactions": 2, "path": None},
    }


def test_the_version_stands_first_and_the_document_ends_its_line() -> None:
    """A reader can tell the schema from the first bytes."""
    text = render_json(REPORT)
    assert text.startswith('{\n  "schema": 1,')
    assert text.endswith("}\n")
    assert render_json(REPORT) == text


def test_optional_members_appear_only_with_content() -> None:
    """Trace, best value and the sequence as it was found."""
    test = msgspec.structs.replace(FAILED, trace=("[5] T::f(1)",), value="7", unshrunk=(CALL, CALL))
    document = json.loads(render_json(msgspec.structs.replace(REPORT, tests=(test,))))["tests"][0]
    assert (document["trace"], document["value"], len(document["unshrunk"])) == (["[5] T::f(1)"], "7", 2)


def test_the_document_is_read_back_as_it_was() -> None:
    """The structs are the schema."""
    assert msgspec.json.decode(render_json(REPORT), type=CampaignReport) == REPORT
