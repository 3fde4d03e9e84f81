"""Steering: what may be asked of a running campaign, and what it answers. Send with `Campaign.ask`.

Each command names the type of its answer. Answers come at once, after the command was dispatched and before workers
have acted on it (they do between two native batches, well below a second); `ExecuteSequence`, `ReloadCorpus` and
`DumpReports` answer when they are done. Every command may be answered with `CampaignEnding`; other errors are named
below.
Functions are named by canonical signature (`transfer(address,uint256)`), by `Contract.signature`, or by bare name for
every overload.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from simulator.transaction import Sequence
from simulator.worker.reports import Executed

Answer = TypeVar("Answer")
DEFAULT_SENDER = (0x10000).to_bytes(20, "big")
DEFAULT_TEMPLATE_SHARE = 0.2


class Command(msgspec.Struct, Generic[Answer], frozen=True):
    """Base of all steering commands."""


class CallRequest(msgspec.Struct, frozen=True):
    """One call as a user writes it: `transfer(0x20000, 1 ether)`, with `Token.` before it where the function is not
    of the fuzzed contract. `?` and elided literals (`0xabcd...`) are wildcards. `sender` is 20 bytes, None any sender
    of the campaign; `value` in wei; the delay passes before the call."""

    text: str
    sender: bytes | None = DEFAULT_SENDER
    value: int = 0
    seconds: int = 0
    blocks: int = 0


# --- sequences -------------------------------------------------------------------------------------------------------


class Injection(msgspec.Struct, frozen=True):
    """`calls` of the sequence went to each of `workers`, in `instances` that differ in the values of wildcards; 1 for
    a sequence without any."""

    calls: int
    workers: int
    instances: int = 1


class InjectSequence(Command[Injection], frozen=True):
    """Execute these calls, 1..100, on every live worker, and keep them in the corpus whether or not they bring
    coverage. Wildcards are filled in several ways, the same for all workers, and each instance is an entry. Nothing is
    injected unless every call can be read: `CommandRejected`. `NoLiveWorkers` when none is running. Where there are no
    calls, these transactions, such as those of a file, are injected."""

    calls: tuple[CallRequest, ...]
    transactions: Sequence = ()


class TemplateInfo(msgspec.Struct, frozen=True):
    """A template in use. `share` of all sequences are to be built around it, `effective` are: all shares together stay
    below 0.9, and below 0.1 while functions are prioritized."""

    id: int
    calls: tuple[CallRequest, ...]
    share: float
    effective: float = 0.0


class AddTemplate(Command[TemplateInfo], frozen=True):
    """Build a share of the sequences around these calls, wildcards filled anew each time. `CommandRejected` when a call
    cannot be read, the share is not in 0..0.9, or there are too many templates."""

    calls: tuple[CallRequest, ...]
    share: float = DEFAULT_TEMPLATE_SHARE


class ListTemplates(Command[tuple[TemplateInfo, ...]], frozen=True):
    """The templates in use."""


class RemoveTemplates(Command[int], frozen=True):
    """Use these templates no longer, all of them when `ids` is empty. The answer is how many were in use."""

    ids: tuple[int, ...] = ()


class ExecuteSequence(Command[Executed], frozen=True):
    """Run these transactions, such as an entry of the corpus or a reproducer, and then these calls, up to 100 without
    wildcards, once from the deployed state on one worker, with results and trace. `trace_depth` is how deep calls
    may be nested to be shown, 0 for all; `storage_changes` asks for what each changed in storage, `cover` for the code
    that was executed, `slots` for the words of storage afterwards, by address and key. Coverage, corpus, tests and
    budget stay as they are. Answered when it was executed, which may take seconds for heavy calls. `CommandRejected`,
    `NoLiveWorkers`, `ExecutionLost`."""

    calls: tuple[CallRequest, ...]
    trace: bool = True
    transactions: Sequence = ()
    trace_depth: int = 0
    storage_changes: bool = False
    cover: bool = False
    slots: tuple[tuple[bytes, bytes], ...] = ()


# --- functions -------------------------------------------------------------------------------------------------------


class FunctionsChanged(msgspec.Struct, frozen=True):
    """Settings after the command. `matched` functions of the target have the name that was given; 0 means that it has
    no effect (yet: functions of contracts that are created later count as well).
    """

    matched: int
    prioritized: tuple[str, ...]
    excluded: tuple[str, ...]
    weights: tuple[tuple[str, float], ...]


class PrioritizeFunction(Command[FunctionsChanged], frozen=True):
    """Let nine tenths of all calls be calls of the prioritized functions, this one among them."""

    function: str


class ExcludeFunction(Command[FunctionsChanged], frozen=True):
    """Do not call this function. `CommandRejected` when nothing would be left to call."""

    function: str


class AllowFunctions(Command[FunctionsChanged], frozen=True):
    """Call these functions and no others of the target: all others are excluded, in place of what was excluded before.
    `CommandRejected` for a name that no function has."""

    functions: tuple[str, ...]


class WeighFunction(Command[FunctionsChanged], frozen=True):
    """Multiply this function's share of the calls by a weight of 0.001..1000; 1 takes an earlier weight back."""

    function: str
    weight: float


