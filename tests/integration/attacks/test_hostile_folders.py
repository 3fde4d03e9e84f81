"""Current folders that hold what Python or a library would load: nothing of a project runs because it lies there."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import pytest

from simulator import kernel_loader
from simulator.own_process import module_command
from tests.support.patience import PATIENCE
from tools.codebase.ingesting import ProcessIngest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
PACKAGES = ("simulator", "actors", "tools", "orchestrator")
BAIT = (*PACKAGES, "numba", "numpy", "llvmlite", "msgspec", "json", "trio")
MODULES = (
    "simulator.compile",
    "simulator.evm.compiled.compiler",
    "simulator.native_build",
    "simulator.worker",
    "tools.codebase.index_program",
)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with packages of all names that the program imports. Importing one leaves a mark."""
    folder = tmp_path / "project"
    for name in BAIT:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    monkeypatch.chdir(folder)
    return folder


def mark(hostile: Path) -> Path:
    return hostile.parent / "mark"


@pytest.mark.parametrize("module", MODULES)
def test_a_process_of_the_program_imports_nothing_from_the_current_folder(hostile: Path, module: str) -> None:
    ended = subprocess.run(
        module_command(module),
        cwd=hostile,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert not mark(hostile).exists()
    assert b"Error while finding module" not in ended.stderr


async def test_a_folder_is_indexed_from_a_hostile_current_folder(hostile: Path) -> None:
    ingest = ProcessIngest(hostile.parent / "memory.sqlite", "subwords")
    report = await ingest(hostile, "project", 1000, lambda *_: None)
    assert not mark(hostile).exists()
    assert len(report.added) == len(BAIT)


def test_every_module_that_runs_as_a_process_is_started_by_one_function() -> None:
    sources = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    elsewhere = {file.name for file in sources if re.search(r'"-m"', file.read_text())}
    assert elsewhere == {"own_process.py"}


def test_the_kernel_is_built_in_the_cache_folder(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba reads options from `.numba_config.yaml` of the current folder; some change the code that it makes."""
    folders: list[Path] = []

    class Builder:
        returncode = 0
        stderr = io.StringIO()

        def __init__(self, *_: object, cwd: Path, **__: object) -> None:
            folders.append(cwd)

        def __enter__(self) -> Builder:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(subprocess, "Popen", Builder)
    kernel_loader._run_builder(tmp_path / "cache", "key", lambda *_: None)
    assert folders == [tmp_path / "cache"]
    assert folders[0].is_dir()


@pytest.mark.nightly
def test_options_of_the_current_folder_do_not_reach_the_kernel(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hostile / ".numba_config.yaml").write_text("disable_jit: 1\n")
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path / "cache"))
    assert kernel_loader.load_object().code
    assert not mark(hostile).exists()
