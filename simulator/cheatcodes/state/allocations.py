"""Accounts from and to files: `loadAllocs`, `dumpState`, in the form of a genesis file's `alloc`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import RESERVED, Session
from simulator.cheatcodes.documents.trees import parse_json
from simulator.cheatcodes.files.reading import text_of_file
from simulator.cheatcodes.files.writing import write_bytes_to

MAX_ACCOUNTS = 1 << 12
_HEX = re.compile(r"(0x)?[0-9a-fA-F]*")


@cheatcode("loadAllocs(string)")
def load_allocations(vm: Session, name: str) -> None:
    """A file of accounts by address, or a genesis file with them in `alloc`. What is there is replaced, slots that the
    file does not name are kept."""
    document = parse_json(text_of_file(vm, name))
    if isinstance(document, dict) and isinstance(document.get("alloc"), dict):
        document = document["alloc"]
    if not isinstance(document, dict) or len(document) > MAX_ACCOUNTS:
        raise CheatcodeError(f"failed to load allocs: {name} must be an object of at most {MAX_ACCOUNTS} accounts")
    for address, fields in document.items():
        _load(vm, _number(address, 160), fields)


def _load(vm: Session, address: int, fields: Any) -> None:
    if not isinstance(fields, dict):
        raise CheatcodeError(f"failed to load allocs: the account {address:#042x} must be an object")
    storage = fields.get("storage") or {}
    if not isinstance(storage, dict):
        raise CheatcodeError(f"failed to load allocs: `storage` of {address:#042x} must be an object")
    vm.machine.set_account(
        vm.changeable(address),
        balance=_number(fields.get("balance", 0), 256),
        nonce=_number(fields.get("nonce", 0), 64),
        code=_data(fields.get("code") or "0x"),
        storage={_number(key, 256): _number(value, 256) for key, value in storage.items()},
    )


def _number(value: Any, bits: int) -> int:
    """A whole number: of JSON, in decimal, or in hex behind 0x or as an address without it."""
    number = -1
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and len(value) <= 80 and _HEX.fullmatch(value):
        is_hex = value.startswith("0x") or len(value) == bits // 4 or not value.isdecimal()
        number = int(value or "0", 16 if is_hex else 10) if value != "0x" else 0
    if not 0 <= number < 1 << bits:
        raise CheatcodeError(f"failed to load allocs: {str(value)[:80]!r} is no number of {bits} bits")
    return number


def _data(value: Any) -> bytes:
    if not isinstance(value, str) or not _HEX.fullmatch(value) or len(value) % 2:
        raise CheatcodeError(f"failed to load allocs: {str(value)[:80]!r} is no code in hex")
    return bytes.fromhex(value.removeprefix("0x"))


@cheatcode("dumpState(string)")
def dump_state(vm: Session, name: str) -> None:
    """Every account that is not empty, apart from the caller, the sender and those of the host."""
    accounts = vm.machine.accounts
    left_out = {*RESERVED, vm.caller, vm.machine.context.origin}
    addresses = sorted({record.address for record in accounts.all_records()} - left_out)
    found = {f"{address:#042x}": fields for address in addresses if (fields := _fields(vm, address))}
    write_bytes_to(vm, name, json.dumps(found, separators=(",", ":")).encode())


def _fields(vm: Session, address: int) -> Mapping[str, Any]:
    machine = vm.machine
    balance, nonce, code = machine.get_balance(address), machine.get_nonce(address), machine.get_code(address)
    if not (balance or nonce or code):
        return {}
    storage = {f"{key:#066x}": f"{value:#066x}" for key, value in sorted(vm.slots_of(address))}
    return {"nonce": hex(nonce), "balance": hex(balance), "code": f"0x{code.hex()}", "storage": storage}
