"""The source tree of a revision of this repository, in a folder of its own."""

from __future__ import annotations

import io
import site
import subprocess
import sysconfig
import tarfile
import venv
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring.errors import BenchmarkError

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Revision:
    """`commit` is the short name of what runs under `python`, an interpreter with the present packages."""

    label: str
    commit: str
    python: Path


def check_out(name: str, folder: Path, label: str) -> Revision:
    """Write the tree of a revision to `folder`, which is made, with an interpreter for it. git's own records stay as
    they are. Raises `BenchmarkError`."""
    try:
        commit = _git("rev-parse", "--short", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except BenchmarkError as error:
        raise BenchmarkError(f"{name}: no commit of {ROOT}: {error}") from None
    with tarfile.open(fileobj=io.BytesIO(_git("archive", "--format=tar", commit))) as archive:
        archive.extractall(folder, filter="data")
    return Revision(label, commit, _interpreter(folder))


def _interpreter(tree: Path) -> Path:
    """Make an environment that finds the program in `tree`. Workers are started without the variables and the working
    folder that could say so."""
    environment = tree / ".venv"
    venv.EnvBuilder(symlinks=True).create(environment)
    bases = {"base": str(environment), "platbase": str(environment)}
    packages = Path(sysconfig.get_path("purelib", vars=bases))
    # Folders that a .pth file names are not searched for further ones, such as that of the present tree.
    (packages / "revision.pth").write_text("\n".join([str(tree), *site.getsitepackages()]) + "\n")
    return environment / "bin" / "python"


def _git(*arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise BenchmarkError(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        raise BenchmarkError(done.stderr.decode(errors="replace").strip())
    return done.stdout
