"""Paths that a user points at are recognised, or refused with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.compile.projects.targets import BuildInfoFiles, FoundryProject, SolidityFiles, classify_targets
from simulator.errors import CompileError


def touch(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")


def test_a_folder_is_all_its_sources_without_libraries(tmp_path: Path) -> None:
    """Libraries, build products and hidden folders are left out; the order is fixed."""
    touch(*(tmp_path / name for name in ("b/B.sol", "A.sol", "lib/L.sol", "node_modules/N.sol", ".git/G.sol", "x.txt")))
    target = classify_targets([tmp_path])
    assert target == SolidityFiles(tmp_path.resolve(), (tmp_path.resolve() / "A.sol", tmp_path.resolve() / "b/B.sol"))


def test_what_a_campaign_wrote_is_no_source(tmp_path: Path) -> None:
    """A corpus folder below the target holds Foundry tests; the next campaign must not compile them."""
    kept = ("A.sol", "foundry/F.sol")
    touch(*(tmp_path / name for name in (*kept, "corpus/foundry/Test.a.sol", "corpus/reproducers/1.txt")))
    assert classify_targets([tmp_path]) == SolidityFiles(
        tmp_path.resolve(), tuple(tmp_path.resolve() / name for name in kept)
    )


def test_a_folder_or_file_of_foundry_is_its_project(tmp_path: Path) -> None:
    """Both the folder and its foundry.toml may be named."""
    touch(tmp_path / "foundry.toml")
    expected = FoundryProject(tmp_path.resolve())
    assert classify_targets([tmp_path]) == expected
    assert classify_targets([tmp_path / "foundry.toml"]) == expected


def test_json_files_are_build_info(tmp_path: Path) -> None:
    """Several may be given."""
    touch(tmp_path / "a.json", tmp_path / "b.json")
    files = (tmp_path.resolve() / "a.json", tmp_path.resolve() / "b.json")
    assert classify_targets([tmp_path / "a.json", tmp_path / "b.json"]) == BuildInfoFiles(files)


@pytest.mark.parametrize(
    ("marker", "file", "root"),
    [
        ("foundry.toml", "src/deep/A.sol", "."),
        ("package.json", "contracts/A.sol", "."),
        ("sub/remappings.txt", "sub/src/A.sol", "sub"),
        ("unrelated.txt", "p/src/fuzz/A.sol", "p"),
        ("unrelated.txt", "p/q/A.sol", "p/q"),
    ],
)
def test_the_root_is_the_project_around_a_file(tmp_path: Path, marker: str, file: str, root: str) -> None:
    """The nearest folder with a project's file; else the file's folder, or the one above its source folder."""
    touch(tmp_path / marker, tmp_path / file)
    target = classify_targets([tmp_path / file])
    assert isinstance(target, SolidityFiles)
    assert target.root == (tmp_path / root).resolve()


def test_the_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stray package.json there would make everything below it one project."""
    touch(tmp_path / "package.json", tmp_path / "p/A.sol")
    monkeypatch.setattr(Path, "home", lambda: tmp_path.resolve())
    target = classify_targets([tmp_path / "p/A.sol"])
    assert isinstance(target, SolidityFiles)
    assert target.root == (tmp_path / "p").resolve()


def test_the_current_folder_is_the_root_of_files_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with solc, when nothing else looks like a project."""
    touch(tmp_path / "deep/er/A.sol")
    monkeypatch.chdir(tmp_path)
    target = classify_targets([Path("deep/er/A.sol")])
    assert isinstance(target, SolidityFiles)
    assert target.root == tmp_path.resolve()


def test_what_cannot_be_a_target_is_an_error(tmp_path: Path) -> None:
    """Each message names the path and the reason."""
    touch(tmp_path / "a.txt", tmp_path / "p/foundry.toml", tmp_path / "A.sol")
    (tmp_path / "empty").mkdir()
    cases = {
        "no target": [],
        "no such file": [tmp_path / "gone.sol"],
        r"not a \.sol or \.vy file": [tmp_path / "a.txt"],
        "no .sol file in this folder": [tmp_path / "empty"],
        "cannot be combined": [tmp_path / "p", tmp_path / "A.sol"],
    }
    for message, paths in cases.items():
        with pytest.raises(CompileError, match=message):
            classify_targets(paths)


def test_what_is_no_regular_file_is_no_source(tmp_path: Path) -> None:
    """Pipes, links that lead nowhere, folders and the lock files of editors are passed over, not waited for."""
    touch(tmp_path / "A.sol", tmp_path / ".#A.sol")
    os.mkfifo(tmp_path / "pipe.sol")
    (tmp_path / "nowhere.sol").symlink_to("missing")
    (tmp_path / "circle.sol").symlink_to("circle.sol")
    (tmp_path / "folder.sol").mkdir()
    assert classify_targets([tmp_path]) == SolidityFiles(tmp_path.resolve(), (tmp_path.resolve() / "A.sol",))


def test_a_folder_that_is_not_utf_8_is_left_out_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources below it are named from there, as compilers take names as UTF-8 alone."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path.resolve() / os.fsdecode(b"\xff")
    touch(folder / "A.sol")
    assert classify_targets([folder / "A.sol"]) == SolidityFiles(
        folder, (folder / "A.sol",), frozenset((folder / "A.sol",))
    )
