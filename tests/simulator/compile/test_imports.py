"""Imports are followed through folders, libraries and remappings, and never out of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.sources.imports import SearchPath, SourceGraph, load_sources
from simulator.compile.sources.remappings import Remapping, apply_remappings
from simulator.errors import CompileError
from simulator.policy import Policy


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def load(root: Path, *names: str, **search: object) -> SourceGraph:
    return load_sources([root / name for name in names], SearchPath(root.resolve(), **search))  # type: ignore[arg-type]


def assert_solc_agrees(graph: SourceGraph) -> None:
    """With the graph's remappings every import leads solc to the unit that was loaded for it."""
    for unit in graph.units.values():
        for path, target in unit.imports:
            assert apply_remappings(graph.remappings, unit.name, path) == target


def test_relative_imports_are_followed(tmp_path: Path) -> None:
    """Names are paths from the root, each file is one unit."""
    write(
        tmp_path,
        {"src/A.sol": 'import "./sub/B.sol";', "src/sub/B.sol": 'import "../C.sol";', "src/C.sol": 'import "./A.sol";'},
    )
    graph = load(tmp_path, "src/A.sol")
    assert graph.roots == ("src/A.sol",)
    assert set(graph.units) == {"src/A.sol", "src/sub/B.sol", "src/C.sol"}
    assert graph.closure("src/sub/B.sol") == set(graph.units)
    assert_solc_agrees(graph)


@pytest.mark.parametrize(
    ("library", "path"),
    [
        ("node_modules/@oz/contracts/T.sol", "@oz/contracts/T.sol"),
        ("node_modules/solady/src/T.sol", "solady/src/T.sol"),
        ("lib/forge-std/src/T.sol", "forge-std/T.sol"),
        ("lib/oz/contracts/T.sol", "oz/T.sol"),
        ("lib/solmate/src/T.sol", "solmate/src/T.sol"),
        ("lib/outer/lib/inner/src/T.sol", "inner/T.sol"),
        ("src/T.sol", "src/T.sol"),
        ("test/T.sol", "T.sol"),
    ],
)
def test_libraries_are_found_without_remappings(tmp_path: Path, library: str, path: str) -> None:
    """node_modules, lib with src or contracts, libraries of libraries, the root, and the importing folder."""
    write(tmp_path, {"test/A.sol": f'import "{path}";', library: ""})
    graph = load(tmp_path, "test/A.sol")
    assert library in graph.units
    assert_solc_agrees(graph)


def test_a_library_finds_its_own_libraries_first(tmp_path: Path) -> None:
    """The same import means another file inside of a library that brings its own copy."""
    write(
        tmp_path,
        {
            "src/A.sol": 'import "dep/D.sol"; import "lib/outer/src/O.sol";',
            "lib/dep/src/D.sol": "",
            "lib/outer/src/O.sol": 'import "own/P.sol"; import "src/Q.sol";',
            "lib/outer/remappings.txt": "own/=private/\n",
            "lib/outer/private/P.sol": "",
            "lib/outer/src/Q.sol": "",
        },
    )
    graph = load(tmp_path, "src/A.sol")
    assert {"lib/outer/private/P.sol", "lib/outer/src/Q.sol", "lib/dep/src/D.sol"} <= set(graph.units)
    assert_solc_agrees(graph)


def test_remappings_of_a_library_serve_the_root(tmp_path: Path) -> None:
    """As with forge, `@oz/` of a library's remappings.txt works in the project that uses it."""
    write(
        tmp_path,
        {
            "src/A.sol": 'import "@oz/contracts/T.sol";',
            "lib/oz-contracts/remappings.txt": "@oz/contracts/=contracts/",
            "lib/oz-contracts/contracts/T.sol": "",
        },
    )
    graph = load(tmp_path, "src/A.sol")
    assert "lib/oz-contracts/contracts/T.sol" in graph.units
    assert_solc_agrees(graph)


def test_given_remappings_come_before_what_is_found(tmp_path: Path) -> None:
    """A remapping decides also when a library of the same name exists."""
    write(tmp_path, {"A.sol": 'import "dep/D.sol";', "lib/dep/src/D.sol": "", "vendor/D.sol": ""})
    graph = load(tmp_path, "A.sol", remappings=(Remapping("dep/", "vendor/"),))
    assert set(graph.units) == {"A.sol", "vendor/D.sol"}
    assert_solc_agrees(graph)


