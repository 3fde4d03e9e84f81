"""Frames between a worker process and the actor that supervises it.

Lockstep: the worker acts only on commands. `Fuzz`, `Replay` and `Shrink` are work; during work the worker sends
telemetry (`Heartbeat`, `Coverage`, `Interesting`, ...) and closes it with exactly one `Done`. Everything else takes
effect at once and, `Inject` and `Execute` excepted, is not answered. Work may be followed by further commands before
its `Done`; they are read between native batches (10-100 ms). `Stop`, `Interrupt` and what steers (`Steering`) act
before the work in hand ends, the others after it. So one worker and one seed give one order of events, whatever the
clock does, as long as nobody steers while it works.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from simulator.coverage.code_map import CodeMap
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

PROTOCOL_VERSION = 3

TestKind = Literal["property", "assertion", "call", "optimization", "exploration", "crash"]
DoneReason = Literal["finished", "falsified", "interrupted"]
Features = tuple[tuple[int, bytes], ...]
"""Code id, and little-endian uint32s `16 * cell + bit`: bits 0..7 for call depths, 8..15 for outcomes; bit 0 for the
side of a JUMPI."""


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all frames."""


# --- to the worker ---------------------------------------------------------------------------------------------------


class Setup(Frame, frozen=True, tag="setup"):
    """First frame. `project` is the path of a `Project` as MessagePack. Answered by `Ready` or `Failed`."""

    worker: int
    seed: int
    project: str
    settings: CampaignSettings


class Fuzz(Frame, frozen=True, tag="fuzz"):
    """Execute random sequences until at least `calls` transactions have run, or a test is newly falsified."""

    calls: int


class Replay(Frame, frozen=True, tag="replay"):
    """Execute these sequences, take them into the corpus where they bring coverage, check the tests. With `measure`,
    say of each what it covers (`Measured`)."""

    sequences: tuple[Sequence, ...]
    measure: bool = False


class Shrink(Frame, frozen=True, tag="shrink"):
    """Make the failing sequence of a test smaller, with at most `attempts` executions."""

    test: int
    sequence: Sequence
    attempts: int


class Adopt(Frame, frozen=True, tag="adopt"):
    """Corpus entries and dictionary words (32 bytes each) that other workers found."""

    sequences: tuple[Sequence, ...] = ()
    words: tuple[bytes, ...] = ()


class CloseTest(Frame, frozen=True, tag="close_test"):
    """This test was falsified elsewhere: stop checking it."""

    test: int


class Interrupt(Frame, frozen=True, tag="interrupt"):
    """End the work in hand after the current native batch; its `Done` says `interrupted`."""


class Stop(Frame, frozen=True, tag="stop"):
    """Leave with exit code 0 after the current native batch. End of file on stdin means the same."""


# --- steering --------------------------------------------------------------------------------------------------------


class Execute(Frame, frozen=True, tag="execute"):
    """Run one sequence from the initial state without touching coverage, corpus or tests; answered by `Executed`.
    `trace` adds the call trace."""

    id: int
    sequence: Sequence
    trace: bool


class Inject(Frame, frozen=True, tag="inject"):
    """Execute a sequence, check the tests, credit its coverage, and build on it from then on whether or not it brought
    any. With `templates` these replace those of before, first: both take effect at the same call. Answered by
    `Injected`."""

    id: int
    sequence: Sequence
    templates: SetTemplates | None = None


class Focus(Frame, frozen=True, tag="focus"):
    """Which functions to call how often; replaces the former focus. Functions are named by canonical signature, or
    `Contract.signature`; names that fit none have no effect. Nine tenths of all calls go to the `prioritized` ones,
    where there are any. `weights` multiply a function's share of the others, `excluded` are not called at all. Where
    nothing would be left to call, exclusions have no effect."""

    prioritized: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()


class Teach(Frame, frozen=True, tag="teach"):
    """Dictionary values from a person. `numbers` and `fixed_bytes` are words of 32 bytes as they stand in calldata,
    `addresses` 20 bytes, `blobs` contents of `bytes` and `string`."""

    numbers: tuple[bytes, ...] = ()
    fixed_bytes: tuple[bytes, ...] = ()
    addresses: tuple[bytes, ...] = ()
    blobs: tuple[bytes, ...] = ()


