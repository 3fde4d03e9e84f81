"""The final report as text."""

from __future__ import annotations

import re

import msgspec

from orchestrator.report.model import (
    CampaignReport,
    CampaignSummary,
    CorpusSummary,
    Delay,
    FindingReport,
    ReproducerCall,
    TestReport,
)
from orchestrator.report.text import DEFAULT_SENDER, render_text
from simulator.coverage.summary import ContractCoverage, CoverageSummary

OTHER_SENDER = "0x" + "02" * 20
MINT = ReproducerCall("mint(5)", "mint(uint256)", ("5",), DEFAULT_SENDER, "0x" + "aa" * 20, "0", Delay(), "Token")
PAY = ReproducerCall("pay()", "pay()", (), OTHER_SENDER, "0x" + "bb" * 20, "1500000000000000000", Delay(259_207, 2), "")
WAIT = ReproducerCall("*wait*", "", (), OTHER_SENDER, "", "0", Delay(60, 0))
REPORT = CampaignReport(
    campaign=CampaignSummary("t.sol:Token", "property", 42, 2, 1_203_332, 60.0, 20_055.5, "test limit"),
    tests=(
        TestReport("echidna_a", "property", "Token", "falsified", "returned false", True, (MINT, PAY, WAIT), ""),
        TestReport("echidna_b", "property", "Token", "passed", None, False, (), ""),
    ),
    coverage=CoverageSummary(66.7, 50.0, (ContractCoverage("Token", "t.sol", 66.7, 50.0, 2, 3, 1, 2),)),
    corpus=CorpusSummary(12, 340, "corpus"),
)


def with_test(test: TestReport) -> CampaignReport:
    return msgspec.structs.replace(REPORT, tests=(test,))


def test_a_skipped_test_is_no_passing_one() -> None:
    """It says why, where it said so, and the verdict counts it apart."""
    skipped = TestReport("test_x()", "assertion", "Token", "skipped", "not on this chain", False, (), "")
    lines = render_text(with_test(skipped)).splitlines()
    assert lines[:2] == ["Token.test_x(): skipped", "  not on this chain"]
    assert "1 test, no failure, 1 skipped (t.sol:Token, property mode)" in lines


def test_the_whole_report() -> None:
    """Passing tests, then findings, then figures; senders, values and delays only where they are not the usual."""
    assert render_text(REPORT).splitlines() == [
        "echidna_b: passing",
        "",
        "echidna_a: failed!💥",
        "  returned false",
        "  Call sequence (3 calls):",
        "    Token.mint(5)",
        f"    0x{'bb' * 20}.pay() from: {OTHER_SENDER} Value: 1500000000000000000 wei (1.5 ether) "
        "Time delay: 3 days 7 seconds Block delay: 2",
        "    *wait* Time delay: 1 minute",
        "",
        "Coverage: 66.7% of lines, 50.0% of branches",
        "  Token   66.7% 2/3 lines            50.0% 1/2 branches",
        "",
        "1 of 2 tests failed (t.sol:Token, property mode)",
        "Corpus: 12 sequences, 340 transactions in corpus",
        "Total calls: 1,203,332 in 60.0 s (20,056 calls/s, 2 workers); stopped by: test limit",
        "Seed: 42",
    ]


def test_colour_only_when_asked_for() -> None:
    """Without its colour codes a coloured report is the plain one."""
    colored = render_text(REPORT, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == render_text(REPORT)


def test_a_trace_follows_the_calls() -> None:
    """Its lines are indented, and cannot steer a terminal."""
    test = TestReport("p", "property", "T", "falsified", None, False, (MINT,), "", trace=("[5] T::f()", "  └─ \x1b[2J"))
    text = render_text(with_test(test))
    assert "  Call sequence (1 call, not fully shrunk):\n" in text
    assert "  Call trace:\n    [5] T::f()\n      └─ \\x1b[2J\n" in text


def test_a_test_that_fails_at_once_has_no_calls() -> None:
    """The deployed state itself violates it."""
    text = render_text(with_test(TestReport("p", "property", "T", "falsified", "returned false", True, (), "")))
    assert "It fails before any call, right after deployment." in text


def test_an_optimization_tells_its_value() -> None:
    """And how it was reached."""
    text = render_text(with_test(TestReport("best", "optimization", "T", "passed", None, True, (MINT,), value="77")))
    assert text.startswith("best: max value: 77\n  Call sequence (1 call):\n    Token.mint(5)\n")


def test_a_test_that_could_not_run_says_why() -> None:
    """It counts neither as passed nor as failed."""
    text = render_text(with_test(TestReport("p", "property", "T", "error", "runs out of gas", False, (), "")))
    assert text.startswith("p: could not be tested\n  runs out of gas\n")
    assert "1 test, no failure, 1 could not be tested (" in text


def test_assertions_are_named_with_their_contract() -> None:
    """With all contracts under test, a signature alone says too little."""
    text = render_text(with_test(TestReport("f(uint256)", "assertion", "T", "passed", None, False, (), "")))
    assert text.startswith("T.f(uint256): passing\n")


def test_many_contracts_are_counted_not_listed() -> None:
    """The terminal is not the place for hundreds of lines of coverage."""
    contract = REPORT.coverage.contracts[0]
    report = msgspec.structs.replace(REPORT, coverage=CoverageSummary(1.0, 1.0, (contract,) * 33))
    assert "  … and 3 more contracts\n" in render_text(report)


def test_a_campaign_without_coverage_says_nothing_about_it() -> None:
    """Coverage may be switched off."""
    report = msgspec.structs.replace(REPORT, coverage=CoverageSummary(0.0, 0.0))
    assert "Coverage" not in render_text(report)


def test_code_without_branches_has_no_share_of_them() -> None:
    """0 % would read as if something were left to cover."""
    contract = ContractCoverage("Token", "t.sol", 66.7, 0.0, 2, 3, 0, 0)
    report = msgspec.structs.replace(REPORT, coverage=CoverageSummary(66.7, 0.0, (contract,)))
    assert "\nCoverage: 66.7% of lines, no branches\n  Token   66.7% 2/3 lines" in render_text(report)


def test_each_place_where_a_test_fails_is_a_block() -> None:
    """The first is the test's own; the count names tests and places."""
    findings = (
        FindingReport("T.sol:3:5", "Panic(0x01): assertion failed", True, (MINT,)),
        FindingReport("T.sol:9:5", "Panic(0x01): assertion failed", True, (MINT, PAY)),
    )
    test = TestReport(
        *("f()", "assertion", "T", "falsified", findings[0].reason, True, (MINT,), ""),
        site=findings[0].site,
        findings=findings,
    )
    text = render_text(with_test(test))
    assert text.count("T.f(): failed!💥\n  Panic(0x01): assertion failed\n") == 2
    assert "  at T.sol:3:5\n  Call sequence (1 call):\n" in text
    assert "  at T.sol:9:5\n  Call sequence (2 calls):\n" in text
    assert "1 of 1 test failed, at 2 places (" in text
