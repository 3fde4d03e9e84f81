"""Lifecycle of a campaign: its phase, the reason for its end, and whether it is paused, draining or halted.

Paused, it gives out no fuzzing and no replaying until it is resumed. Draining, it no longer fuzzes and replays, while
shrinking continues. Halted, it does no work of any kind. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.campaign.clock import CampaignClock
from actors.campaign.pool import WorkerPool
from actors.campaign.tests import TestTable
from actors.events.log import EventLog
from actors.events.types import CAMPAIGN, CampaignStopped, Phase, PhaseChanged, Steered, StopReason
from simulator.worker.commands import Fuzz, Replay

_ORDER: tuple[Phase, ...] = ("deploying", "replaying corpus", "fuzzing", "shrinking")


class CampaignLifecycle:
    """`reason` is why the campaign drains or is halted, None before that. `failure` says why it could not be carried
    out, `refusal` is the simulator's error code where the target was refused. While it `only_replays`, nothing is left
    to fuzz, and the corpus is executed once all the same. One that `stays_open` is idle where others end."""

    def __init__(
        self, pool: WorkerPool, clock: CampaignClock, tests: TestTable, log: EventLog, *, stays_open: bool = False
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._tests = tests
        self._log = log
        self.phase: Phase = "deploying"
        self.reason: StopReason | None = None
        self.failure: str | None = None
        self.refusal: str | None = None
        self.is_paused = False
        self.is_halted = False
        self.is_over = False
        self.only_replays = False
        self._stays_open = stays_open

    @property
    def is_draining(self) -> bool:
        """Stop fuzzing; shrinking may continue."""
        return self.reason is not None

    @property
    def gives_out_work(self) -> bool:
        """Idle workers may get something to do."""
        return not self.is_paused and not self.is_halted

    def begin(self, *, paused: bool = False) -> None:
        """Log the first phase. A `paused` campaign waits to be resumed."""
        self._log.append(CAMPAIGN, PhaseChanged(self.phase))
        if paused:
            self.pause()

    @property
    def takes_commands(self) -> bool:
        """Commands have an effect: the campaign fuzzes, or may fuzz again."""
        return not self.is_halted and (self._stays_open or not self.is_draining)

    def become_idle(self) -> bool:
        """Nothing is left to do until somebody commands it; time stands still. False when that was so already."""
        if self.phase == "idle":
            return False
        self.phase = "idle"
        self._clock.stand_still("idle")
        self._log.append(CAMPAIGN, PhaseChanged("idle"))
        return True

    def fuzz_again(self) -> None:
        """Take back what ended fuzzing: continue."""
        self.reason = None
        self.phase = "fuzzing"
        self._tests.reopen_optimizations()
        self._clock.go_on("idle")
        self._clock.fuzz_again()
        self._log.append(CAMPAIGN, PhaseChanged("fuzzing"))

    def replay_only(self) -> None:
        """Nothing is left to fuzz: let a worker replay the corpus before that ends the campaign."""
        self.only_replays = True
        self._clock.hold()

    def end_replay(self) -> None:
        """A worker has replayed the corpus: what ends campaigns may end this one."""
        if self.only_replays:
            self.only_replays = False
            self._clock.release()
            self.ring()

    def enter(self, phase: Phase) -> None:
        """Phases only go forward; a replay for a replaced worker is part of fuzzing."""
        if self.phase != "idle" and _ORDER.index(phase) > _ORDER.index(self.phase):
            self.phase = phase
            self._log.append(CAMPAIGN, PhaseChanged(phase))

    def pause(self) -> bool:
        """Assign no further fuzzing and replaying. False when that was so already."""
        changed, self.is_paused = not self.is_paused, True
        if changed:
            self._log.append(CAMPAIGN, Steered("pause", ""))
            self._clock.stand_still("paused")
            self.interrupt(Fuzz, Replay)
        return changed

    def resume(self) -> bool:
        """Give out work again. False when it is given out already."""
        changed, self.is_paused = self.is_paused, False
        if changed:
            self._log.append(CAMPAIGN, Steered("resume", ""))
            self._clock.go_on("paused")
        return changed

    def ring(self) -> None:
        """The clock rang: a limit of time may have passed."""
        reason = self._clock.passed()
        if reason is not None and not self.is_draining:
            self.drain(reason)
        elif reason is StopReason.TIMEOUT:
            self.halt(reason)
        self._clock.rearm()

    def drain(self, reason: StopReason, but: int | None = None) -> None:
        """Stop fuzzing. Workers are interrupted, except the one whose own frame was the reason: its work ends by
        itself, always at the same place."""
        if self.is_draining:
            return
        self.reason = reason
        self._clock.stop_fuzzing()
        self._clock.rearm()
        self.interrupt(Fuzz, Replay, but=but)
        self._tests.begin_shrinking_optimizations()
        for slot in self._pool.slots:
            slot.forget_replays()
        if self._tests.shrinking:
            self.enter("shrinking")

    def halt(self, reason: StopReason) -> None:
        """Stop all work."""
        self.reason = self.reason or reason
        if reason is StopReason.INTERRUPTED and self.phase != "idle":
            self.reason = reason
        if not self.is_halted:
            self.is_halted = True
            self._clock.stop()
            for slot in self._pool.slots:
                slot.forget_replays()
                slot.interrupt()

    def stop(self, reason: StopReason) -> None:
        """Nothing more comes, which the log says once."""
        if not self.is_over:
            self.is_over, self.reason = True, reason
            self._log.append(CAMPAIGN, CampaignStopped(reason.value, self.failure or ""))

    def dismiss(self) -> None:
        """The campaign is over: workers are to leave."""
        self.is_halted = True
        self._clock.stop()
        for slot in self._pool.slots:
            slot.worker.stop()

    def recycle_outdated(self) -> None:
        """Replace the processes that are outdated and idle."""
        for slot in self._pool.slots:
            if slot.is_outdated and slot.idle:
                slot.recycle()

    def interrupt(self, *kinds: type, but: int | None = None) -> None:
        """Let work of these kinds end after the native batch, except that of one worker which has nothing to do after
        it."""
        for slot in self._pool.slots:
            if isinstance(slot.work, kinds) and (slot.index != but or slot.ahead is not None):
                slot.interrupt()
