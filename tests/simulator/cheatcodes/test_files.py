"""Files of the project: what may be read, and what is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.compile.projects.foundry_config import read_permissions
from simulator.errors import CompileError
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED
from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

PERMISSIONS = """[profile.default]
fs_permissions = [
  { access = "read", path = "./data" },
  { access = "none", path = "data/secret" },
  { access = "write", path = "written" },
  { access = "read", path = "../" },
]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project beside a file that does not belong to it."""
    folder = tmp_path / "project"
    for name in ("data/inner", "data/secret", "src", "written"):
        (folder / name).mkdir(parents=True)
    (folder / "foundry.toml").write_text(PERMISSIONS.replace('  { access = "read", path = "../" },\n', ""))
    (folder / "data/lines.txt").write_bytes(b"one\ntwo\r\n\nfour")
    (folder / "data/raw.bin").write_bytes(b"\xff\0")
    (folder / "data/secret/key").write_text("hidden")
    (folder / "src/A.sol").write_text("source")
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "data/link").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest.fixture
def files(root: Path, make_bench: Callable[..., Any]) -> Bench:
    bench: Bench = make_bench(Project(str(root), ()))
    return bench


def test_files_are_read(files: Bench, root: Path) -> None:
    """By paths from the project's folder, and by whole ones."""
    assert files.vm("readFile(string)", "data/lines.txt") == "one\ntwo\r\n\nfour"
    assert files.vm("readFile(string)", f"{root}/data/../data/lines.txt") == "one\ntwo\r\n\nfour"
    assert files.vm("readFileBinary(string)", "data/raw.bin") == b"\xff\0"


def test_lines_are_read_one_after_the_other(files: Bench) -> None:
    """Without their ends, empty behind the last; closing begins anew, and so does a rollback."""
    mark = files.machine.mark()
    assert [files.vm("readLine(string)", "data/lines.txt") for _ in range(6)] == ["one", "two", "", "four", "", ""]
    files.vm("closeFile(string)", "data/lines.txt")
    assert files.vm("readLine(string)", "data/lines.txt") == "one"
    files.machine.rollback(mark)
    assert files.vm("readLine(string)", "data/lines.txt") == "one"


def test_paths_are_asked_about(files: Bench) -> None:
    """What is there, and of which kind."""
    assert files.vm("exists(string)", "data/nothing") is False
    assert files.vm("isFile(string)", "data/lines.txt") is True
    assert files.vm("isFile(string)", "data/inner") is False
    assert files.vm("isDir(string)", "data/inner") is True


def test_folders_are_listed(files: Bench, root: Path) -> None:
    """In the order of their paths, as deep as asked for; links are not followed."""
    (root / "data/inner/deep.txt").write_text("")
    names = ["inner", "lines.txt", "link", "raw.bin", "secret"]
    listed: Any = files.vm("readDir(string)", "data")
    assert [Path(entry[1]).name for entry in listed] == names
    assert [entry[3] for entry in listed] == [True, False, False, False, True]
    assert [entry[4] for entry in listed] == [False, False, True, False, False]
    deeper: Any = files.vm("readDir(string,uint64)", "data/inner", 2)
    assert [(Path(entry[1]).name, entry[2]) for entry in deeper] == [("deep.txt", 1)]


@pytest.mark.parametrize(
    "name",
    [
        "src/A.sol",
        "foundry.toml",
        "data/secret/key",
        "written/x",
        "../outside.txt",
        "data/../src/A.sol",
        "data/link",
        "/",
    ],
)
def test_what_is_not_allowed_proves_nothing(files: Bench, name: str) -> None:
    """Not listed, taken out, for writing only, outside of the project, behind a link that leads out."""
    assert f"the path {name} is not allowed to be accessed" in reason(files.raw("readFile(string)", name))
    assert files.machine.context.rejected == REJECTED_AS_UNSUPPORTED
    assert any("fs_permissions" in warning for warning in files.warnings)


def test_a_permission_outside_of_the_project_does_not_count(root: Path, make_bench: Callable[..., Any]) -> None:
    """Contracts read the project, whatever foundry.toml says."""
    (root / "foundry.toml").write_text(PERMISSIONS)
    bench = make_bench(Project(str(root), ()))
    assert "not allowed" in reason(bench.raw("readFile(string)", "../outside.txt"))


@pytest.mark.parametrize(
    ("name", "text"),
    [("data/nothing", "there is no such file"), ("data/inner", "no such file"), ("data/raw.bin", "UTF-8")],
)
def test_what_cannot_be_read_is_named(files: Bench, name: str, text: str) -> None:
    """A revert as any other."""
    assert text in reason(files.raw("readFile(string)", name))


def test_without_permissions_the_output_folder_is_readable(tmp_path: Path) -> None:
    """Foundry's default, and nothing where there is no foundry.toml."""
    assert read_permissions(tmp_path) == ()
    (tmp_path / "foundry.toml").write_text('[profile.default]\nout = "build"\n')
    assert [(each.path, each.reads) for each in read_permissions(tmp_path)] == [(tmp_path / "build", True)]


@pytest.mark.parametrize("entry", ['"data"', '{ access = "all", path = "x" }', "{ access = true }", "{ access = [] }"])
def test_a_malformed_permission_is_refused(tmp_path: Path, entry: str) -> None:
    """With the file and the allowed form."""
    (tmp_path / "foundry.toml").write_text(f"[profile.default]\nfs_permissions = [{entry}]\n")
    with pytest.raises(CompileError, match=r"foundry\.toml: fs_permissions: .* must be such as"):
        read_permissions(tmp_path)
