"""Answers of `status` and `target`: one type is value and schema at once."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from simulator.health.model import Verdict
from tools.tool import Answer, JsonObject


class ToolResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Base of results: camel case, nothing beyond the schema."""


def answer_of(result: ToolResult) -> Answer:
    return Answer(plain(result))


def plain(result: ToolResult) -> JsonObject:
    """A result as JSON has it: objects and arrays."""
    fields: JsonObject = _plain(msgspec.to_builtins(result))
    return fields


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(member) for key, member in value.items()}
        case list() | tuple():
            return [_plain(member) for member in value]
        case _:
            return value


class TestCounts(ToolResult, frozen=True):
    """Tests by where they stand; `falsified` ones are found, shrunk or not."""

    __test__ = False

    total: int
    open: int
    falsified: int
    passed: int
    skipped: int
    error: int


class WorkerFigures(ToolResult, frozen=True):
    """`state` in a word, `resident` bytes, `cpu` cores in use, `restarts` lost processes, `age` as of the campaign.
    `node` is the machine of a worker on another one."""

    worker: int
    state: str
    calls: int
    calls_per_second: float
    resident: int
    cpu: float
    restarts: int
    age: float
    node: str | msgspec.UnsetType = msgspec.UNSET


class CorpusFigures(ToolResult, frozen=True):
    sequences: int
    transactions: int


class CoverageFigures(ToolResult, frozen=True):
    """`points` is the fuzzer's own measure, of this moment. The percentages are those of one report, null before there
    is one; `report_age` is for how many seconds more may have been covered than it tells."""

    points: int
    line_coverage: float | None
    branch_coverage: float | None
    report_age: float | None


class Deltas(ToolResult, frozen=True):
    """Changes since this client's last call of `status`; since the start, where it is the first. `findings` names up to
    50."""

    seconds: float
    calls: int
    points: int
    transactions: int
    restarts: int
    findings: tuple[str, ...]


class HealthFigures(ToolResult, frozen=True):
    """The verdict sound, thin or vacuous as of so many calls, and how many points weaken the campaign."""

    verdict: Verdict
    weakening: int
    calls: int


class StatusResult(ToolResult, frozen=True):
    """`phase`: none, compiling or failed without a campaign to ask; then deploying, replaying corpus, fuzzing,
    shrinking, idle (fuzzing has ended, and commands are accepted), reporting, finished. Seconds count from the first
    worker's readiness, without those of pauses. Limits that do not hold are null.
    `age` is how many seconds ago the worker that is silent longest was heard of: calls are of that time, and
    `calls_per_second` falls to 0 with it. `findings` names up to 50; list_findings pages all. `next_step` says what to
    do where nothing runs; null while a campaign fuzzes. `health` is null until it is known; campaign_health tells the
    points."""

    phase: str
    running: bool
    paused: bool
    target: str
    test_mode: str
    seconds: float
    calls: int
    calls_per_second: float
    age: float
    call_limit: int | None
    time_limit: float | None
    seconds_since_new_coverage: float | None
    tests: TestCounts
    findings: tuple[str, ...]
    coverage: CoverageFigures
    corpus: CorpusFigures
    workers: tuple[WorkerFigures, ...]
    since_last_call: Deltas
    failure: str | None
    next_step: str | None
    health: HealthFigures | None = None


class FunctionFacts(ToolResult, frozen=True):
    """A function that the fuzzer calls."""

    signature: str
    payable: bool
    prioritized: bool
    excluded: bool


class ContractFacts(ToolResult, frozen=True):
    """A deployed contract that is called; `address` is lower-case hex."""

    name: str
    address: str
    functions: tuple[FunctionFacts, ...]


class TestFacts(ToolResult, frozen=True):
    __test__ = False

    id: str
    kind: Literal["property", "assertion", "call", "optimization", "exploration", "crash"]
    status: str


class TargetResult(ToolResult, frozen=True):
    """Target of the campaign, and how it is fuzzed: `senders` send calls, `seed` repeats the campaign with one worker.
    A page holds so many of all functions, under their contracts, and so many of all tests. `next_offset` is that of the
    next page, null behind the last of both."""

    contract: str
    test_mode: str
    sequence_length: int
    seed: str
    senders: tuple[str, ...]
    contracts: tuple[ContractFacts, ...]
    tests: tuple[TestFacts, ...]
    functions_total: int
    tests_total: int
    next_offset: int | None
