"""Replacing files whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from simulator.files.atomic_file import SHARED, write_atomically


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path, durable: bool) -> None:
    """Private unless said otherwise."""
    path = tmp_path / "state.json"
    path.write_text("old")
    write_atomically(path, b"new", durable=durable)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"new"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    write_atomically(path, b"newer", durable=durable, mode=SHARED)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_durable_file_is_synced_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content before it gets its name, the name after that; otherwise nothing waits for the disk."""
    steps: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "content")
        sync(descriptor)

    def replaced(source: str, target: Path) -> None:
        steps.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    write_atomically(tmp_path / "a", b"", durable=True)
    assert steps == ["content", "name", "folder"]
    write_atomically(tmp_path / "a", b"", durable=False)
    assert steps[3:] == ["name"]


def test_a_file_that_exists_can_be_kept(tmp_path: Path) -> None:
    """And leaves no temporary file."""
    write_atomically(tmp_path / "a", b"first", durable=False, replace=False)
    write_atomically(tmp_path / "a", b"second", durable=False, replace=False)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"first"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """What it leads to stays."""
    outside = tmp_path / "outside"
    outside.write_text("keep")
    link = tmp_path / "link"
    link.symlink_to(outside)
    write_atomically(link, b"new", durable=False)
    assert (link.is_symlink(), outside.read_text()) == (False, "keep")
