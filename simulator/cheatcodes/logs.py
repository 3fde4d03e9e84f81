"""Logs of the running transaction: `recordLogs`, `getRecordedLogs`."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.evm.arenas import read_int
from simulator.evm.kernel.layout import context
from simulator.evm.kernel.layout import log as record_of_log
from simulator.evm.machine import Machine, read_log
from simulator.evm.results import Log

RecordedLog = tuple[tuple[bytes, ...], bytes, int]


def logs_from(machine: Machine, record: int) -> Iterator[tuple[int, Log]]:
    """Record address and log, from an address on; logs of frames that reverted are gone."""
    end = machine.get(context.LOGS_TOP)
    while record < end:
        yield record, read_log(record)
        record += read_int(record + record_of_log.RECORD_SIZE)


def _here(vm: Session) -> tuple[int, int]:
    machine = vm.machine
    return machine.get(context.EPOCH), machine.get(context.LOGS_TOP) - machine.get(context.LOGS)


@cheatcode("recordLogs()")
def record_logs(vm: Session) -> None:
    vm.change(logs=_here(vm))


@cheatcode("getRecordedLogs()")
def get_recorded_logs(vm: Session) -> tuple[RecordedLog, ...]:
    """Logs since `recordLogs` or the last call of this. Those of earlier transactions are not kept."""
    if vm.state.logs is None:
        return ()
    epoch, offset = vm.state.logs
    start = offset if epoch == vm.machine.get(context.EPOCH) else 0
    found = [log for _, log in logs_from(vm.machine, vm.machine.get(context.LOGS) + start)]
    vm.change(logs=_here(vm))
    return tuple((tuple(topic.to_bytes(32, "big") for topic in log.topics), log.data, log.address) for log in found)