class WeighFunctions(Command[FunctionsChanged], frozen=True):
    """The same for several functions, name and weight each, all or none, from the same call on. The answer matches the
    last name."""

    weights: tuple[tuple[str, float], ...]


class ClearPriorities(Command[int], frozen=True):
    """Prioritize nothing. The answer is how many names were prioritized."""


class ArgumentLimit(msgspec.Struct, frozen=True):
    """An argument by name or number (`amount`, `1`, `order.fee`), and what it is bound to: `values`, or the range from
    `minimum` to `maximum`, of which one may be None. Values are written as in a call."""

    argument: str
    values: tuple[str, ...] = ()
    minimum: str | None = None
    maximum: str | None = None


class FunctionClamped(msgspec.Struct, frozen=True):
    """`functions` (`Contract.signature`) have the name that was given; `clamps` are all that hold now."""

    functions: tuple[str, ...]
    clamps: tuple[ClampFunction, ...]


class ClampFunction(Command[FunctionClamped], frozen=True):
    """Bind arguments of a function to values or ranges, and its calls to `senders` where there are any, in place of
    what bound it under this name before. Without either, the binding is removed. Calls that the fuzzer makes,
    takes from the corpus or replays are repaired; injected and executed ones stay as they are. `CommandRejected` for a
    function or an argument that is not there, and for values that do not fit."""

    function: str
    arguments: tuple[ArgumentLimit, ...] = ()
    senders: tuple[bytes, ...] = ()


class ClearFunctions(Command[int], frozen=True):
    """Take back all priorities, exclusions, weights and clamps. The answer is how many there were."""


class DictionaryValue(msgspec.Struct, frozen=True):
    """A value as text, in the form of arguments. `type` is an ABI type, or empty: then 40 hex digits are an address, 64
    a word, other hex bytes, quoted text a string, everything else a number."""

    value: str
    type: str = ""


class AddDictionaryValues(Command[int], frozen=True):
    """Use these values as arguments. The answer is how many there were; `CommandRejected` when one cannot be read."""

    values: tuple[DictionaryValue, ...]


# --- the campaign ----------------------------------------------------------------------------------------------------


class Changed(msgspec.Struct, frozen=True):
    """True if the command changed anything."""

    changed: bool


class Pause(Command[Changed], frozen=True):
    """Assign no further work; current work is interrupted. No time passes for the limits."""


class Resume(Command[Changed], frozen=True):
    """Give out work again."""


class Stop(Command[Changed], frozen=True):
    """End after the current native batches. What was found is kept and reported."""


class Limits(msgspec.Struct, frozen=True):
    """The limits that hold; None for no limit. `call_limit` counts calls since the start, `time_limit` seconds since
    the first worker was ready, `coverage_limit` seconds without new coverage."""

    call_limit: int | None
    time_limit: float | None
    coverage_limit: float | None
    shrink_limit: int


class SetLimits(Command[Limits], frozen=True):
    """Change limits while the campaign runs; what is unset stays as it is. A limit that is passed already ends fuzzing;
    an idle campaign whose limits leave room fuzzes again.
    `CommandRejected` for negative numbers."""

    call_limit: int | msgspec.UnsetType | None = msgspec.UNSET
    time_limit: float | msgspec.UnsetType | None = msgspec.UNSET
    coverage_limit: float | msgspec.UnsetType | None = msgspec.UNSET
    shrink_limit: int | msgspec.UnsetType = msgspec.UNSET


class Reopened(msgspec.Struct, frozen=True):
    """Ids of the tests that were decided and are open again."""

    tests: tuple[int, ...]


class ResetTests(Command[Reopened], frozen=True):
    """Check these tests again, all of them when `tests` is empty, as if they had never failed. Worker processes are
    replaced, so that they look for them again. Tests that are being shrunk stay as they are. `CommandRejected` for ids
    that are no tests."""

    tests: tuple[int, ...] = ()


class WorkerCount(msgspec.Struct, frozen=True):
    """Workers that are to run from then on, and those before."""

    workers: int
    before: int


class SetWorkers(Command[WorkerCount], frozen=True):
    """Run this many workers, 1..255. Those that leave give their budget back. `CommandRejected`."""

    workers: int


class Reloaded(msgspec.Struct, frozen=True):
    """`sequences` were not in the corpus before and are replayed by every worker; `problems` are files left alone."""

    sequences: int
    problems: tuple[str, ...]


class ReloadCorpus(Command[Reloaded], frozen=True):
    """Read the corpus folder again. Answered when it was read; replaying follows."""


class DumpReports(Command[tuple[str, ...]], frozen=True):
    """Write the reports as they are now. The answer names the files. `CommandRejected` when there is no folder."""


AnyCommand = (
    InjectSequence
    | AddTemplate
    | ListTemplates
    | RemoveTemplates
    | ExecuteSequence
    | PrioritizeFunction
    | ExcludeFunction
    | AllowFunctions
    | WeighFunction
    | WeighFunctions
    | ClearPriorities
    | ClampFunction
    | ClearFunctions
    | AddDictionaryValues
    | Pause
    | Resume
    | Stop
    | SetLimits
    | ResetTests
    | SetWorkers
    | ReloadCorpus
    | DumpReports
)
