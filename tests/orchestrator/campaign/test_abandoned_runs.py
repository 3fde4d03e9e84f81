"""Run folders of killed campaigns go; nothing else in the temporary folder does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from actors.processes.owner import this_process
from orchestrator.assembly.abandoned_runs import LOCK_FILE, MARKER_FILE, PROJECT_FILE, RunMarker, mark, remove_abandoned
from orchestrator.assembly.run_folder import owned_folder, run_folder

AGES = 10 * 365 * 86_400
_CAMPAIGN = """
import sys
from orchestrator.assembly.run_folder import run_folder
with run_folder() as folder:
    (folder / "project.msgpack").write_bytes(b"x")
    print(folder, flush=True)
    sys.stdin.read()
"""


def abandoned(parent: Path, name: str = "monotreme-abandoned") -> Path:
    """The run folder of a process that is gone."""
    folder = parent / name
    folder.mkdir(0o700)
    (folder / LOCK_FILE).touch()
    (folder / PROJECT_FILE).write_bytes(b"x")
    mark(folder)
    _write_owner(folder, started=1.0)
    return folder


def _write_owner(folder: Path, **changes: object) -> None:
    marker = msgspec.json.decode((folder / MARKER_FILE).read_bytes(), type=RunMarker)
    owner = msgspec.structs.replace(marker.owner, **changes)
    (folder / MARKER_FILE).write_bytes(msgspec.json.encode(msgspec.structs.replace(marker, owner=owner)))


def test_the_folder_of_a_killed_campaign_goes(tmp_path: Path) -> None:
    """As soon as the next one begins, and not while the campaign lives."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", _CAMPAIGN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        remove_abandoned(tmp_path)
        assert (folder / PROJECT_FILE).exists()
        process.send_signal(signal.SIGKILL)
    assert folder.parent == tmp_path
    remove_abandoned(tmp_path)
    assert not folder.exists()


def test_a_new_run_removes_what_is_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside its own folder nothing of ours is left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    abandoned(tmp_path)
    with run_folder() as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert not list(tmp_path.iterdir())


def _checkout(parent: Path) -> Path:
    folder = parent / "monotreme-checkout"
    (folder / ".git").mkdir(parents=True)
    (folder / "README.md").write_text("mine")
    return folder


def _running_work(parent: Path) -> Path:
    folder = parent / "monotreme-work"
    (folder / "corpus" / "coverage").mkdir(parents=True)
    (folder / "corpus" / LOCK_FILE).touch()
    return folder


def _corpus(parent: Path) -> Path:
    folder = parent / "monotreme-corpus"
    folder.mkdir(0o700)
    (folder / LOCK_FILE).touch()
    (folder / PROJECT_FILE).write_bytes(b"mine")
    return folder


def _with(spoil: Callable[[Path], object]) -> Callable[[Path], Path]:
    def make(parent: Path) -> Path:
        folder = abandoned(parent)
        spoil(folder)
        return folder

    return make


def _copy(parent: Path) -> Path:
    original = abandoned(parent)
    folder = parent / "monotreme-copy"
    shutil.copytree(original, folder)
    shutil.rmtree(original)
    return folder


def _linked_marker(folder: Path) -> None:
    (folder / MARKER_FILE).rename(folder.parent / "marker")
    (folder / MARKER_FILE).symlink_to(folder.parent / "marker")


NOT_OURS = {
    "a checkout": _checkout,
    "work with a running campaign's corpus": _running_work,
    "a corpus without a marker": _corpus,
    "a copied run folder": _copy,
    "a file of the user's inside": _with(lambda folder: (folder / "notes.txt").write_text("mine")),
    "a folder of the user's inside": _with(lambda folder: (folder / "src").mkdir()),
    "open to others": _with(lambda folder: folder.chmod(0o777)),
    "a marker elsewhere": _with(_linked_marker),
    "a marker that cannot be read": _with(lambda folder: (folder / MARKER_FILE).write_bytes(b'{"owner": 1}')),
    "a marker of a living process": _with(lambda folder: _write_owner(folder, started=this_process().started)),
    "no lock file": _with(lambda folder: (folder / LOCK_FILE).unlink()),
}


@pytest.mark.parametrize("make", NOT_OURS.values(), ids=NOT_OURS)
def test_a_folder_of_the_user_stays(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """However old it is, and whatever it is called."""
    folder = make(tmp_path)
    os.utime(folder, (AGES, AGES))
    before = sorted(path for path in folder.rglob("*"))
    remove_abandoned(tmp_path)
    assert sorted(path for path in folder.rglob("*")) == before


def test_a_locked_folder_stays_whatever_its_marker_says(tmp_path: Path) -> None:
    """The process may be out of sight, in another container."""
    folder = abandoned(tmp_path)
    with owned_folder(folder):
        remove_abandoned(tmp_path)
        assert (folder / PROJECT_FILE).exists()
    remove_abandoned(tmp_path)
    assert not folder.exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Not even to an abandoned folder, which stands under another name."""
    folder = abandoned(tmp_path, "elsewhere")
    (tmp_path / "monotreme-link").symlink_to(folder)
    remove_abandoned(tmp_path)
    assert (folder / PROJECT_FILE).exists()
    assert (tmp_path / "monotreme-link").is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of another user")
def test_a_folder_of_another_user_stays(tmp_path: Path) -> None:
    """Also its files in a folder of ours."""
    for name, theirs in (("monotreme-folder", "."), ("monotreme-file", PROJECT_FILE)):
        folder = abandoned(tmp_path, name)
        os.chown(folder / theirs, 12_345, 12_345)
        remove_abandoned(tmp_path)
        assert (folder / PROJECT_FILE).exists()
