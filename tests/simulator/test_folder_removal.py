"""Only folders that hold nothing but what the program writes are removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.files.folder_removal import remove_own_folder

NAMES = ("log", "meta")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with both files."""
    made = tmp_path / "made"
    made.mkdir(0o700)
    for name in NAMES:
        (made / name).write_text(name)
    return made


def remove(folder: Path) -> bool:
    return remove_own_folder(folder, NAMES.__contains__, "meta")


def test_a_folder_of_known_files_goes(folder: Path) -> None:
    """With all of them."""
    assert remove(folder)
    assert not folder.exists()


def _shared(folder: Path) -> None:
    folder.chmod(0o770)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "notes.txt").write_text("mine"),
        lambda folder: (folder / "src").mkdir(),
        lambda folder: ((folder / "log").unlink(), (folder / "log").mkdir()),
        lambda folder: ((folder / "log").unlink(), (folder / "log").symlink_to("meta")),
        lambda folder: ((folder / "log").unlink(), os.mkfifo(folder / "log")),
        _shared,
    ],
    ids=["an unknown file", "a subfolder", "a folder as file", "a link as file", "a pipe as file", "open to others"],
)
def test_a_folder_with_anything_else_stays_whole(folder: Path, spoil: Callable[[Path], object]) -> None:
    """Not one of its files is removed."""
    spoil(folder)
    before = sorted(os.listdir(folder))
    assert not remove(folder)
    assert sorted(os.listdir(folder)) == before


def test_a_link_to_a_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    """The folder behind it stays."""
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OSError, match="link"):
        remove(tmp_path / "link")
    assert sorted(os.listdir(folder)) == ["log", "meta"]


def test_a_folder_without_proof_stays(folder: Path) -> None:
    """The proof sees the open folder, which nobody can exchange."""
    seen = []

    def refuse(descriptor: int) -> bool:
        seen.append(os.fstat(descriptor).st_ino)
        return False

    assert not remove_own_folder(folder, NAMES.__contains__, "meta", refuse)
    assert seen == [folder.stat().st_ino]
    assert (folder / "log").exists()


def test_the_marker_goes_last(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A removal that was interrupted can be repeated."""
    unlink = os.unlink
    removed: list[str] = []

    def note(name: str, *, dir_fd: int) -> None:
        removed.append(name)
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", note)
    assert remove_own_folder(folder, NAMES.__contains__, "log")
    assert removed == ["meta", "log"]
