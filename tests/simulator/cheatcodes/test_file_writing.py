"""Files of the project: what may be written, and what becomes of it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.cheatcodes.documents.toml_text import toml_text
from simulator.cheatcodes.handlers import supported
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED
from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

PERMISSIONS = """[profile.default]
fs_permissions = [{ access = "read", path = "./" }, { access = "read-write", path = "results" }]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a folder that may be written, and a link out of it."""
    folder = tmp_path / "project"
    (folder / "results").mkdir(parents=True)
    (folder / "foundry.toml").write_text(PERMISSIONS)
    (folder / "results/link").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest.fixture
def files(root: Path, make_bench: Callable[..., Any]) -> Bench:
    bench: Bench = make_bench(Project(str(root), ()))
    return bench


def test_files_are_written(files: Bench, root: Path) -> None:
    """As a whole, as bytes, by lines and as copies."""
    files.vm("writeFile(string,string)", "results/a.txt", "one\n")
    files.vm("writeLine(string,string)", "results/a.txt", "two")
    files.vm("writeLine(string,string)", "results/new.txt", "only")
    files.vm("writeFileBinary(string,bytes)", "results/b.bin", b"\xff\0")
    assert files.vm("copyFile(string,string)", "results/a.txt", "results/c.txt") == 8
    written = {path.name: path.read_bytes() for path in (root / "results").iterdir() if not path.is_symlink()}
    assert written == {"a.txt": b"one\ntwo\n", "new.txt": b"only\n", "b.bin": b"\xff\0", "c.txt": b"one\ntwo\n"}
    metadata = files.vm("fsMetadata(string)", "results/b.bin")
    assert isinstance(metadata, tuple)
    assert metadata[:3] == (False, False, 2)


def test_a_file_that_is_removed_is_read_from_its_first_line_again(files: Bench) -> None:
    """Also when another one takes its place."""
    files.vm("writeFile(string,string)", "results/a.txt", "one\ntwo")
    files.vm("readLine(string)", "results/a.txt")
    files.vm("removeFile(string)", "results/a.txt")
    assert files.vm("exists(string)", "results/a.txt") is False
    files.vm("writeFile(string,string)", "results/a.txt", "three")
    assert files.vm("readLine(string)", "results/a.txt") == "three"


def test_folders_are_made_and_removed(files: Bench, root: Path) -> None:
    """With what is around or in them only when that is asked for."""
    assert "failed to create dir" in reason(files.raw("createDir(string,bool)", "results/x/y", False))
    files.vm("createDir(string,bool)", "results/x/y", True)
    files.vm("createDir(string,bool)", "results/x/y", True)
    assert (root / "results/x/y").is_dir()
    assert "failed to remove dir" in reason(files.raw("removeDir(string,bool)", "results/x", False))
    files.vm("removeDir(string,bool)", "results/x", True)
    assert not (root / "results/x").exists()


@pytest.mark.parametrize("name", ["other.txt", "results/../other.txt", "../x.txt", "results/link", "/tmp/x", "."])
def test_nothing_else_is_written(files: Bench, root: Path, name: str) -> None:
    """Outside of the allowed folder, of the project, or behind a link: that is not supported, and told once."""
    before = sorted(root.parent.rglob("*"))
    for signature, last in (("writeFile(string,string)", "x"), ("createDir(string,bool)", True)):
        assert not files.raw(signature, name, last).success
        assert files.machine.context.rejected == REJECTED_AS_UNSUPPORTED
    assert sorted(root.parent.rglob("*")) == before
    assert len(files.warnings) == 1
    assert "is not allowed to be accessed for write operations" in files.warnings[0]


def test_the_configuration_is_never_written(files: Bench, root: Path) -> None:
    """Even where everything may be: it says what may be."""
    (root / "results/foundry.toml").write_text("x")
    assert reason(files.raw("writeFile(string,string)", "results/foundry.toml", "")).endswith("is not allowed")


PROTECTED = (
    *(
        "foundry.toml",
        "FOUNDRY.TOML",
        "Foundry.Toml",
        "foundry.toml.",
        "foundry.toml ",
        "foundry.toml. .",
        "x/../foundry.toml",
    ),
    *(
        "\uff46oundry.toml",
        "found\u200bry.toml",
        "foundry\u2024toml",
        "foundry.toml\ufeff",
        "foundry.toml::$DATA",
        "FOUNDR~1.TOM",
    ),
    *(
        "link.toml",
        "hard.toml",
        "folder/foundry.toml",
        "new/foundry.toml",
        ".env",
        ".ENV",
        ".git/hooks/post-checkout",
        ".Git/config",
    ),
    *("GIT~1/config", "folder/.git", ".g\u200dit/config"),
)
WRITING = {
    "writeFile(string,string)": lambda name: (name, "x"),
    "writeFileBinary(string,bytes)": lambda name: (name, b"x"),
    "writeLine(string,string)": lambda name: (name, "x"),
    "copyFile(string,string)": lambda name: ("copied.txt", name),
    "removeFile(string)": lambda name: (name,),
    "createDir(string,bool)": lambda name: (name, True),
    "removeDir(string,bool)": lambda name: (name, True),
    "writeJson(string,string)": lambda name: ("{}", name),
    "writeJson(string,string,string)": lambda name: ("1", name, ".a"),
    "writeToml(string,string)": lambda name: ("{}", name),
    "writeToml(string,string,string)": lambda name: ("1", name, ".a"),
}


@pytest.fixture
def open_project(tmp_path: Path, make_bench: Callable[..., Any]) -> Bench:
    """A project whose contracts may write everywhere in it, with other names for its configuration."""
    root = tmp_path / "open"
    (root / "folder").mkdir(parents=True)
    (root / ".git/hooks").mkdir(parents=True)
    text = '[profile.default]\nfs_permissions = [{ access = "read-write", path = "./" }]\n'
    for name in ("foundry.toml", "folder/foundry.toml"):
        (root / name).write_text(text)
    (root / "link.toml").symlink_to("foundry.toml")
    (root / "hard.toml").hardlink_to(root / "foundry.toml")
    (root / "copied.txt").write_text("x")
    (tmp_path / "elsewhere.txt").write_text("mine")
    (root / "hard.txt").hardlink_to(tmp_path / "elsewhere.txt")
    bench: Bench = make_bench(Project(str(root), ()))
    return bench


def contents(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_cheatcode_that_writes_is_tried_here() -> None:
    """A new one is held against the protected names, too."""
    verbs = ("write", "copy", "remove", "createDir", "rename", "move", "delete", "append", "save")
    others = {"removeSlot", "copyStorage(address,address)"}
    found = {
        each.signature
        for each in supported().values()
        if each.signature.startswith(verbs) and "string" in each.signature
    }
    assert found - set(WRITING) - others == set()


@pytest.mark.parametrize("signature", WRITING)
def test_a_protected_name_is_written_in_no_form(open_project: Bench, tmp_path: Path, signature: str) -> None:
    """Whatever a file system may take for the configuration, for .env or for .git, by whatever cheatcode."""
    before = contents(tmp_path)
    for name in PROTECTED:
        assert not open_project.raw(signature, *WRITING[signature](name)).success, name
    assert contents(tmp_path) == before
    assert not (tmp_path / "open/new").exists()


def test_a_folder_around_a_protected_name_is_not_removed(open_project: Bench, tmp_path: Path) -> None:
    """Neither is a file of another name outside of the project written."""
    assert "foundry.toml` is not allowed" in reason(open_project.raw("removeDir(string,bool)", "folder", True))
    assert "other names" in reason(open_project.raw("writeFile(string,string)", "hard.txt", "x"))
    assert (tmp_path / "elsewhere.txt").read_text() == "mine"
    open_project.vm("writeFile(string,string)", ".gitignore", "x")
    open_project.vm("writeFile(string,string)", "foundry.toml.txt", "x")


def test_files_have_a_limit(files: Bench) -> None:
    """A MiB, also by lines."""
    assert "more than" in reason(files.raw("writeFile(string,string)", "results/a", "x" * ((1 << 20) + 1)))
    files.vm("writeFile(string,string)", "results/a", "x" * (1 << 20))
    assert "more than" in reason(files.raw("writeLine(string,string)", "results/a", ""))


def test_json_is_written(files: Bench, root: Path) -> None:
    """Whole documents, single values, and texts where the value is no JSON."""
    files.vm("writeJson(string,string)", '{"b":1,"a":{"x":"y"},"c":1.5}', "results/j.json")
    files.vm("writeJson(string,string,string)", "42", "results/j.json", ".a.x")
    files.vm("writeJson(string,string,string)", "text", "results/j.json", "$.new['key']")
    found = json.loads((root / "results/j.json").read_text())
    assert found == {"b": 1, "a": {"x": 42}, "c": 1.5, "new": {"key": "text"}}
    for key in ("", ".b.c", ".a[0]"):
        assert repr(key) in reason(files.raw("writeJson(string,string,string)", "1", "results/j.json", key))


TOML = """a = 1
i = 1.5
j = 'q"uote'

[b]
c = "x"
d = [
    1,
    2,
]

[b.e]
f = true

[[g]]
h = 1

[[g]]
h = 2
"""


def test_toml_is_written_as_forge_lays_it_out(files: Bench, root: Path) -> None:
    """From JSON; single values too."""
    text = '{"a":1,"b":{"c":"x","d":[1,2],"e":{"f":true}},"g":[{"h":1},{"h":2}],"i":1.5,"j":"q\\"uote"}'
    files.vm("writeToml(string,string)", text, "results/x.toml")
    assert (root / "results/x.toml").read_text() == TOML
    files.vm("writeToml(string,string,string)", "7", "results/x.toml", ".b.c")
    assert (root / "results/x.toml").read_text() == TOML.replace('"x"', "7")
    for wrong in ("[1]", "5", '{"a":null}'):
        assert "vm.writeToml" in reason(files.raw("writeToml(string,string)", wrong, "results/y.toml"))


TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(document=st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_as_toml_reads_the_same(document: dict[str, Any]) -> None:
    """Whatever the names and texts are."""
    assert tomllib.loads(toml_text(document)) == document
