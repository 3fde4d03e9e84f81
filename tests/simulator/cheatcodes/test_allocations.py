"""Accounts from and to files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

PERMISSIONS = '[profile.default]\nfs_permissions = [{ access = "read-write", path = "./" }]\n'
SLOT = f"{1:#066x}"
ACCOUNT = {"nonce": "0x2", "balance": "0x5", "code": "0x6001", "storage": {SLOT: f"{7:#066x}"}}


@pytest.fixture
def files(tmp_path: Path, make_bench: Callable[..., Any]) -> Bench:
    (tmp_path / "foundry.toml").write_text(PERMISSIONS)
    bench: Bench = make_bench(Project(str(tmp_path), ()))
    return bench


@pytest.mark.parametrize("is_genesis", [False, True])
def test_accounts_are_loaded(files: Bench, tmp_path: Path, is_genesis: bool) -> None:
    """From a list of them and from a genesis file; a rollback takes them away."""
    accounts = {f"{0xAA:#042x}": ACCOUNT, f"{0xBB:040x}": {"balance": "12"}}
    (tmp_path / "a.json").write_text(json.dumps({"alloc": accounts, "config": {}} if is_genesis else accounts))
    machine = files.machine
    mark = machine.mark()
    files.vm("loadAllocs(string)", "a.json")
    assert (machine.get_balance(0xAA), machine.get_nonce(0xAA), machine.get_code(0xAA)) == (5, 2, b"\x60\x01")
    assert machine.get_storage(0xAA, 1) == 7
    assert machine.get_balance(0xBB) == 12
    machine.rollback(mark)
    assert machine.get_code(0xAA) == b""


def test_accounts_are_dumped_as_they_are_loaded(files: Bench, tmp_path: Path) -> None:
    """What is empty is left out."""
    (tmp_path / "a.json").write_text(json.dumps({f"{0xAA:#042x}": ACCOUNT, f"{0xCC:#042x}": {}}))
    files.vm("loadAllocs(string)", "a.json")
    files.vm("dumpState(string)", "b.json")
    assert json.loads((tmp_path / "b.json").read_text()) == {f"{0xAA:#042x}": ACCOUNT}


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"0xaa": 5},
        {"zz": {}},
        {f"{1:#042x}": {"balance": "1"}},
        {"0x" + "1" * 41: {}},
        {"0xaa": {"balance": True}},
        {"0xaa": {"balance": -1}},
        {"0xaa": {"nonce": "0x1" + "0" * 16}},
        {"0xaa": {"code": "0x1"}},
        {"0xaa": {"code": 5}},
        {"0xaa": {"storage": [1]}},
        {"0xaa": {"storage": {"0x1": "x"}}},
    ],
)
def test_what_are_no_accounts_is_refused(files: Bench, tmp_path: Path, document: Any) -> None:
    """With a reason."""
    (tmp_path / "a.json").write_text(json.dumps(document))
    result = files.raw("loadAllocs(string)", "a.json")
    assert not result.success
    assert reason(result).startswith(("failed to load allocs", "0x00"))
