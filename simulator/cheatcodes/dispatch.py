"""Answers calls to the cheatcode address."""

from __future__ import annotations

from simulator.cheatcodes.errors import CheatcodeError, RejectedError, UnsupportedError
from simulator.cheatcodes.frames import error_data
from simulator.cheatcodes.registry import signature_of, supported
from simulator.cheatcodes.session import Session
from simulator.errors import AbiError, KernelError
from simulator.evm.host import HostAnswer
from simulator.evm.kernel.layout import context
from simulator.evm.machine import Machine

REJECTED_OUTPUT = b"FOUNDRY::ASSUME"

# context.REJECTED: why a transaction proves nothing.
REJECTED_BY_ASSUME = 1
REJECTED_AS_UNSUPPORTED = 2


class Cheatcodes:
    """The handler of one machine's cheatcode address; see `install_cheatcodes`.

    `labels` maps addresses to the names given by `vm.label`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._supported = supported()

    @property
    def labels(self) -> dict[int, str]:
        return self._session.labels

    def __call__(self, machine: Machine, data: bytes) -> HostAnswer | None:
        cheatcode = self._supported.get(data[:4])
        try:
            if cheatcode is None:
                raise self._unsupported(data)
            self._session.need_room()
            result = cheatcode.handler(self._session, *cheatcode.decode(data))
            return None if result is self._session.RUNNING else HostAnswer(cheatcode.encode(result))
        except RejectedError:
            machine.set(context.REJECTED, REJECTED_BY_ASSUME)
            return HostAnswer(REJECTED_OUTPUT, reverted=True)
        except UnsupportedError as error:
            machine.set(context.REJECTED, REJECTED_AS_UNSUPPORTED)
            return reverted(str(error))
        except (CheatcodeError, AbiError, KernelError) as error:
            return reverted(str(error))

    def _unsupported(self, data: bytes) -> UnsupportedError:
        text = f"the cheatcode vm.{signature_of(data)} is not supported"
        self._session.warn_once(text)
        return UnsupportedError(text)


def reverted(reason: str) -> HostAnswer:
    """A revert with `Error(string)`."""
    return HostAnswer(error_data(reason), reverted=True)
