"""Errors of the simulator. Each has a stable `code`, is expected, and carries a message made for people."""

from __future__ import annotations


class SimulatorError(Exception):
    """Base: something outside the program is wrong (a file, a contract, a frame). Bugs are never of this type."""

    code = "E_SIMULATOR"


class FrameError(SimulatorError):
    """A pipe carried something that is not a frame of the protocol. The peer is to be dropped."""

    code = "E_FRAME"


class AbiError(SimulatorError):
    """A value, a type or a text does not fit the ABI. The message names the place and the allowed form."""

    code = "E_ABI"


class CompileError(SimulatorError):
    """The target could not be compiled; `diagnostics` of the subclass, where there are some, say why."""

    code = "E_COMPILE"


class PolicyRefused(SimulatorError):  # noqa: N818 - the name says what happened
    """A project, a configuration or an agent asked for what the policy does not allow. The message names the key, the
    file that says so, and the allowed form."""

    code = "E_POLICY"


class CorpusError(SimulatorError):
    """A corpus file cannot be read or written. The message names the file."""

    code = "E_CORPUS"


class TargetError(SimulatorError):
    """The compiled target cannot be fuzzed: no such contract, no tests, a constructor that reverts."""

    code = "E_TARGET"


class KernelError(SimulatorError):
    """The kernel cannot be built or loaded on this machine."""

    code = "E_KERNEL"


class ChainError(SimulatorError):
    """The forked chain cannot be read: wrong address, wrong block, a node that lacks the block's state. Trying again
    does not help."""

    code = "E_CHAIN"


class ChainUnavailableError(ChainError):
    """No endpoint of the forked chain answered in time. What asked is to be given up; later requests may succeed."""


class FetchInterruptedError(ChainUnavailableError):
    """The work that a fetch was for is to end."""


class CallStoppedError(SimulatorError):
    """A call was stopped in its middle: the work that it is part of is to end. What it did counts for nothing."""

    code = "E_STOPPED"


class ChainLostError(ChainError):
    """The forked chain has been out of reach for so long that the campaign is to end."""
