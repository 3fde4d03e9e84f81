"""The result of a campaign, in the form of its JSON document (schema 1). Text and JSON are made from nothing else.

Optional members are left out of the document when they hold nothing.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from simulator.coverage.summary import CoverageSummary
from simulator.fuzz.checking.oracles import TestKind
from simulator.health.model import CampaignHealth
from simulator.settings import TestMode
from simulator.trace.data import TracedCall

SCHEMA_VERSION: Literal[1] = 1

TestStatus = Literal["passed", "falsified", "skipped", "error"]


class ReportPart(msgspec.Struct, frozen=True, rename="camel"):
    """Base of all parts: fields are camel case in the document."""


class OptionalPart(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of parts that leave out members at their default."""


class CampaignSummary(ReportPart, frozen=True):
    """Summary of the run. `duration` is in seconds. `stop_reason` is one sentence or word for users, such as `test
    limit`. `left_out` are sentences on what of the target was neither called nor tested. `gas` is what all calls used.
    `worker_nodes` are the machines that workers ran on last, by the number of the worker, where any was on a cluster.
    """

    target: str
    mode: TestMode
    seed: int
    workers: int
    calls: int
    duration: float
    calls_per_second: float
    stop_reason: str
    left_out: tuple[str, ...] = ()
    gas: int = 0
    worker_nodes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class SourceLocation(ReportPart, frozen=True):
    """A place in a source of the project. Line and column count from 1."""

    path: str
    line: int
    column: int


class Delay(ReportPart, frozen=True):
    """Time that passes before a call."""

    seconds: int = 0
    blocks: int = 0


class ReproducerCall(OptionalPart, frozen=True):
    """One call of a reproducer. `call` is the readable whole, such as `transfer(0x…20000, 5)`; `function` the
    canonical signature, empty for a wait or raw calldata; `args` the arguments as text. Addresses are lowercase 0x-hex,
    `to` is empty for a wait. `value` is wei in decimal. `contract` names the callee, where it is known; `data` is the
    calldata as 0x-hex, `location` where the function is declared."""

    call: str
    function: str
    args: tuple[str, ...]
    sender: str
    to: str
    value: str
    delay: Delay
    contract: str = ""
    data: str = ""
    location: SourceLocation | None = None


class ExportReport(ReportPart, frozen=True):
    """A finding as a Foundry test: its file, None where there is none; whether executing it showed the failure; and one
    sentence on that."""

    path: str | None
    verified: bool
    text: str


class FindingReport(OptionalPart, frozen=True):
    """One failure of a test. `site` is its place, as `File.sol:line:column "message"`, empty where the test fails as a
    whole; `location` the same as data, else where the test is declared. `fingerprint` is equal for the same failure of
    other campaigns, also after lines were added above it; `known` when the baseline of the run has it. The other
    members are those of the test."""

    site: str
    reason: str
    shrunk: bool
    reproducer: tuple[ReproducerCall, ...]
    trace: tuple[str, ...] = ()
    call_trace: tuple[TracedCall, ...] = ()
    unshrunk: tuple[ReproducerCall, ...] = ()
    foundry_test: ExportReport | None = None
    location: SourceLocation | None = None
    fingerprint: str = ""
    known: bool = False


class TestReport(OptionalPart, frozen=True):
    """The verdict on one test. `reason` is None where it passed, or skipped itself without one. `shrunk` says whether
    `reproducer` is minimal. `value` is the best value of an optimization, empty for others; `trace` the rendered call
    trace of the reproducer, `call_trace` the same as data; `unshrunk` the sequence as it was found, where it differs.
    `findings` are all of its failures by site; what the test itself tells is the first one. `foundry_test` is there for
    findings of campaigns with a corpus. `location` is where the test is declared."""

    __test__ = False

    name: str
    type: TestKind
    contract: str
    status: TestStatus
    reason: str | None
    shrunk: bool
    reproducer: tuple[ReproducerCall, ...]
    value: str
    trace: tuple[str, ...] = ()
    unshrunk: tuple[ReproducerCall, ...] = ()
    call_trace: tuple[TracedCall, ...] = ()
    site: str = ""
    findings: tuple[FindingReport, ...] = ()
    foundry_test: ExportReport | None = None
    location: SourceLocation | None = None


class CorpusSummary(ReportPart, frozen=True):
    """`path` is the corpus folder, None when the campaign kept none."""

    sequences: int
    transactions: int
    path: str | None


class RunDetails(OptionalPart, frozen=True):
    """Origin of the report. `version` is that of this program; `made` when the report was made, UTC as in RFC 3339.
    `compilers` are those of the project, each with the EVM version it compiled for; `root` is the folder that
    relative source paths start from. `command` makes the campaign again, from an empty corpus; what it says with
    `--config` is `configuration`: the keys that are not at their default and have no flag, by name. Secrets are in
    neither. `baseline` is the number of findings that the run took as known."""

    version: str
    made: str
    root: str
    compilers: tuple[str, ...]
    command: str
    configuration: dict[str, Any] = {}
    baseline: int | None = None


class SourceLines(ReportPart, frozen=True):
    """Executable lines of a source, as ranges such as `3-5,9`: those that ran, and those that never did. `digest` is
    equal for equal contents."""

    path: str
    digest: str
    hit: str
    missed: str


class CampaignReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The whole document. `sources` are those that coverage reports list; `health` says what its verdicts are worth."""

    schema: Literal[1] = SCHEMA_VERSION
    campaign: CampaignSummary
    tests: tuple[TestReport, ...]
    coverage: CoverageSummary
    corpus: CorpusSummary
    run: RunDetails | msgspec.UnsetType = msgspec.UNSET
    sources: tuple[SourceLines, ...] | msgspec.UnsetType = msgspec.UNSET
    health: CampaignHealth | msgspec.UnsetType = msgspec.UNSET
