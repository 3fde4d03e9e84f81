"""Follows the frames of a transaction while mocks or expectations are in force."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.cheatcodes.core.errors import AssertionFailedError
from simulator.cheatcodes.core.frames import EndedFrame, EnteredFrame, end_logs
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.expectations.assumptions import settle_assumption
from simulator.cheatcodes.expectations.expected_calls import count_call, settle_calls
from simulator.cheatcodes.expectations.expected_creations import count_creation, settle_creations
from simulator.cheatcodes.expectations.expected_emits import settle_emits
from simulator.cheatcodes.expectations.expected_reverts import NO_REVERT, settle_revert
from simulator.cheatcodes.expectations.interception import answer_intercepted, end_interception
from simulator.cheatcodes.expectations.logs import keep_lost
from simulator.cheatcodes.expectations.mocks import answer_mocked, redirect_mocked
from simulator.cheatcodes.state.gas import CallMeter
from simulator.evm.machine import Machine
from simulator.evm.results import HostAnswer


@dataclass(frozen=True)
class _Reverted:
    """The frame that reverted last, and where its revert data came from first."""

    depth: int
    output: bytes
    origin: int


class Watcher:
    """The machine's `FrameWatcher`. Calls to precompiles and cheatcodes are not what anybody expects or mocks."""

    def __init__(self, session: Session) -> None:
        self._vm = session
        self._reverted: _Reverted | None = None
        self._meter = CallMeter(session)

    def on_call(self, machine: Machine) -> HostAnswer | None:
        entered = EnteredFrame.of(machine)
        self._meter.begin(entered)
        self._record_entered(entered)
        count_call(self._vm, entered)
        redirect_mocked(self._vm, entered)
        return answer_intercepted(self._vm, entered) or answer_mocked(self._vm, entered)

    def on_return(self, machine: Machine) -> None:
        ended = EndedFrame.of(machine)
        if ended.is_hosted:
            return
        self._meter.end(ended)
        self._record_ended(ended)
        end_interception(self._vm, ended)
        count_creation(self._vm, ended)
        self._reverted = None if ended.succeeded else self._revert(ended)
        try:
            self._settle_for_caller(ended)
        except AssertionFailedError as error:
            ended.make_failed(str(error))
            self._vm.change(expected_revert=None, expected_emits=())
            return
        try:
            if ended.succeeded:
                self._settle_own(ended)
        except AssertionFailedError as error:
            # This takes back the expectations too: the frame had made them.
            ended.make_failed(str(error))

    def _record_entered(self, entered: EnteredFrame) -> None:
        if self._vm.state.logs is not None and entered.machine.context.depth == 0:
            end_logs(entered.machine)
        if (recorder := self._vm.recorder) is not None:
            recorder.begin(entered)

    def _record_ended(self, ended: EndedFrame) -> None:
        if self._vm.state.logs is not None and not ended.succeeded:
            keep_lost(self._vm, ended)
        if (recorder := self._vm.recorder) is not None:
            recorder.end(ended)

    def _revert(self, ended: EndedFrame) -> _Reverted:
        """Revert data that a child has returned comes from the child, or from where that has it."""
        child, output = self._reverted, ended.output
        if child is not None and child.depth == ended.depth + 1 and child.output == output:
            return _Reverted(ended.depth, output, child.origin)
        return _Reverted(ended.depth, output, ended.code_address)

    def _settle_for_caller(self, ended: EndedFrame) -> None:
        """What the frame that called this one expected of the call."""
        caller = ended.depth - 1
        emits = self._vm.state.expected_emits
        if emits and emits[0].depth == caller and ended.succeeded and not ended.is_static:
            settle_emits(self._vm)
        origin = self._reverted.origin if self._reverted else 0
        assumed = self._vm.state.assumed_success
        if assumed is not None and assumed.depth == caller:
            settle_assumption(self._vm, assumed, ended, origin)
        revert = self._vm.state.expected_revert
        if revert is not None and revert.depth == caller:
            settle_revert(self._vm, revert, ended, origin)

    def _settle_own(self, ended: EndedFrame) -> None:
        """What the frame itself expected, and nothing has come of."""
        state = self._vm.state
        if state.expected_revert is not None and state.expected_revert.depth == ended.depth:
            if state.expected_revert.count:
                raise AssertionFailedError(NO_REVERT)
            self._vm.change(expected_revert=None)
        if state.expected_emits and state.expected_emits[0].depth == ended.depth:
            settle_emits(self._vm)
        if state.assumed_success is not None and state.assumed_success.depth == ended.depth:
            self._vm.change(assumed_success=None)
        if ended.depth == 0 and state.expected_creations:
            settle_creations(self._vm)
            self._vm.change(expected_creations=())
        if ended.depth == 0 and state.expected_calls:
            settle_calls(self._vm)
            self._vm.change(expected_calls=())
