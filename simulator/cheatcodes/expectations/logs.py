"""Logs of the running transaction: `recordLogs`, `getRecordedLogs`.

The kernel forgets what a frame logged that fails. While logs are recorded, they are taken from behind the end of the
kernel's list before anything else is written there; a record of size 0 ends them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from simulator.abi.hashing import checksum_address
from simulator.cheatcodes.core.frames import EndedFrame, end_logs
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import RecordedLogs
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.kernel.records import pointer
from simulator.evm.logs import log_records, next_log_record, read_log
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog

RecordedLog = tuple[tuple[bytes, ...], bytes, int]
LostLog = tuple[int, EmittedLog]
MAX_LOST = 1 << 12
MAX_EARLIER = 1 << 16


def _standing_logs(machine: Machine, place: int) -> Iterator[tuple[int, EmittedLog]]:
    """Place in the kernel's list and log, from a place on; logs of frames that reverted are gone."""
    first = pointer(machine.context.logs)
    for record in log_records(view(LogRecord, first + place), machine.context.logs_top):
        yield pointer(record) - first, read_log(record)


def placed_logs(vm: Session, place: int, lost: int) -> list[tuple[int, EmittedLog]]:
    """Place and log of what was logged from a place on, in order; of what frames logged that failed, all but the first
    `lost`."""
    found = [(standing, 1, log) for standing, log in _standing_logs(vm.machine, place)]
    found += [(standing, 0, log) for standing, log in _lost(vm)[lost:]]
    found.sort(key=lambda each: each[:2])
    return [(standing, log) for standing, _, log in found]


def count_lost(vm: Session) -> int:
    """Count the logs of failed frames in this transaction."""
    return len(_lost(vm))


def _lost(vm: Session) -> list[LostLog]:
    """Yield the logs of failed frames of this transaction, each with its place in the kernel's list; in the order of
    execution among those of one place."""
    epoch = vm.machine.context.epoch
    if vm.lost_epoch != epoch:
        vm.lost_epoch = epoch
        vm.lost_logs.clear()
    return vm.lost_logs


def keep_lost(vm: Session, ended: EndedFrame) -> None:
    """Keep the logs of a frame that failed. What failed inside of it comes to stand where the frame does."""
    machine, lost = ended.machine, _lost(vm)
    record, first = machine.context.logs_top, pointer(machine.context.logs)
    place = pointer(record) - first
    own: list[tuple[int, int, EmittedLog]] = []
    while record.record_size and len(lost) + len(own) < MAX_LOST:
        own.append((pointer(record) - first, 1, read_log(record)))
        record = next_log_record(record)
    end_logs(machine)
    own += [(position, 0, log) for position, log in lost if position > place]
    own.sort(key=lambda each: each[:2])
    lost[:] = [each for each in lost if each[0] <= place] + [(place, log) for _, _, log in own]


def _here(vm: Session, earlier: tuple[EmittedLog, ...] = ()) -> RecordedLogs:
    context = vm.machine.context
    return RecordedLogs(context.epoch, pointer(context.logs_top) - pointer(context.logs), len(_lost(vm)), earlier)


def end_recorded(vm: Session) -> None:
    """The transaction ends well: keep its recorded logs for one that asks later."""
    start = vm.state.logs
    if start is not None and len(start.earlier) < MAX_EARLIER and (found := _since(vm, start)) != list(start.earlier):
        vm.change(logs=_here(vm, tuple(found[:MAX_EARLIER])))


@cheatcode("recordLogs()")
def record_logs(vm: Session) -> None:
    end_logs(vm.machine)
    vm.change(logs=_here(vm))


@cheatcode("getRecordedLogs()")
def get_recorded_logs(vm: Session) -> tuple[RecordedLog, ...]:
    """Logs since `recordLogs` or the last call of this, also those of frames that failed, and those of transactions
    that ended well since."""
    if vm.state.logs is None:
        return ()
    found = _since(vm, vm.state.logs)
    vm.change(logs=_here(vm))
    return tuple((tuple(topic.to_bytes(32, "big") for topic in log.topics), log.data, log.address) for log in found)


@cheatcode("getRecordedLogsJson()")
def get_recorded_logs_as_json(vm: Session) -> str:
    """The same as a JSON text."""
    listed = [
        {
            "topics": [f"0x{topic.hex()}" for topic in topics],
            "data": f"0x{data.hex()}",
            "emitter": checksum_address(emitter),
        }
        for topics, data, emitter in get_recorded_logs(vm)
    ]
    return json.dumps(listed, separators=(",", ":"))


def _since(vm: Session, start: RecordedLogs) -> list[EmittedLog]:
    is_same = start.epoch == vm.machine.context.epoch
    found = placed_logs(vm, start.offset if is_same else 0, start.lost if is_same else 0)
    return [*start.earlier, *(log for _, log in found)]
