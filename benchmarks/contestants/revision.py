"""The source tree of a revision of this repository, in a folder of its own."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring.errors import BenchmarkError

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Revision:
    """`commit` is the short name of what `tree` holds."""

    label: str
    commit: str
    tree: Path


def check_out(name: str, folder: Path, label: str) -> Revision:
    """Write the tree of a revision below `folder`, which is made. git's own records stay as they are. Raises
    `BenchmarkError`."""
    try:
        commit = _git("rev-parse", "--short", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except BenchmarkError as error:
        raise BenchmarkError(f"{name}: no commit of {ROOT}: {error}") from None
    with tarfile.open(fileobj=io.BytesIO(_git("archive", "--format=tar", commit))) as archive:
        archive.extractall(folder, filter="data")
    return Revision(label, commit, folder)


def _git(*arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise BenchmarkError(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        raise BenchmarkError(done.stderr.decode(errors="replace").strip())
    return done.stdout
