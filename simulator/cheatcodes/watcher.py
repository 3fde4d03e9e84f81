"""Follows the frames of a transaction while mocks or expectations are in force."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import ExpectationFailedError
from simulator.cheatcodes.core.frames import EndedFrame, EnteredFrame, end_logs
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.expectations.assumptions import settle_assumption
from simulator.cheatcodes.expectations.expected_calls import count_call, settle_calls
from simulator.cheatcodes.expectations.expected_creations import count_creation, settle_creations
from simulator.cheatcodes.expectations.expected_emits import settle_emits
from simulator.cheatcodes.expectations.expected_reverts import note_reverter, settle_own_revert, settle_revert
from simulator.cheatcodes.expectations.interception import answer_intercepted, end_interception
from simulator.cheatcodes.expectations.logs import end_recorded, keep_lost
from simulator.cheatcodes.expectations.mocks import answer_mocked, redirect_mocked
from simulator.cheatcodes.state.broadcasts import count_broadcast
from simulator.cheatcodes.state.gas import CallMeter
from simulator.cheatcodes.state.metering import begin_unmetered, end_unmetered
from simulator.evm.machine import Machine
from simulator.evm.results import HostAnswer


class Watcher:
    """The machine's `FrameWatcher`. Calls to cheatcodes are not what anybody expects or mocks."""

    def __init__(self, session: Session) -> None:
        self._vm = session
        self._meter = CallMeter(session)

    def on_call(self, machine: Machine) -> HostAnswer | None:
        entered = EnteredFrame.of(machine)
        self._meter.begin(entered)
        self._record_entered(entered)
        count_broadcast(self._vm, entered)
        begin_unmetered(self._vm)
        entered = redirect_mocked(self._vm, entered)
        count_call(self._vm, entered)
        return answer_intercepted(self._vm, entered) or answer_mocked(self._vm, entered)

    def on_precompile(self, machine: Machine) -> HostAnswer | None:
        """A precompile is expected and mocked as contracts are."""
        entered = EnteredFrame.of(machine)
        count_call(self._vm, entered)
        return answer_mocked(self._vm, entered)

    def on_return(self, machine: Machine) -> None:
        ended = EndedFrame.of(machine)
        note_reverter(self._vm, ended)
        if ended.is_hosted:
            return
        self._record_ended(ended)
        if not ended.succeeded:
            self._restore(ended)
        end_unmetered(self._vm, ended)
        self._meter.end(ended)
        end_interception(self._vm, ended)
        count_creation(self._vm, ended)
        for settle in (self._settle_own_revert, self._settle_for_caller, self._settle_transaction):
            try:
                settle(ended)
            except ExpectationFailedError as error:
                ended.make_failed(self._vm.revert_data(error))
                self._restore(ended)
                return
        if not ended.depth and ended.succeeded:
            self._meter.end_transaction()
            self._vm.end_lasting()

    def _restore(self, ended: EndedFrame) -> None:
        """The frame was undone. A whole transaction that fails leaves pranks only."""
        mark = ended.record.journal_mark
        if ended.depth:
            self._vm.restore_lasting(mark)
        else:
            self._vm.restore_pranks(mark)

    def _record_entered(self, entered: EnteredFrame) -> None:
        if self._vm.state.logs is not None and entered.machine.context.depth == 0:
            end_logs(entered.machine)
        if (recorder := self._vm.recorder) is not None:
            recorder.begin(entered)

    def _record_ended(self, ended: EndedFrame) -> None:
        state = self._vm.state
        if (state.logs is not None or state.expected_emits) and not ended.succeeded:
            keep_lost(self._vm, ended)
        if (recorder := self._vm.recorder) is not None:
            recorder.end(ended)

    def _settle_own_revert(self, ended: EndedFrame) -> None:
        """A revert that the frame itself expected and that no call of it has brought."""
        revert = self._vm.last_state.expected_revert
        if revert is not None and revert.depth >= ended.depth:
            settle_own_revert(self._vm, revert, ended)

    def _settle_for_caller(self, ended: EndedFrame) -> None:
        """Settle the expectations of the frame that called this one."""
        caller, state = ended.depth - 1, self._vm.state
        if not ended.is_creation:
            if state.expected_emits and state.expected_emits[0].depth == caller and not ended.is_static:
                settle_emits(self._vm)
            self._settle_assumption(ended)
        if state.expected_revert is not None and state.expected_revert.depth == caller:
            settle_revert(self._vm, state.expected_revert, ended)

    def _settle_assumption(self, ended: EndedFrame) -> None:
        """Settle that the next call of a frame is assumed to succeed, also where the frame itself reverts first."""
        assumed = (self._vm.state if ended.succeeded else self._vm.last_state).assumed_success
        if assumed is not None and assumed.depth >= ended.depth - 1:
            settle_assumption(self._vm, assumed, ended)

    def _settle_transaction(self, ended: EndedFrame) -> None:
        """Settle the expectations of a transaction that ends well."""
        if ended.depth or not ended.succeeded:
            return
        state = self._vm.state
        if state.expected_emits:
            settle_emits(self._vm)
        if state.expected_creations:
            settle_creations(self._vm)
            self._vm.change(expected_creations=())
        if state.expected_calls:
            settle_calls(self._vm)
            self._vm.change(expected_calls=())
        end_recorded(self._vm)
