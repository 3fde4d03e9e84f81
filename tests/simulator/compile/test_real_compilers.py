"""Real compilers of every generation, fetched with npm, compile real sources."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from simulator.compile import CompilationFailed, CompileOptions, compile_targets
from simulator.compile.projects.linking import libraries_of, link
from simulator.compile.projects.matching import CodeMatcher
from simulator.compile.solc.npm import node_executable
from simulator.files.user_folders import user_cache_folder
from simulator.policy import Policy
from simulator.project import Contract, Project

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(node_executable() is None, reason="needs Node, which runs npm's builds of solc"),
]

OLD = "pragma solidity ^0.{minor}.0;\n"
SOURCE = """
import "./lib/Library.sol";
contract Base { uint y = 4242; }
contract Main is Base {
    int constant NEG = -12345;
    address constant OWNER = 0xdAC17F958D2ee523a2206206994597C13D831ec7;
    bytes32 constant ROLE = keccak256("ROLE");
    function f(uint x) public returns (uint) { y = x; return Library.g(x) + 2**200; }
    function echidna_ok() public view returns (bool) { return y != 1e18; }
}
"""
LIBRARY = "library Library { function g(uint x) public pure returns (uint) { return x * 31337; } }\n"


@pytest.fixture
def options(tmp_path: Path) -> Iterator[CompileOptions]:
    """Results are not kept, fetched compilers are."""
    shared = user_cache_folder() / "solc"
    shared.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "solc").symlink_to(shared)
    yield CompileOptions(cache_directory=tmp_path / "cache")
    (tmp_path / "cache" / "solc").unlink()


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root / "project"


def by_name(project: Project, name: str) -> Contract:
    return next(each for each in project.contracts if each.name == name)


@pytest.mark.parametrize("version", ["0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.30"])
def test_each_generation_compiles_contracts_libraries_and_constants(
    tmp_path: Path, options: CompileOptions, version: str
) -> None:
    """The release follows from the pragma `X.Y.Z`, links and constants are read, code is recognised."""
    pragma = f"pragma solidity {version};\n"
    root = write(tmp_path, {"Main.sol": pragma + SOURCE, "lib/Library.sol": pragma + LIBRARY})
    project = compile_targets([root / "Main.sol"], options)
    main, library = by_name(project, "Main"), by_name(project, "Library")
    assert project.units[0].compiler == version
    assert (main.full_name, library.full_name) == ("Main.sol:Main", "lib/Library.sol:Library")
    assert (main.kind, library.kind) == ("contract", "library")
    assert libraries_of(main, project) == (library,)
    constants = {(each.type, each.value) for each in main.constants}
    assert {
        ("int", "-12345"),
        ("uint", "31337"),
        ("uint", "4242"),
        ("uint", str(2**200)),
        ("uint", str(10**18)),
    } <= constants
    assert ("address", "0xdac17f958d2ee523a2206206994597c13d831ec7") in constants
    deployed = link(main.runtime_code, main.runtime_links, {library.full_name: 0x12 << 152})
    assert CodeMatcher(project).match(deployed, creation=False) == main
    assert CodeMatcher(project).match(main.creation_code + bytes(32), creation=True) == main
    assert main.runtime_source_map.count(";") > 50


@pytest.mark.parametrize("version", ["0.4.26", "0.8.30"])
def test_errors_name_file_line_and_column(tmp_path: Path, options: CompileOptions, version: str) -> None:
    """Old and new compilers alike; characters count, not bytes."""
    text = f"pragma solidity {version};\ncontract A {{ /* é */ uint x = y; }}\n"
    root = write(tmp_path, {"src/A.sol": text, "foundry.toml": ""})
    with pytest.raises(CompilationFailed) as caught:
        compile_targets([root / "src/A.sol"], options)
    first = next(each for each in caught.value.diagnostics if each.severity == "error")
    assert (first.file, first.line, first.column) == (str(root / "src/A.sol"), 2, 31)


@pytest.mark.parametrize("version", ["0.5.17", "0.8.30"])
def test_the_compiler_agrees_on_every_import(tmp_path: Path, options: CompileOptions, version: str) -> None:
    """Packages, nested packages, files above the root, and two folders for one package."""
    files = {
        "p/src/A.sol": """import "@oz/contracts/T.sol"; import "forge-std/S.sol"; import "pkg/X.sol";
            import "pkg/Y.sol"; import "../../shared/U.sol"; import "inner/I.sol"; import "./sub/../B.sol";
            contract A is T, X, Y, U, I, B {}""",
        "p/src/B.sol": "contract B {}",
        "p/node_modules/@oz/contracts/T.sol": 'import "../utils/V.sol"; contract T is V {}',
        "p/node_modules/@oz/utils/V.sol": "contract V {}",
        "p/lib/forge-std/src/S.sol": 'import "inner/I.sol"; contract S is I {}',
        "p/lib/forge-std/lib/inner/src/I.sol": "contract I {}",
        "p/lib/pkg/src/X.sol": 'import "src/Z.sol"; contract X is Z {}',
        "p/lib/pkg/src/Z.sol": "contract Z {}",
        "p/lib/pkg/contracts/Y.sol": "contract Y {}",
        "shared/U.sol": 'import "./W.sol"; contract U is W {}',
        "shared/W.sol": "contract W {}",
        "p/package.json": "{}",
    }
    root = write(tmp_path, files)
    settings = {"solc_version": version, "solc_args": ("--allow-paths", str(root / "shared"))}
    project = compile_targets([root / "p/src/A.sol"], CompileOptions(cache_directory=options.cache, **settings))  # type: ignore[arg-type]
    assert {each.name for each in project.contracts} == set("ABTVSIXYZUW")


def test_immutables_and_the_via_ir_pipeline(tmp_path: Path, options: CompileOptions) -> None:
    """Holes for immutables are where the code has zeros."""
    text = "pragma solidity 0.8.30; contract A { uint public immutable x; constructor(uint a) { x = a; } }"
    root = write(tmp_path, {"A.sol": text})
    for arguments in ((), ("--via-ir", "--optimize")):
        project = compile_targets([root / "A.sol"], CompileOptions(cache_directory=options.cache, solc_args=arguments))
        code, holes = project.contracts[0].runtime_code, project.contracts[0].immutables
        assert holes
        assert all(code[start : start + length] == bytes(length) for start, length in holes)


@pytest.mark.skipif(shutil.which("forge") is None, reason="needs forge")
def test_forge_builds_a_project(tmp_path: Path, options: CompileOptions) -> None:
    """The real forge, with npm's compiler behind a script; without it the result has the same contracts."""
    compiler = options.cache / "solc" / "0.8.30" / "soljson.js"
    compile_targets([write(tmp_path, {"x/X.sol": "pragma solidity 0.8.30;"}) / "x/X.sol"], options)
    runner = Path(compile_targets.__code__.co_filename).with_name("solc") / "solc_runner.js"
    version = "Version: 0.8.30+commit.73712a01.Linux.g++"
    script = f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit 0\nexec node {runner} {compiler}\n'
    toml = '[profile.default]\nsolc = "./solc"\n'
    root = write(tmp_path, {"foundry.toml": toml, "solc": script, "src/A.sol": "pragma solidity ^0.8.0; contract A {}"})
    (root / "solc").chmod(0o755)
    assert subprocess.run([str(root / "solc"), "--version"], check=True, capture_output=True).stdout
    told: list[str] = []
    trusting = msgspec.structs.replace(options, policy=Policy(trusts_project=True))
    project = compile_targets([root], trusting, progress=told.append)
    assert told == ["forge build"]
    assert [each.full_name for each in project.contracts] == ["src/A.sol:A"]
