"""Messages between the supervisor and a bridge, the process that talks to a cluster for it.

Both directions are ordered and lossless pipes of length-prefixed frames. `key` names one incarnation of a worker and is
never used twice: what arrives for a key that was given up is dropped, which fences late answers.
"""

from __future__ import annotations

import msgspec

from simulator.transaction import Sequence

WINDOW = 1 << 20
"""Bytes of one process in one direction that were sent and not confirmed."""


LEASE_SECONDS = 120.0
"""Without a word from the bridge for so long, a node ends its workers."""


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all messages."""


class Node(Message, frozen=True):
    """A machine of the cluster. `refusal` says why it gets no workers; empty for one that does."""

    id: str
    address: str
    cores: int
    refusal: str = ""


# --- to the bridge ---------------------------------------------------------------------------------------------------


class Connect(Message, frozen=True, tag="connect"):
    """The first message. `address` is HOST:PORT of the cluster. `project_file` is what workers read, `kernel_file`
    the compiled kernel of this machine with its key; both are paths, `kernel_file` empty for none. `workers` is what an
    autoscaler is asked for, `lease` the seconds after which a node that hears nothing ends its workers."""

    address: str
    project_file: bytes
    kernel_key: str = ""
    kernel_file: bytes = b""
    argv: tuple[str, ...] = ()
    workers: int = 0
    lease: float = LEASE_SECONDS


class Start(Message, frozen=True, tag="start"):
    """Start the process of this worker, on the node with the most room."""

    key: str
    worker: int


class Send(Message, frozen=True, tag="send"):
    key: str
    data: bytes


class Consumed(Message, frozen=True, tag="consumed"):
    """The supervisor has taken so many bytes of the process's output, since its start."""

    key: str
    total: int


class End(Message, frozen=True, tag="end"):
    """End the process and whatever it started. `Ended` answers."""

    key: str


ToBridge = Connect | Start | Send | Consumed | End


# --- from the bridge -------------------------------------------------------------------------------------------------


class Connected(Message, frozen=True, tag="connected"):
    """The cluster is there."""


class ClusterRefused(Message, frozen=True, tag="refused"):
    """There is no cluster, or it is no use; the bridge ends."""

    reason: str


class Nodes(Message, frozen=True, tag="nodes"):
    """All nodes that are alive, whenever that has changed."""

    nodes: tuple[Node, ...]


class Said(Message, frozen=True, tag="said"):
    """One line for the user."""

    text: str


class Started(Message, frozen=True, tag="started"):
    key: str
    pid: int
    node: str


class NotStarted(Message, frozen=True, tag="not_started"):
    key: str
    reason: str


class ProcessOutput(Message, frozen=True, tag="output"):
    key: str
    data: bytes


class Written(Message, frozen=True, tag="written"):
    """The process has read so many bytes of its input, or its pipe holds them."""

    key: str
    total: int


class ProcessMeasured(Message, frozen=True, tag="measured"):
    key: str
    resident: int
    cpu: float


class OutputEnded(Message, frozen=True, tag="output_ended"):
    key: str


class Exited(Message, frozen=True, tag="exited"):
    """Exit code, negative for a signal, and the end of stderr. `cut_off` where the node was lost with the process: what
    became of it is then not known."""

    key: str
    code: int
    stderr: bytes
    cut_off: bool = False


class Ended(Message, frozen=True, tag="ended"):
    """Nothing of the process is left, or, with `cut_off`, its node can no longer be reached. `executed` as in
    `last_executed`."""

    key: str
    executed: Sequence
    cut_off: bool = False


FromBridge = (
    Connected
    | ClusterRefused
    | Nodes
    | Said
    | Started
    | NotStarted
    | ProcessOutput
    | Written
    | ProcessMeasured
    | OutputEnded
    | Exited
    | Ended
)
