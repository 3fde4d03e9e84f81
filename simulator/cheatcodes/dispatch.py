"""Answers calls to the cheatcode address."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import (
    AssertionFailedError,
    CheatcodeError,
    RejectedError,
    SkippedError,
    UnsupportedError,
)
from simulator.cheatcodes.core.frames import DELEGATED
from simulator.cheatcodes.core.registry import meant_selectors, signature_of
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.expectations.assumptions import REJECTED_OUTPUT
from simulator.cheatcodes.handlers import supported
from simulator.errors import AbiError, KernelError
from simulator.evm.addresses import CHEATCODE_ADDRESS, FAILED_SLOT
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED, REJECTED_BY_ASSUME, REJECTED_BY_SKIP
from simulator.evm.machine import Machine
from simulator.evm.results import HostAnswer

SKIPPED_OUTPUT = b"FOUNDRY::SKIP"


class Cheatcodes:
    """The handler of one machine's cheatcode address; see `install_cheatcodes`.

    `labels` maps addresses to the names given by `vm.label`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._supported = supported()
        self._meant = meant_selectors(session.project)

    @property
    def labels(self) -> dict[int, str]:
        return self._session.labels

    def __call__(self, machine: Machine, data: bytes) -> HostAnswer | None:
        if self._session.rules.has_code and machine.context.frame.kind in DELEGATED:
            return HostAnswer()
        cheatcode = self._supported.get(data[:4])
        try:
            if cheatcode is None and data[:4] not in self._meant:
                # A contract took the address for that of another contract: forge reverts as well.
                raise CheatcodeError(f"unknown cheatcode with selector 0x{data[:4].hex()}")
            if cheatcode is None:
                raise self._unsupported(data)
            self._session.need_room()
            result = cheatcode.handler(self._session, *cheatcode.decode(data))
            return None if result is self._session.RUNNING else HostAnswer(cheatcode.encode(result))
        except RejectedError:
            machine.context.rejected = REJECTED_BY_ASSUME
            return HostAnswer(REJECTED_OUTPUT, reverted=True)
        except SkippedError as error:
            machine.context.rejected = REJECTED_BY_SKIP
            return HostAnswer(SKIPPED_OUTPUT + str(error).encode(), reverted=True)
        except UnsupportedError as error:
            machine.context.rejected = REJECTED_AS_UNSUPPORTED
            return self._reverted(error)
        except AssertionFailedError as error:
            return self._failed(error)
        except (CheatcodeError, AbiError, KernelError) as error:
            return self._reverted(error)

    def _failed(self, error: AssertionFailedError) -> HostAnswer:
        session = self._session
        if session.rules.assertions_revert:
            return self._reverted(error)
        session.warn_once(str(error))
        session.machine.set_storage(CHEATCODE_ADDRESS, FAILED_SLOT, 1)
        return HostAnswer()

    def _reverted(self, error: Exception) -> HostAnswer:
        return HostAnswer(self._session.revert_data(error), reverted=True)

    def _unsupported(self, data: bytes) -> UnsupportedError:
        text = f"the cheatcode vm.{signature_of(data)} is not supported"
        self._session.warn_once(text)
        return UnsupportedError(text)
