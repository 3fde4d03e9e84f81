"""Frames from a worker: that it is ready, what it found, what it counted. See `simulator.worker.frame` for their
order."""

from __future__ import annotations

from typing import Literal

from simulator.coverage.code_map import CodeKind, CodeMap
from simulator.fuzz.checking.oracles import TestKind
from simulator.health.observations import RareCells, SeenOperands, SeenRevert, TestActivity
from simulator.trace.data import TracedCall
from simulator.transaction import Sequence
from simulator.worker.frame import DoneReason, Features, Frame


class TestInfo(Frame, frozen=True):
    """`id` is the index used by the other frames. `contract` is the contract's plain name."""

    __test__ = False

    id: int
    name: str
    kind: TestKind
    contract: str


class FunctionInfo(Frame, frozen=True):
    contract: str
    signature: str
    selector: bytes
    payable: bool


class Hello(Frame, frozen=True, tag="hello"):
    """Sent at once after start, before `Setup` is read."""

    pid: int
    protocol: int


class Ready(Frame, frozen=True, tag="ready"):
    """The target is deployed. Test ids are indexes into `tests`; code ids number `codes`, later `NewCode`s follow on.
    `falsified_at_start` lists tests that fail before any call, with the reason, `skipped_at_start` those that skip
    themselves then; `sites_at_start` says where, in the
    same order, as in `Falsified`. `left_out` are sentences on what of the target is neither called nor tested."""

    tests: tuple[TestInfo, ...]
    functions: tuple[FunctionInfo, ...]
    codes: tuple[CodeMap, ...]
    addresses: tuple[tuple[bytes, str], ...]
    falsified_at_start: tuple[tuple[int, str], ...] = ()
    skipped_at_start: tuple[tuple[int, str], ...] = ()
    left_out: tuple[str, ...] = ()
    sites_at_start: tuple[str, ...] = ()


class NewCode(Frame, frozen=True, tag="new_code"):
    """A code appeared at run time; `id` is its code id in this worker."""

    id: int
    code: CodeMap


class Heartbeat(Frame, frozen=True, tag="heartbeat"):
    """Sent about every 100 ms from inside the work loop. Counters are totals of this process."""

    calls: int
    sequences: int
    reverted: int
    gas: int


class Coverage(Frame, frozen=True, tag="coverage"):
    """Cells that changed since the last such frame: little-endian uint32 indexes, and the kernel's uint64 cells (bits
    0..47 hit count of this process, 48..55 call depths, 56..63 outcomes: see simulator.coverage.code_coverage)."""

    code: int
    cells: bytes
    counts: bytes


class Interesting(Frame, frozen=True, tag="interesting"):
    """A sequence that brought coverage, already trimmed. `points` is the worker's total of covered points after it;
    `features` and `gas` are those of `Measured`."""

    sequence: Sequence
    points: int
    codes: int
    features: Features = ()
    gas: tuple[int, ...] = ()


class Measured(Frame, frozen=True, tag="measured"):
    """Coverage of a sequence that is executed alone from the deployed state, and the gas of each of its transactions
    (0 for a wait). `entry` is the sequence's hash (`simulator.corpus.identity`)."""

    entry: str
    features: Features
    gas: tuple[int, ...]


Verdict = Literal["passed", "skipped", "failed"]


class Skipped(Frame, frozen=True, tag="skipped"):
    """A test has skipped itself, for a `reason` that may be empty. It is no longer checked."""

    test: int
    reason: str = ""


class Presumed(Frame, frozen=True, tag="presumed"):
    """The verdict on a test that is open, should it be so at the end, and why. A later frame takes its place."""

    test: int
    verdict: Verdict = "passed"
    reason: str = ""


class Falsified(Frame, frozen=True, tag="falsified"):
    """A test failed. `reason` is one sentence for people; `sequence` ends with the failing call; `gas_used` is that of
    its transactions together. `site` is the place of the failure, such as `Vault.sol:42:9 "message"`: other places are
    failures of their own. Empty, the test has failed as a whole and is no longer checked. `calls` is the call
    trace as data."""

    test: int
    sequence: Sequence
    reason: str
    value: str = ""
    gas_used: int = 0
    site: str = ""
    calls: tuple[TracedCall, ...] = ()


class Words(Frame, frozen=True, tag="words"):
    """Dictionary words (32 bytes each) seen for the first time by this worker."""

    words: tuple[bytes, ...]


