"""Reports with everything in them that a campaign can say, and with names that no report should trust."""

from __future__ import annotations

from orchestrator.report.build import campaign_summary
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import (
    CampaignReport,
    CorpusSummary,
    Delay,
    ExportReport,
    FindingReport,
    ReproducerCall,
    RunDetails,
    SourceLocation,
    TestReport,
)
from orchestrator.report.sources.source_lines import source_lines
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.summary import summarize
from simulator.trace.data import TracedCall

HOSTILE = (
    "</script><script>alert(1)</script>",
    "]]>--><!DOCTYPE x>",
    "\n::error::forged",
    "%0A::warning::forged",
    "```\n# forged",
    "`x` | y @everyone ![i](http://example.org/i)",
    "\x1b[2J\u202egnp.exe\x00\x07\ufffe\udc80",
    "\"quoted\" & <tag a='b'>",
    "a,b:c=d",
)
PATH = "src/Vault File.sol"


def files(name: str = "Vault") -> tuple[FileCoverage, ...]:
    """Two sources, one of a library."""
    return (
        FileCoverage(
            PATH,
            "contract Vault {\n  function f(uint256 a) public {\n    assert(a != 7);\n    g();\n  }\n}\n",
            lines=(LineCount(3, 12, name), LineCount(4, 0, name)),
            branches=(BranchCount(3, "if", name, (0, 12)),),
            functions=(FunctionCount(2, 5, f"{name}.f", 12),),
        ),
        FileCoverage("lib/x/Math.sol", "library Math { }", lines=(LineCount(1, 3, "Math"),)),
    )


def call(text: str = "f(7)", contract: str = "Vault") -> ReproducerCall:
    """A call that waits and pays."""
    return ReproducerCall(
        call=text,
        function="f(uint256)",
        args=("7",),
        sender=f"0x{0x20000:040x}",
        to="0x" + "02" * 20,
        value="1000000000000000000",
        delay=Delay(60, 2),
        contract=contract,
        data="0x00",
        location=SourceLocation(PATH, 2, 3),
    )


def finding(number: int = 1, text: str = "assertion failed", *, known: bool = False, calls: int = 1) -> FindingReport:
    """A failure with its place, its calls and what they did."""
    trace = (
        TracedCall("CALL", 0, f"Vault::f({text})", contract="Vault", gas_used=90, success=False, result="[Revert]"),
        TracedCall("STATICCALL", 1, "Math::g()", gas_used=9, success=True, result="[Return]"),
        TracedCall("EVENT", 2, "emit Seen()"),
        TracedCall("CALL", 1, "Math::h()", gas_used=9, success=True, result="[Stop]"),
    )
    return FindingReport(
        site=f'{PATH}:3:{number} "{text}"',
        reason=text,
        shrunk=True,
        reproducer=tuple(call(f"f({text})") for _ in range(calls)),
        trace=(f"[90] Vault::f({text})", "  └─ ← [Revert]"),
        call_trace=trace * calls,
        foundry_test=ExportReport("corpus/foundry/Test.f.sol", True, "Verified: forge executed it."),
        location=SourceLocation(PATH, 3, number),
        fingerprint=f"{number:032x}",
        known=known,
    )


def report(text: str = "assertion failed", name: str = "Vault", *, known: bool = False) -> CampaignReport:
    """Each status of a test; one that fails at two places, the first of them known where `known`."""
    failed = (finding(1, text, known=known), finding(2, text))
    tests = (
        TestReport(text, "assertion", name, "falsified", text, True, failed[0].reproducer, "", findings=failed),
        TestReport("echidna_ok", "property", name, "passed", None, False, (), "", location=SourceLocation(PATH, 2, 3)),
        TestReport("echidna_unknown", "property", name, "error", text, False, (), ""),
        TestReport("optimize_x", "optimization", name, "passed", None, True, (call(),), "77"),
    )
    return CampaignReport(
        campaign=campaign_summary(
            target=f"{PATH}:{name}",
            mode="assertion",
            seed=1,
            workers=2,
            calls=1000,
            duration=2.0,
            stop_reason="test limit reached",
            left_out=(f"1 contract is not called: {text}",),
        ),
        tests=tests,
        coverage=summarize(files(name)),
        corpus=CorpusSummary(3, 9, "corpus"),
        run=RunDetails(
            version="0.1.0",
            made="2026-11-23T01:02:03Z",
            root="/project",
            compilers=("0.8.30 (cancun)",),
            command="monotreme fuzz . --seed 1",
            configuration={"prefix": text},
            baseline=1 if known else None,
        ),
        sources=source_lines(files(name)),
    )


def material(text: str = "assertion failed", name: str = "Vault", *, known: bool = False) -> ReportMaterial:
    """The same as report files are made of."""
    return ReportMaterial(report(text, name, known=known), files(name), f"{PATH}:{name}", "/project", "/project", 1)
