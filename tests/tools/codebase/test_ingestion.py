"""Ingestion: which files are read, what changes, and that it is all or nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.patience import PATIENCE
from tools.codebase.errors import (
    CodebaseError,
    CodebaseFolderRefused,
    IngestionStopped,
    MemoryBusy,
    MemoryUnusable,
    NameTaken,
)
from tools.codebase.ingestion import IngestionReport
from tools.codebase.memory import CodebaseMemory, open_memory
from tools.codebase.scanning.files import MAX_SOURCE_BYTES, scan
from tools.codebase.search import Query
from tools.codebase.storage import tables


def ingest(memory: CodebaseMemory, root: Path, name: str = "p") -> IngestionReport:
    return memory.ingest(root, name, lambda *_: None, lambda: False)


def paths_found(memory: CodebaseMemory, text: str) -> set[str]:
    return {hit.chunk.path for hit in memory.find(Query(text)).hits}


def test_code_is_indexed_and_what_git_ignores_is_not(memory: CodebaseMemory, project: Path):
    """Source files below the folder, without generated ones, minified ones and other kinds."""
    report = ingest(memory, project)
    assert report.added == ("src/Vault.sol", "src/auth.py", "src/parser.ts")
    (codebase,) = memory.codebases()
    assert (codebase.name, codebase.path, codebase.file_count) == ("p", str(project), 3)
    assert codebase.languages == ("python", "solidity", "typescript")


def test_only_changed_files_are_read_anew(memory: CodebaseMemory, project: Path):
    """What was added, changed and removed is told; what they said before is not found any more."""
    ingest(memory, project)
    (project / "src/auth.py").write_text("def check_password(given):\n    return given\n")
    (project / "src/parser.ts").unlink()
    (project / "src/new.py").write_text("def brand_new(): pass\n")
    stale = memory.stale(project, "p")
    report = ingest(memory, project)
    for each in (stale, report):
        assert (each.added, each.changed, each.removed) == (("src/new.py",), ("src/auth.py",), ("src/parser.ts",))
        assert each.unchanged == 1
    assert "src/auth.py" in paths_found(memory, "check password")
    assert "src/parser.ts" not in paths_found(memory, "parse http header")
    assert "src/auth.py" not in paths_found(memory, "session close")
    again = ingest(memory, project)
    assert (again.added, again.changed, again.removed, again.unchanged) == ((), (), (), 3)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a.py", "b.py", "c/d.py", "e.sol"]), st.integers(0, 3), max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_an_index_grown_step_by_step_is_one_made_at_once(tmp_path_factory: pytest.TempPathFactory, steps: list[dict]):
    """After any changes, statistics and answers are those of a fresh index of the same files."""
    folder = tmp_path_factory.mktemp("steps")
    root = folder / "root"
    root.mkdir()
    grown = open_memory(folder / "grown.sqlite")
    for files in steps:
        for path in [each for each in root.rglob("*") if each.is_file()]:
            path.unlink()
        for name, variant in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(f"def alpha_{variant}():\n    return beta\n" * variant)
        ingest(grown, root)
    fresh = open_memory(folder / "fresh.sqlite")
    ingest(fresh, root)
    assert grown.statistics("p").types == fresh.statistics("p").types
    for query in (Query("alpha beta"), Query("alpha 2"), Query("beta", language="python")):
        assert grown.find(query) == fresh.find(query)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1), "larger"),
        (b"\0\1", "binary"),
        (b"x = '" + b"a" * 30_000 + b"'", "generated"),
    ],
)
def test_files_that_are_no_source_are_skipped(memory: CodebaseMemory, tmp_path: Path, content: bytes, why: str):
    """Large, binary and generated files are named with the reason, and cost nothing else."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_bytes(content)
    (tmp_path / "root/b.py").write_bytes(b"def caf\xe9(): pass\n")
    report = ingest(memory, tmp_path / "root")
    assert report.added == ("b.py",)
    assert report.skipped["a.py"].startswith(why)