class FunctionCounts(Frame, frozen=True, tag="function_counts"):
    """Totals of this process per index into `Ready.functions`. `last_new` is the process's total of calls when the
    function last brought coverage, 0 for never; `rarest` how often the least executed place that it was the first to
    reach has been executed, 0 where it was the first nowhere."""

    calls: tuple[int, ...]
    reverts: tuple[int, ...]
    last_new: tuple[int, ...] = ()
    rarest: tuple[int, ...] = ()


class Observed(Frame, frozen=True, tag="observed"):
    """Notes on the health of the campaign, sent at the end of work: totals of this process, after so many calls, but
    `reverts` and `operands`, which are those since the last such frame. `activities` by test id; `growth` as of
    `Observations`; `sequences` is how many have been looked at."""

    calls: int
    activities: tuple[TestActivity, ...] = ()
    reverts: tuple[SeenRevert, ...] = ()
    operands: tuple[SeenOperands, ...] = ()
    growth: tuple[tuple[int, int], ...] = ()
    rare: tuple[RareCells, ...] = ()
    sequences: int = 0


class Shrunk(Frame, frozen=True, tag="shrunk"):
    """Progress of a shrink: the simplest failing sequence yet and the executions used. `test` is that of `Shrink`.
    `minimal` once no simplification that the shrinker knows keeps the failure. The sequence of the last one before
    `Done` was executed again and still fails; `trace` is then its rendered trace, one line a string, and `calls` the
    same as data."""

    test: int
    sequence: Sequence
    attempts: int
    minimal: bool
    reason: str
    trace: tuple[str, ...] = ()
    value: str = ""
    calls: tuple[TracedCall, ...] = ()


class LogEntry(Frame, frozen=True):
    """An event that a transaction left. `text` is its decoded form, such as `Transfer(from: 0x1, to: 0x2)`, where the
    ABI knows it; topics are 32 bytes each."""

    address: bytes
    topics: tuple[bytes, ...]
    data: bytes
    text: str


class CallOutcome(Frame, frozen=True):
    """Ending of one transaction of an executed sequence. `reason` is `success`, or the decoded revert reason;
    `returned` the decoded return values of a success. Long outputs and logs are cut, which `truncated` says."""

    success: bool
    output: bytes
    gas_used: int
    reason: str
    returned: str = ""
    logs: tuple[LogEntry, ...] = ()
    truncated: bool = False


class SlotChange(Frame, frozen=True):
    """One slot of one account, 20 bytes, that a call changed; words are 32 bytes. An address of zeros is an account
    that is gone."""

    address: bytes
    slot: bytes
    before: bytes
    after: bytes


class CoveredCells(Frame, frozen=True):
    """The coverage cells that an execution hit in one code: little-endian uint32 indexes. Code is named as its map
    names it."""

    contract: str
    kind: CodeKind
    cells: bytes


class Executed(Frame, frozen=True, tag="executed"):
    """`timestamp` and `number` are those of the block after the last transaction. `storage_changes` are those by each
    transaction, where they were asked for; `storage_problem` says why there are none. `covered` is what was executed,
    where that was asked for. `slots` are the words of the slots that were asked for, none of them where the execution
    was given up."""

    id: int
    outcomes: tuple[CallOutcome, ...]
    trace: tuple[str, ...]
    timestamp: int = 0
    number: int = 0
    storage_changes: tuple[tuple[SlotChange, ...], ...] = ()
    storage_problem: str = ""
    covered: tuple[CoveredCells, ...] = ()
    slots: tuple[bytes, ...] = ()


class Injected(Frame, frozen=True, tag="injected"):
    """The sequence was executed; `covered` when it brought coverage."""

    id: int
    covered: bool


class Obeyed(Frame, frozen=True, tag="obeyed"):
    """Acted on so many steering commands since the process began, the last of them after so many calls of fuzzing."""

    commands: int
    calls: int


class Done(Frame, frozen=True, tag="done"):
    """The current work has ended; `calls` transactions were executed for it. `beside` counts those of single sequences:
    trimming, solving, replaying, shrinking."""

    calls: int
    reason: DoneReason
    beside: int = 0


class Warn(Frame, frozen=True, tag="warn"):
    """Something the user should know once, such as an unsupported cheatcode."""

    message: str


class Failed(Frame, frozen=True, tag="failed"):
    """The worker cannot continue: a typed error of the target (code `E_...`) or a bug. It exits afterwards."""

    code: str
    message: str


FromWorker = (
    Hello
    | Ready
    | NewCode
    | Heartbeat
    | Coverage
    | Interesting
    | Measured
    | Falsified
    | Skipped
    | Presumed
    | Words
    | FunctionCounts
    | Observed
    | Shrunk
    | Executed
    | Injected
    | Obeyed
    | Done
    | Warn
    | Failed
)