class TemplateCall(Frame, frozen=True):
    """One call of a template. `text` is a call as `simulator.abi.call_parser` reads it, of the contract at `to`;
    `sender` None stands for any sender of the campaign."""

    to: bytes
    text: str
    sender: bytes | None = None
    value: bytes = b""
    seconds: int = 0
    blocks: int = 0


class SequenceTemplate(Frame, frozen=True):
    """Calls to build sequences around; their wildcards are filled anew each time. `share` of all sequences, 0..1."""

    id: int
    calls: tuple[TemplateCall, ...]
    share: float


class SetTemplates(Frame, frozen=True, tag="set_templates"):
    """Replaces the templates of before."""

    templates: tuple[SequenceTemplate, ...]


Steering = Execute | Inject | Focus | Teach | SetTemplates
ToWorker = Setup | Fuzz | Replay | Shrink | Adopt | CloseTest | Interrupt | Stop | Steering

# --- from the worker -------------------------------------------------------------------------------------------------


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
    `falsified_at_start` lists tests that fail before any call, with the reason."""

    tests: tuple[TestInfo, ...]
    functions: tuple[FunctionInfo, ...]
    codes: tuple[CodeMap, ...]
    addresses: tuple[tuple[bytes, str], ...]
    falsified_at_start: tuple[tuple[int, str], ...] = ()


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
    """What a sequence covers when it is executed alone from the deployed state, and the gas that the execution of
    each of its transactions takes (0 for a wait). `entry` is the sequence's hash (`simulator.corpus.identity`)."""

    entry: str
    features: Features
    gas: tuple[int, ...]


class Falsified(Frame, frozen=True, tag="falsified"):
    """A test failed. `reason` is one sentence for people; `sequence` ends with the failing call; `gas_used` is that of
    its transactions together."""

    test: int
    sequence: Sequence
    reason: str
    value: str = ""
    gas_used: int = 0


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


class Shrunk(Frame, frozen=True, tag="shrunk"):
    """Progress of a shrink: the smallest failing sequence yet and the executions used. `minimal` once no single
    simplification keeps the failure. The sequence of the last one before `Done` was executed again and still fails;
    `trace` is then its rendered trace, one line a string."""

    test: int
    sequence: Sequence
    attempts: int
    minimal: bool
    reason: str
    trace: tuple[str, ...] = ()
    value: str = ""


class LogEntry(Frame, frozen=True):
    """An event that a transaction left. `text` is its decoded form, such as `Transfer(from: 0x1, to: 0x2)`, where the
    ABI knows it; topics are 32 bytes each."""

    address: bytes
    topics: tuple[bytes, ...]
    data: bytes
    text: str


class CallOutcome(Frame, frozen=True):
    """How one transaction of an executed sequence ended. `reason` is `success`, or the decoded revert reason;
    `returned` the decoded return values of a success. Long outputs and logs are cut, which `truncated` says."""

    success: bool
    output: bytes
    gas_used: int
    reason: str
    returned: str = ""
    logs: tuple[LogEntry, ...] = ()
    truncated: bool = False


class Executed(Frame, frozen=True, tag="executed"):
    """`timestamp` and `number` are those of the block after the last transaction."""

    id: int
    outcomes: tuple[CallOutcome, ...]
    trace: tuple[str, ...]
    timestamp: int = 0
    number: int = 0


class Injected(Frame, frozen=True, tag="injected"):
    """The sequence was executed; `covered` when it brought coverage."""

    id: int
    covered: bool


class Obeyed(Frame, frozen=True, tag="obeyed"):
    """Acted on so many steering commands since the process began, the last of them after so many calls of fuzzing."""

    commands: int
    calls: int


class Done(Frame, frozen=True, tag="done"):
    """The work in hand has ended; `calls` transactions were executed for it."""

    calls: int
    reason: DoneReason


class Warn(Frame, frozen=True, tag="warn"):
    """Something a person should know once, such as an unsupported cheatcode."""

    message: str


class Failed(Frame, frozen=True, tag="failed"):
    """The worker cannot go on: a typed error of the target (code `E_...`) or a bug. It exits afterwards."""

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
    | Words
    | FunctionCounts
    | Shrunk
    | Executed
    | Injected
    | Obeyed
    | Done
    | Warn
    | Failed
)