def test_links_are_not_followed(tmp_path: Path):
    """Neither links to files nor to folders lead out of the folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("x = 1\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    os.mkfifo(root / "pipe.py")
    assert scan(root).sources == []


def test_sources_whose_names_cannot_be_kept_are_told(tmp_path: Path):
    """Bytes that are not UTF-8 and characters that hide; also those of the folders above."""
    for name in (b"\xff/a.py", b"\xe2\x80\xae.py", b"good.py"):
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n")
    found = scan(tmp_path)
    assert (found.sources, sorted(found.skipped)) == (["good.py"], ["\\u202e.py", "\\xff/a.py"])
    with pytest.raises(CodebaseFolderRefused, match=r"\\xff: the memory keeps paths as UTF-8"):
        scan(tmp_path / os.fsdecode(b"\xff"))


def test_gitignore_rules_of_outer_and_inner_folders_hold(tmp_path: Path):
    """Those above the folder up to its repository, those inside, negations, and never beyond the repository."""
    (tmp_path / ".gitignore").write_text("*.py\n")
    repository = tmp_path / "repository"
    root = repository / "root"
    (root / "kept").mkdir(parents=True)
    (repository / ".git").mkdir()
    (repository / ".gitignore").write_text("out.py\n/root/gone.py\n[bad\n")
    (root / ".gitignore").write_text("*_gen.py\n")
    (root / "kept/.gitignore").write_text("!a_gen.py\n")
    for name in ("out.py", "gone.py", "b_gen.py", "kept/a_gen.py", "kept/gone.py"):
        (root / name).write_text("")
    assert scan(root).sources == ["kept/a_gen.py", "kept/gone.py"]


def test_a_stopped_ingestion_leaves_the_old_index(memory: CodebaseMemory, project: Path):
    """Everything or nothing: what was read before the stop is not kept."""
    ingest(memory, project)
    before = memory.statistics("p")
    for name in ("a", "b", "c"):
        (project / f"{name}.py").write_text("def token(): pass\n")
    seen: list[str] = []
    with pytest.raises(IngestionStopped):
        memory.ingest(project, "p", lambda _done, _all, path: seen.append(path), lambda: len(seen) == 3)
    assert memory.statistics("p") == before
    assert paths_found(memory, "token") == {"src/auth.py"}


@pytest.mark.integration
def test_a_killed_ingestion_leaves_the_old_index(memory: CodebaseMemory, project: Path, tmp_path: Path):
    """A process that dies in the middle of writing leaves what was there, and the next one works."""
    ingest(memory, project)
    for number in range(5):
        (project / f"more{number}.py").write_text(f"def more{number}(): pass\n")
    program = (
        "import os, signal, sys; from pathlib import Path; from tools.codebase.memory import open_memory\n"
        "def die(done, total, path):\n"
        "    if done == 4: os.kill(os.getpid(), signal.SIGKILL)\n"
        "open_memory(Path(sys.argv[1])).ingest(Path(sys.argv[2]), 'p', die, lambda: False)\n"
    )
    file = tmp_path / "state" / "codebases.sqlite"
    ended = subprocess.run([sys.executable, "-c", program, file, project], timeout=PATIENCE)
    assert ended.returncode == -9
    assert memory.codebases()[0].file_count == 3
    assert len(ingest(memory, project).added) == 5


def test_readers_are_served_while_one_writes(memory: CodebaseMemory, project: Path):
    """They see the index as it was, until the ingestion ends; a second writer is turned away."""
    ingest(memory, project)
    (project / "later.py").write_text("def later_only(): pass\n")
    seen: list[tuple[int, int]] = []

    def look(_done: int, _total: int, _path: str) -> None:
        reader = threading.Thread(
            target=lambda: seen.append((memory.find(Query("later only")).total, len(memory.codebases())))
        )
        reader.start()
        reader.join()

    memory.ingest(project, "p", look, lambda: False)
    assert len(seen) == 5
    assert set(seen) == {(0, 1)}
    assert "later.py" in paths_found(memory, "later only")


def test_a_second_writer_is_turned_away(memory: CodebaseMemory, project: Path, monkeypatch: pytest.MonkeyPatch):
    """It is told so, after a moment's wait, and nothing is lost."""
    monkeypatch.setattr(tables, "BUSY_SECONDS", 0.05)
    with memory.store.writing("p", project, "e"), pytest.raises(MemoryBusy):
        memory.rename("p", "q")


def test_a_name_stands_for_one_folder(memory: CodebaseMemory, project: Path, tmp_path: Path):
    """Another folder needs another name; names that cannot be shown are refused."""
    ingest(memory, project)
    (tmp_path / "other").mkdir()
    with pytest.raises(NameTaken, match="stands for"):
        ingest(memory, tmp_path / "other")
    for name in ("", " ", "a\nb", "x" * 101):
        with pytest.raises(CodebaseError):
            ingest(memory, project, name)


def test_a_path_that_is_no_folder_is_refused(memory: CodebaseMemory, project: Path):
    """With the path and the reason."""
    for path in (project / "README.md", project / "nowhere"):
        with pytest.raises(CodebaseFolderRefused, match="no folder"):
            ingest(memory, path)


def test_renaming_and_removing(memory: CodebaseMemory, project: Path):
    """A codebase keeps its chunks under a new name; removed, it has none. Names of others are not taken."""
    ingest(memory, project, "a")
    ingest(memory, project, "b")
    with pytest.raises(NameTaken):
        memory.rename("a", "b")
    memory.rename("a", "c")
    assert [each.name for each in memory.codebases()] == ["b", "c"]
    assert {hit.chunk.codebase for hit in memory.find(Query("token")).hits} == {"b", "c"}
    assert memory.remove("c") == 7
    assert {hit.chunk.codebase for hit in memory.find(Query("token")).hits} == {"b"}


def test_the_database_is_private(memory: CodebaseMemory, project: Path, tmp_path: Path):
    """Nobody else reads what was indexed."""
    ingest(memory, project)
    file = tmp_path / "state" / "codebases.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_damaged_database_is_told(tmp_path: Path):
    """By name, with what to do; never with a stack trace."""
    file = tmp_path / "broken.sqlite"
    file.write_bytes(b"no database at all" * 100)
    with pytest.raises(MemoryUnusable, match=r"broken\.sqlite"):
        open_memory(file).codebases()


def test_the_index_of_another_version_is_made_anew(memory: CodebaseMemory, project: Path, tmp_path: Path):
    """Its tables may mean other things; the sources are there to be indexed again."""
    ingest(memory, project)
    with sqlite3.connect(tmp_path / "state" / "codebases.sqlite") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert memory.codebases() == ()
    assert len(ingest(memory, project).added) == 3
