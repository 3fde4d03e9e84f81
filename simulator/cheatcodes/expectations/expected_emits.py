"""`expectEmit`: the next log is the model of one that the next call must emit."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import ExpectationFailedError
from simulator.cheatcodes.core.frames import end_logs
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import ExpectedEmit
from simulator.cheatcodes.expectations.logs import count_lost, placed_logs
from simulator.evm.kernel.records import pointer
from simulator.evm.results import EmittedLog

ALL = (True, True, True, True)


def settle_emits(vm: Session) -> None:
    """The call has ended that must have emitted. Raises `ExpectationFailedError` when logs are missing.

    Each log after an expectation without a model becomes its model; the others are held against the expectations in
    their order, and those that fit none are passed over.
    """
    expected = vm.state.expected_emits
    models: list[EmittedLog] = []
    seen = [0] * len(expected)
    vm.change(expected_emits=())
    for position, log in placed_logs(vm, expected[0].start, expected[0].lost):
        if len(models) < len(expected) and expected[len(models)].start <= position:
            models.append(log)
            continue
        _match(expected, models, seen, log)
    if any(not each.is_anonymous and not model.topics for each, model in zip(expected, models, strict=False)):
        raise ExpectationFailedError("use vm.expectEmitAnonymous to match anonymous events")
    if len(models) < len(expected):
        raise ExpectationFailedError("expected an emit, but no event was given after vm.expectEmit")
    missing = [each for each, count in zip(expected, seen, strict=True) if count != each.count]
    if missing:
        raise ExpectationFailedError("log != expected log")


def _match(expected: tuple[ExpectedEmit, ...], models: list[EmittedLog], seen: list[int], log: EmittedLog) -> None:
    """Count a log for the first expectation that still waits; one that must not come at all never waits."""
    for index, model in enumerate(models):
        each = expected[index]
        if seen[index] < each.count:
            seen[index] += _fits(each, model, log)
            return
        if each.count == 0:
            seen[index] += _fits(each, model, log)


def _fits(expected: ExpectedEmit, model: EmittedLog, log: EmittedLog) -> bool:
    if len(model.topics) != len(log.topics) or expected.emitter not in (None, log.address):
        return False
    pairs = zip(expected.topics, model.topics, log.topics, strict=False)
    same_topics = all(left == right for checked, left, right in pairs if checked)
    return same_topics and (not expected.data or model.data == log.data)


def _expect(
    vm: Session,
    topics: tuple[bool, bool, bool, bool] = ALL,
    data: bool = True,
    emitter: int | None = None,
    count: int = 1,
    *,
    is_anonymous: bool = False,
) -> None:
    context = vm.machine.context
    end_logs(vm.machine)
    place = pointer(context.logs_top) - pointer(context.logs)
    new = ExpectedEmit(vm.caller_depth, place, count_lost(vm), topics, data, emitter, count, is_anonymous)
    vm.change(expected_emits=(*vm.state.expected_emits, new))


@cheatcode("expectEmit()")
def expect_emit(vm: Session) -> None:
    _expect(vm)


@cheatcode("expectEmitAnonymous()")
def expect_any_emit(vm: Session) -> None:
    _expect(vm, is_anonymous=True)


@cheatcode("expectEmit(address)")
def expect_emit_by(vm: Session, emitter: int) -> None:
    _expect(vm, emitter=emitter)


@cheatcode("expectEmitAnonymous(address)")
def expect_any_emit_by(vm: Session, emitter: int) -> None:
    _expect(vm, emitter=emitter, is_anonymous=True)


@cheatcode("expectEmit(uint64)")
def expect_emits(vm: Session, count: int) -> None:
    _expect(vm, count=count)


@cheatcode("expectEmit(address,uint64)")
def expect_emits_by(vm: Session, emitter: int, count: int) -> None:
    _expect(vm, emitter=emitter, count=count)


@cheatcode("expectEmit(bool,bool,bool,bool)")
def expect_emit_with(vm: Session, topic1: bool, topic2: bool, topic3: bool, data: bool) -> None:
    """The event's own topic always counts."""
    _expect(vm, (True, topic1, topic2, topic3), data)


@cheatcode("expectEmit(bool,bool,bool,bool,address)")
def expect_emit_with_by(vm: Session, topic1: bool, topic2: bool, topic3: bool, data: bool, emitter: int) -> None:
    _expect(vm, (True, topic1, topic2, topic3), data, emitter)


@cheatcode("expectEmit(bool,bool,bool,bool,uint64)")
def expect_emits_with(vm: Session, topic1: bool, topic2: bool, topic3: bool, data: bool, count: int) -> None:
    _expect(vm, (True, topic1, topic2, topic3), data, count=count)


@cheatcode("expectEmit(bool,bool,bool,bool,address,uint64)")
def expect_emits_with_by(
    vm: Session, topic1: bool, topic2: bool, topic3: bool, data: bool, emitter: int, count: int
) -> None:
    _expect(vm, (True, topic1, topic2, topic3), data, emitter, count)


@cheatcode("expectEmitAnonymous(bool,bool,bool,bool,bool)")
def expect_anonymous(vm: Session, topic0: bool, topic1: bool, topic2: bool, topic3: bool, data: bool) -> None:
    _expect(vm, (topic0, topic1, topic2, topic3), data, is_anonymous=True)


@cheatcode("expectEmitAnonymous(bool,bool,bool,bool,bool,address)")
def expect_anonymous_by(
    vm: Session, topic0: bool, topic1: bool, topic2: bool, topic3: bool, data: bool, emitter: int
) -> None:
    _expect(vm, (topic0, topic1, topic2, topic3), data, emitter, is_anonymous=True)
