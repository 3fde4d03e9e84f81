"""Logs of the running transaction: `recordLogs`, `getRecordedLogs`.

The kernel forgets what a frame logged that fails. While logs are recorded, they are taken from behind the end of the
kernel's list before anything else is written there; a record of size 0 ends them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from simulator.abi.hashing import checksum_address
from simulator.cheatcodes.frames import EndedFrame, end_logs
from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.cheatcodes.state import RecordedLogs
from simulator.evm.arenas import read_int
from simulator.evm.kernel.layout import context
from simulator.evm.kernel.layout import log as record_of_log
from simulator.evm.machine import Machine, read_log
from simulator.evm.results import Log

RecordedLog = tuple[tuple[bytes, ...], bytes, int]
LostLog = tuple[int, Log]
MOST_LOST = 1 << 12


def logs_from(machine: Machine, record: int) -> Iterator[tuple[int, Log]]:
    """Record address and log, from an address on; logs of frames that reverted are gone."""
    end = machine.get(context.LOGS_TOP)
    while record < end:
        yield record, read_log(record)
        record += read_int(record + record_of_log.RECORD_SIZE)


def _lost(vm: Session) -> list[LostLog]:
    """What frames logged that failed in this transaction, each with the place in the kernel's list where it would
    stand; in the order of execution among those of one place."""
    epoch = vm.machine.get(context.EPOCH)
    if vm.lost_epoch != epoch:
        vm.lost_epoch = epoch
        vm.lost_logs.clear()
    return vm.lost_logs


def keep_lost(vm: Session, ended: EndedFrame) -> None:
    """Keep the logs of a frame that failed. What failed inside of it comes to stand where the frame does."""
    machine, lost = ended.machine, _lost(vm)
    record = machine.get(context.LOGS_TOP)
    place = record - machine.get(context.LOGS)
    own: list[tuple[int, int, Log]] = []
    while (size := read_int(record + record_of_log.RECORD_SIZE)) and len(lost) + len(own) < MOST_LOST:
        own.append((record - machine.get(context.LOGS), 1, read_log(record)))
        record += size
    end_logs(machine)
    own += [(position, 0, log) for position, log in lost if position > place]
    own.sort(key=lambda each: each[:2])
    lost[:] = [each for each in lost if each[0] <= place] + [(place, log) for _, _, log in own]


def _here(vm: Session) -> RecordedLogs:
    machine = vm.machine
    return RecordedLogs(
        machine.get(context.EPOCH), machine.get(context.LOGS_TOP) - machine.get(context.LOGS), len(_lost(vm))
    )


@cheatcode("recordLogs()")
def record_logs(vm: Session) -> None:
    end_logs(vm.machine)
    vm.change(logs=_here(vm))


@cheatcode("getRecordedLogs()")
def get_recorded_logs(vm: Session) -> tuple[RecordedLog, ...]:
    """Logs since `recordLogs` or the last call of this, also those of frames that failed. Those of earlier transactions
    are not kept."""
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


def _since(vm: Session, start: RecordedLogs) -> list[Log]:
    machine = vm.machine
    is_same = start.epoch == machine.get(context.EPOCH)
    first = machine.get(context.LOGS)
    standing = logs_from(machine, first + (start.offset if is_same else 0))
    lost = _lost(vm)[start.lost if is_same else 0 :]
    found = [(record - first, 1, log) for record, log in standing] + [(place, 0, log) for place, log in lost]
    found.sort(key=lambda each: each[:2])
    return [log for _, _, log in found]
