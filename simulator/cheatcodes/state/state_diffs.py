"""Changes of state by calls: `startStateDiffRecording`, `stopAndReturnStateDiff`, `getStateDiff`,
`getStorageAccesses`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from simulator.abi.hashing import checksum_address
from simulator.abi.types import Value
from simulator.cheatcodes.core.account_accesses import AccessRecorder, AccountAccess
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import RECORDS_DIFF, Session
from simulator.cheatcodes.state.artifacts import contract_with_code

Change = tuple[int, int]


@dataclass
class _Changes:
    """First and last value of what changed in an account."""

    balance: Change | None = None
    nonce: Change | None = None
    slots: dict[int, Change] = field(default_factory=dict)


def _entries(vm: Session) -> list[AccountAccess]:
    recorder = vm.recorder
    return [] if recorder is None else recorder.entries()


@cheatcode("startStateDiffRecording()")
def start_recording(vm: Session) -> None:
    vm.record_accesses(RECORDS_DIFF)
    number = vm.next_id()
    vm.recorders = {number: AccessRecorder(vm.machine)}
    vm.change(recorder=number)


@cheatcode("stopAndReturnStateDiff()")
def stop_recording(vm: Session) -> tuple[tuple[Value, ...], ...]:
    """Everything since the start, in the order of execution; nothing when nothing was started."""
    found = tuple(each.values for each in _entries(vm))
    vm.stop_recording(RECORDS_DIFF)
    vm.change(recorder=0)
    return found


@cheatcode("getStorageAccesses()")
def storage_accesses(vm: Session) -> tuple[tuple[Value, ...], ...]:
    return tuple(slot.values for each in _entries(vm) for slot in each.slots)


def _widened(known: Change | None, before: int, after: int) -> Change | None:
    if known is None:
        return None if before == after else (before, after)
    return known if before == after else (known[0], after)


def _changes(entries: Iterable[AccountAccess]) -> list[tuple[int, _Changes]]:
    """By address. Writes of frames that failed do not count."""
    found: dict[int, _Changes] = {}
    for each in entries:
        if each.balances[0] != each.balances[1] or each.nonces[0] != each.nonces[1]:
            changes = found.setdefault(each.account, _Changes())
            changes.balance = _widened(changes.balance, *each.balances)
            changes.nonce = _widened(changes.nonce, *each.nonces)
        for slot in each.slots:
            if slot.is_write and not slot.reverted:
                slots = found.setdefault(slot.account, _Changes()).slots
                slots[slot.key] = slots.get(slot.key, (slot.before, 0))[0], slot.after
    return sorted(found.items())


@cheatcode("getStateDiff()")
def state_diff(vm: Session) -> str:
    """As text: for each account its name, then what changed."""
    lines: list[str] = []
    for address, changes in _changes(_entries(vm)):
        lines += (checksum_address(address), *_lines(vm, address, changes), "")
    return "".join(f"{line}\n" for line in lines)


def _lines(vm: Session, address: int, changes: _Changes) -> Iterable[str]:
    if address in vm.labels:
        yield f"label: {vm.labels[address]}"
    if name := contract_with_code(vm, address):
        yield f"contract: {name}"
    if changes.balance:
        yield "- balance diff: {} → {}".format(*changes.balance)
    if changes.nonce:
        yield "- nonce diff: {} → {}".format(*changes.nonce)
    if changes.slots:
        yield "- state diff:"
    for key, (before, after) in sorted(changes.slots.items()):
        yield f"@ {key:#066x}: {before:#066x} → {after:#066x}"


@cheatcode("getStateDiffJson()")
def state_diff_as_json(vm: Session) -> str:
    """The same as an object of accounts by address."""
    found = {f"{address:#042x}": _as_object(vm, address, changes) for address, changes in _changes(_entries(vm))}
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False)


def _as_object(vm: Session, address: int, changes: _Changes) -> dict[str, Any]:
    return {
        "label": vm.labels.get(address),
        "contract": contract_with_code(vm, address),
        "balanceDiff": _pair(changes.balance, hex),
        "nonceDiff": _pair(changes.nonce, int),
        "stateDiff": {f"{key:#066x}": _pair(each, _word) for key, each in sorted(changes.slots.items())},
    }


def _pair(change: Change | None, show: Callable[[int], Any]) -> dict[str, Any] | None:
    return None if change is None else {"previousValue": show(change[0]), "newValue": show(change[1])}


def _word(value: int) -> str:
    return f"{value:#066x}"
