"""`checkpoint.json`: whole or not at all, and told from anything else."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.campaign.state import CampaignState
from actors.campaign.tests import TestRecord
from actors.campaign.worker_steering import SteeringState
from actors.priorities.manager import PriorityState
from actors.steering.commands import CallRequest, Limits, TemplateInfo
from orchestrator.checkpoint.errors import CheckpointError
from orchestrator.checkpoint.file import FORMAT, Checkpoint, checkpoint_of, read_checkpoint, write_checkpoint
from simulator.transaction import Transaction
from simulator.worker.commands import AddWords
from simulator.worker.reports import TestInfo

CALL = Transaction(b"\x01" * 20, b"\x02" * 20, b"\x18\x17\x83\x58")
STATE = CampaignState(
    calls=12_345,
    seconds=6.5,
    limits=Limits(1_000_000, None, 30.0, 5_000),
    tests=(TestRecord(TestInfo(0, "echidna_a", "property", "Fake"), "shrinking", "false", (CALL,), (CALL, CALL)),),
    steering=SteeringState(
        PriorityState(("poke",), (), (("give", 2.0),)),
        (TemplateInfo(3, (CallRequest("poke(?)", None, 5),), 0.2),),
        (AddWords(numbers=(b"\x00" * 31 + b"\x07",)),),
    ),
    workers=2,
    processes=(1, 4),
)
CHECKPOINT = Checkpoint(FORMAT, "c" * 32, "2026-11-22T01:10:27.042Z", "", "a:A", {"a:A": "1"}, {"x": "2"}, 2**62, STATE)
WRITTEN = msgspec.json.encode(CHECKPOINT)
POSITIONS = st.integers(0, 10**6)


def test_what_is_written_is_read_again(tmp_path: Path):
    """All of it, twice, and nothing else stays in the folder."""
    path = checkpoint_of(tmp_path)
    assert read_checkpoint(path) is None
    for calls in (1, 2):
        state = msgspec.structs.replace(STATE, calls=calls)
        checkpoint = msgspec.structs.replace(CHECKPOINT, state=state)
        write_checkpoint(path, checkpoint)
        assert read_checkpoint(path) == checkpoint
    assert [each.name for each in tmp_path.iterdir()] == ["checkpoint.json"]


@given(POSITIONS, st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, position: int, flip: int
):
    """Space between values may change, a value may not."""
    path = checkpoint_of(tmp_path_factory.mktemp("flipped"))
    write_checkpoint(path, CHECKPOINT)
    data = bytearray(path.read_bytes())
    data[position % len(data)] ^= flip
    path.write_bytes(data)
    with suppress(CheckpointError):
        assert read_checkpoint(path) == CHECKPOINT


def test_a_checkpoint_changed_by_hand_is_none(tmp_path: Path):
    """Its digest tells."""
    path = checkpoint_of(tmp_path)
    write_checkpoint(path, CHECKPOINT)
    path.write_bytes(path.read_bytes().replace(b"12345", b"12346"))
    with pytest.raises(CheckpointError, match="damaged, or changed by hand"):
        read_checkpoint(path)


@given(st.integers(0, len(WRITTEN) - 1))
def test_a_checkpoint_cut_anywhere_is_none(tmp_path_factory: pytest.TempPathFactory, cut: int):
    """It is refused with its name, never half believed."""
    path = checkpoint_of(tmp_path_factory.mktemp("cut"))
    path.write_bytes(WRITTEN[:cut])
    with pytest.raises(CheckpointError, match="not all of one"):
        read_checkpoint(path)


@given(st.binary(max_size=200))
def test_any_other_file_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    """With the typed error and no other."""
    path = checkpoint_of(tmp_path_factory.mktemp("other"))
    path.write_bytes(data)
    with pytest.raises(CheckpointError):
        read_checkpoint(path)


def test_another_format_is_named(tmp_path: Path):
    """A later version may have other fields; its number says so."""
    path = checkpoint_of(tmp_path)
    path.write_text('{"format":99,"something":"else"}')
    with pytest.raises(CheckpointError, match="format 99; this version reads format 3"):
        read_checkpoint(path)


def test_links_pipes_and_folders_are_refused(tmp_path: Path):
    """No reader is led out of the folder or blocked."""
    (tmp_path / "real.json").write_bytes(WRITTEN)
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("link", "pipe", "folder"):
        with pytest.raises(CheckpointError, match=name):
            read_checkpoint(tmp_path / f"{name}.json")


def test_a_write_that_fails_leaves_the_checkpoint_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A full disk shows when the file is synced: what was there stays, and the temporary file goes."""
    path = checkpoint_of(tmp_path)
    write_checkpoint(path, CHECKPOINT)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_checkpoint(path, msgspec.structs.replace(CHECKPOINT, campaign="other"))
    assert read_checkpoint(path) == CHECKPOINT
    assert len(list(tmp_path.iterdir())) == 1
