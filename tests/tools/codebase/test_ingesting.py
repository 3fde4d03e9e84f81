"""An ingestion in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest
import trio

from tests.support.patience import PATIENCE
from tools.codebase import ingesting
from tools.codebase.errors import CodebaseError, NameTaken
from tools.codebase.index_messages import IndexFailed, IndexRequest
from tools.codebase.ingesting import ProcessIngest
from tools.codebase.memory import CodebaseMemory

pytestmark = pytest.mark.integration


@pytest.fixture
def ingest(tmp_path: Path) -> ProcessIngest:
    return ProcessIngest(tmp_path / "state" / "codebases.sqlite", "subwords")


async def test_a_process_indexes_and_reports(ingest: ProcessIngest, memory: CodebaseMemory, project: Path):
    """Progress and the report arrive as from a thread."""
    told: list[tuple[int, int]] = []
    with trio.fail_after(PATIENCE):
        report = await ingest(project, "p", 100, lambda done, total, _: told.append((done, total)))
        assert (report.added, report.chunks_after) == (("src/Vault.sol", "src/auth.py", "src/parser.ts"), 7)
        assert (told[0], told[-1]) == ((0, 3), (3, 3))
        assert memory.codebases()[0].chunk_count == 7


async def test_errors_keep_their_kind(ingest: ProcessIngest, project: Path, monkeypatch: pytest.MonkeyPatch):
    """What the process says went wrong is raised as it would be in a thread."""
    failed = IndexFailed("E_CODEBASE_NAME", "stands for another folder")
    program = f"import sys; input(); sys.stdout.buffer.write({msgspec.json.encode(failed)!r} + b'\\n')"
    monkeypatch.setattr(ingesting, "COMMAND", (sys.executable, "-c", program))
    with trio.fail_after(PATIENCE), pytest.raises(NameTaken, match="stands for"):
        await ingest(project, "p", 100, lambda *_: None)


async def test_a_process_that_dies_is_told_and_changes_nothing(
    ingest: ProcessIngest, memory: CodebaseMemory, project: Path, monkeypatch: pytest.MonkeyPatch
):
    """As when a file crashes a parser."""
    monkeypatch.setattr(ingesting, "COMMAND", (sys.executable, "-c", "import os; input(); os.abort()"))
    with trio.fail_after(PATIENCE), pytest.raises(CodebaseError, match="ended unexpectedly"):
        await ingest(project, "p", 100, lambda *_: None)
    assert memory.codebases() == ()


async def test_a_cancelled_ingestion_leaves_no_process(
    ingest: ProcessIngest, project: Path, monkeypatch: pytest.MonkeyPatch
):
    """It is killed and awaited."""
    endless = 'print(\'{"type":"advanced","done":0,"total":1}\', flush=True)\nwhile True: pass'
    monkeypatch.setattr(ingesting, "COMMAND", (sys.executable, "-c", endless))
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await trio.lowlevel.checkpoint()
            nursery.start_soon(ingest, project, "p", 100, lambda *_: nursery.cancel_scope.cancel())
    assert [each for each in psutil.Process().children() if endless in each.cmdline()] == []


def test_a_process_whose_asker_is_gone_says_nothing(tmp_path: Path, memory: CodebaseMemory, project: Path):
    """A server that was killed reads no progress; its ingestion ends without a word and changes nothing."""
    request = IndexRequest(os.fsencode(tmp_path / "state" / "codebases.sqlite"), "subwords", str(project), "p", 100)
    with subprocess.Popen(
        ingesting.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(msgspec.json.encode(request) + b"\n")
        process.stdin.flush()
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, b"")
    assert memory.codebases() == ()