def test_one_package_may_be_found_in_two_places(tmp_path: Path) -> None:
    """Imports that need different folders for one prefix still lead solc to the right files."""
    write(
        tmp_path,
        {"A.sol": 'import "p/X.sol"; import "p/Y.sol";', "lib/p/src/X.sol": "", "lib/p/contracts/Y.sol": ""},
    )
    graph = load(tmp_path, "A.sol")
    assert set(graph.units) == {"A.sol", "lib/p/src/X.sol", "lib/p/contracts/Y.sol"}
    assert_solc_agrees(graph)


def test_a_package_found_later_does_not_change_what_was_found_before(tmp_path: Path) -> None:
    """`p/X.sol` stays the file of the root although `p/` of another import is in a library."""
    files = {"A.sol": 'import "p/X.sol"; import "./B.sol";', "B.sol": 'import "p/Y.sol";', "p/X.sol": ""}
    write(tmp_path, {**files, "lib/p/src/Y.sol": ""})
    graph = load(tmp_path, "A.sol")
    assert set(graph.units) == {"A.sol", "B.sol", "p/X.sol", "lib/p/src/Y.sol"}
    assert_solc_agrees(graph)


def test_a_missing_import_is_a_diagnostic_at_its_line(tmp_path: Path) -> None:
    """All missing imports are reported at once, each with file, line and column."""
    write(tmp_path, {"A.sol": '\nimport "./gone.sol";\nimport {X} from "pkg/none.sol";\n'})
    with pytest.raises(CompilationFailed) as caught:
        load(tmp_path, "A.sol")
    places = [(each.file, each.line, each.column) for each in caught.value.diagnostics]
    assert places == [("A.sol", 2, 8), ("A.sol", 3, 17)]
    assert "gone.sol" in str(caught.value)
    assert "is not found" in str(caught.value)


@pytest.mark.parametrize("path", ["../secret.sol", "/etc/hostname", "link.sol"])
def test_an_import_cannot_leave_the_project(tmp_path: Path, path: str) -> None:
    """Neither dots, nor an absolute path, nor a symbolic link lead outside."""
    root = tmp_path / "project"
    write(tmp_path, {"secret.sol": "contract Secret {}", "project/A.sol": f'import "{path}";'})
    (root / "link.sol").symlink_to(tmp_path / "secret.sol")
    with pytest.raises(CompilationFailed) as caught:
        load(root, "A.sol")
    assert "leads outside" in str(caught.value)
    assert "Secret" not in str(caught.value)


def test_an_allowed_folder_outside_of_the_project_can_be_imported(tmp_path: Path) -> None:
    """`--allow-paths` opens what is otherwise closed."""
    write(tmp_path, {"shared/S.sol": "", "project/A.sol": 'import "../shared/S.sol";'})
    graph = load(tmp_path / "project", "A.sol", allowed=(tmp_path.resolve() / "shared",))
    assert set(graph.units) == {"A.sol", (tmp_path.resolve() / "shared/S.sol").as_posix()}
    assert_solc_agrees(graph)


def test_what_a_refused_import_advises_allows_it(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(tmp_path, {"shared/S.sol": "", "project/A.sol": 'import "../shared/S.sol";'})
    with pytest.raises(CompilationFailed) as caught:
        load(root, "A.sol")
    advised = caught.value.diagnostics[0].message.partition("--allow-paths ")[2].partition(" ")[0]
    assert len(load(root, "A.sol", allowed=(Path(advised),)).units) == 2
    assert len(load(root, "A.sol", policy=Policy(trusts_project=True)).units) == 2


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    """The message names the file and the byte."""
    (tmp_path / "A.sol").write_bytes(b"contract \xff {}")
    with pytest.raises(CompileError, match=r"A\.sol: not UTF-8 text at byte 9"):
        load(tmp_path, "A.sol")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("@oz/contracts/T.sol", "is not found: install it with npm or forge, or give a remapping"),
        ("hardhat/console.sol", "is not found: install it with npm or forge, or give a remapping"),
        ("mapped/T.sol", "is not found; a remapping leads to lib/nowhere/T.sol"),
        ("src/T.sol", "is not found"),
        ("T.sol", "is not found"),
        ("./oz/T.sol", "is not found"),
    ],
)
def test_a_missing_package_comes_with_advice(tmp_path: Path, path: str, message: str) -> None:
    """Files of the project itself are just missing; a remapping that leads nowhere is shown."""
    write(tmp_path, {"src/A.sol": f'import "{path}";'})
    with pytest.raises(CompilationFailed) as caught:
        load(tmp_path, "src/A.sol", remappings=(Remapping("mapped/", "lib/nowhere/"),))
    assert caught.value.diagnostics[0].message == f'import "{path}" {message}'
