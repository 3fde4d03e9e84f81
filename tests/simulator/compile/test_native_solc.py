"""Programs that are asked for their version have a short time for it, with all that they have started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.compile.solc.native import VERSION_SECONDS, NativeCompilers
from simulator.compile.solc.runner import run_process
from tests.support.process_checks import is_soon_gone


def program(folder: Path, text: str) -> Path:
    folder.mkdir()
    path = folder / "solc"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_program_that_hangs_is_killed_and_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its children; the user hears of it once, and it is not asked again."""
    path = program(tmp_path / "bin", f"sleep 600 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setenv("PATH", os.pathsep.join((str(path.parent), os.environ["PATH"])))
    told: list[str] = []
    compilers = NativeCompilers(tmp_path / "cache", run_process, told.append, patience=1.0)
    assert compilers.on_path() is None
    assert compilers.on_path() is None
    assert told == [f"passing over {path}, asked for its --version: {path} did not end within its time limit"]
    child = tmp_path / "child"
    if child.exists() and child.read_text():  # on a busy machine it may not have come so far
        assert is_soon_gone(int(child.read_text()))


def test_nobody_may_take_longer_than_the_limit(tmp_path: Path) -> None:
    """Also where compilers have ten minutes."""
    asked: list[float] = []

    def run(argv: object, stdin: bytes, cwd: Path, timeout: float) -> object:
        asked.append(timeout)
        return run_process(["true"], stdin, cwd, 60.0)

    path = program(tmp_path / "bin", "true")
    for patience in (600.0, 4.5):
        NativeCompilers(tmp_path / "cache", run, patience=patience)._probe(path)  # type: ignore[arg-type]
    assert asked == [VERSION_SECONDS, 4.5]


def test_relative_entries_of_path_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would lead into the project."""
    program(tmp_path / "bin", f"touch {tmp_path}/mark")
    monkeypatch.chdir(tmp_path / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", "../bin")))
    assert NativeCompilers(tmp_path / "cache", run_process).on_path() is None
    assert not (tmp_path / "mark").exists()
