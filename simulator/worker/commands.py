"""Frames to a worker: work, what others found, and what steers. See `simulator.worker.frame` for their order."""

from __future__ import annotations

from simulator.settings import PRIORITY_SHARE, CampaignSettings
from simulator.transaction import Sequence
from simulator.worker.frame import Frame


class Setup(Frame, frozen=True, tag="setup"):
    """First frame. `project` is the path, in the bytes of the file system, of a `Project` as MessagePack. Answered by
    `Ready` or `Failed`."""

    worker: int
    seed: int
    project: bytes
    settings: CampaignSettings


class Fuzz(Frame, frozen=True, tag="fuzz"):
    """Execute random sequences until at least `calls` transactions have run, or a test is newly falsified.

    With `ahead` it continues the `Fuzz` before it, whose `Done` need not be out. What that one made beyond its own
    `calls` counts for this one. If that one did not finish, or an `Interrupt` came, this one makes no calls, and its
    `Done` says `interrupted`."""

    calls: int
    ahead: bool = False


class Replay(Frame, frozen=True, tag="replay"):
    """Execute these sequences, take them into the corpus where they bring coverage, check the tests. With `measure`,
    say of each what it covers (`Measured`)."""

    sequences: tuple[Sequence, ...]
    measure: bool = False


class Shrink(Frame, frozen=True, tag="shrink"):
    """Make the failing sequence of a test smaller, with at most `attempts` executions; it keeps failing at `site`.
    Candidates are tried in another order for each `variant`, so that several workers may come to different ends; 0 is
    the plain order. What `test` says is the sender's: the test is `oracle`, or `test` itself where that is -1."""

    test: int
    sequence: Sequence
    attempts: int
    variant: int = 0
    site: str = ""
    oracle: int = -1


class Adopt(Frame, frozen=True, tag="adopt"):
    """Corpus entries and dictionary words (32 bytes each) that other workers found."""

    sequences: tuple[Sequence, ...] = ()
    words: tuple[bytes, ...] = ()


class CloseTest(Frame, frozen=True, tag="close_test"):
    """This test was falsified elsewhere: stop checking it, or, with a `site`, stop telling of its failures there."""

    test: int
    site: str = ""


class Interrupt(Frame, frozen=True, tag="interrupt"):
    """End the current work after the current native batch, and what was given ahead; `Done` says `interrupted`."""


class Stop(Frame, frozen=True, tag="stop"):
    """Leave with exit code 0 after the current native batch. End of file on stdin means the same."""


# --- steering --------------------------------------------------------------------------------------------------------


class Execute(Frame, frozen=True, tag="execute"):
    """Run one sequence from the initial state without touching coverage, corpus or tests; answered by `Executed`.
    `trace` adds the call trace, with calls nested no deeper than `depth` shown; 0 shows them all, within reason.
    `storage_changes` adds what each call changed in storage, `cover` which code was executed. `slots` names slots to
    read afterwards, each by address (20 bytes) and key (32 bytes)."""

    id: int
    sequence: Sequence
    trace: bool
    depth: int = 0
    storage_changes: bool = False
    cover: bool = False
    slots: tuple[tuple[bytes, bytes], ...] = ()


class Inject(Frame, frozen=True, tag="inject"):
    """Execute a sequence, check the tests, credit its coverage, and build on it from then on whether or not it brought
    any. Answered by `Injected`."""

    id: int
    sequence: Sequence


class Focus(Frame, frozen=True, tag="focus"):
    """Functions to call, and how often each; replaces the former focus. Functions are named by canonical signature,
    or `Contract.signature`; names that fit none have no effect. The share `chance` of all calls that are not of a
    template goes to the `prioritized` ones, where there are any. `weights` multiply a function's share of the
    others, `excluded` are not called at all. Where nothing would be left to call, exclusions have no effect."""

    prioritized: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    chance: float = PRIORITY_SHARE


class AddWords(Frame, frozen=True, tag="addWords"):
    """Dictionary values from the user. `numbers` and `fixed_bytes` are words of 32 bytes as they stand in calldata,
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


class ArgumentBinding(Frame, frozen=True):
    """The argument that `simulator.abi.argument_paths` finds at `path`, where it has the ABI type `canonical`. It is
    one of `values`, or one of `low`..`high` where there are none: words of 32 bytes as they stand in calldata."""

    path: str
    canonical: str
    values: tuple[bytes, ...] = ()
    low: bytes = b""
    high: bytes = b""


class Clamp(Frame, frozen=True):
    """Clamps of a function, named as in `Focus`: arguments, and senders where there are any."""

    function: str
    arguments: tuple[ArgumentBinding, ...] = ()
    senders: tuple[bytes, ...] = ()


class SetClamps(Frame, frozen=True, tag="set_clamps"):
    """Replaces the clamps of before. Calls of built sequences that break one are repaired, and so are those of variants
    that meet comparisons and of replayed sequences; injected and executed sequences stay as they are."""

    clamps: tuple[Clamp, ...] = ()


class Together(Frame, frozen=True, tag="together"):
    """Commands that take effect at the same call, in this order: what they are part of is one command to the user."""

    commands: tuple[Execute | Inject | Focus | AddWords | SetTemplates | SetClamps, ...]


Steering = Execute | Inject | Focus | AddWords | SetTemplates | SetClamps | Together
ToWorker = Setup | Fuzz | Replay | Shrink | Adopt | CloseTest | Interrupt | Stop | Steering
