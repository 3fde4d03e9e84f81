"""A campaign compiles what it needs; what it does not need cannot stop it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from simulator.compile import CompilationFailed, ProcessResult, choose_contract, compile_targets
from simulator.compile.options import CompileOptions
from simulator.errors import CompileError, TargetError
from simulator.policy import agent_policy
from simulator.project import Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]
FILES = {
    "src/A.sol": 'import "./B.sol"; contract A {}',
    "src/B.sol": "contract B {}",
    "src/Broken.sol": "contract Broken {\n syntax error }",
    "src/Needs.sol": 'import "./Broken.sol"; contract Needs {}',
    "src/Lost.sol": 'import "./gone.sol"; contract Lost {}',
    "src/Old.sol": "pragma solidity banana; contract Old {}",
    "src/Text.sol": "contract Text {}",
}


def compile_with(
    machine: Machine, *paths: Path, say: Callable[[str], None] | None = None, **changes: object
) -> Project:
    options: CompileOptions = msgspec.structs.replace(machine.options, **changes)
    return compile_targets(paths, options, run=machine, say=say)


def names(project: Project) -> set[str]:
    return {each.name for each in project.contracts}


def test_sources_that_do_not_compile_are_left_out_and_named(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    root = project(FILES)
    (root / "src/Text.sol").write_bytes(b"\xff")
    said: list[str] = []
    assert names(compile_with(machine, root, say=said.append)) == {"A", "B"}
    (only,) = said
    assert only.startswith("left out, since they do not compile: ")
    for part in (
        "src/Broken.sol (line 2: bad)",
        "src/Needs.sol (src/Broken.sol:2: bad)",
        "src/Lost.sol",
        "src/Old.sol",
    ):
        assert part in only


def test_a_broken_file_that_was_named_itself_is_an_error(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    root = project(FILES)
    with pytest.raises(CompilationFailed, match=r"Broken\.sol:2:2: error: bad"):
        compile_with(machine, root / "src/A.sol", root / "src/Broken.sol")


def test_only_what_the_contract_needs_is_compiled(machine: Machine, project: Write) -> None:
    """Nothing is said of broken files, as nobody reads them."""
    machine.install_solc("0.8.30")
    said: list[str] = []
    found = compile_with(machine, project(FILES), contracts=("A",), say=said.append)
    assert names(found) == {"A", "B"}
    assert list(msgspec.json.decode(machine.inputs[-1])["sources"]) == ["src/A.sol", "src/B.sol"]
    assert said == []


def test_a_contract_that_needs_a_broken_file_is_an_error(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    with pytest.raises(CompilationFailed, match=r"Broken\.sol:2:2: error: bad"):
        compile_with(machine, project(FILES), contracts=("src/Needs.sol:Needs",))


def test_an_unknown_contract_is_an_error_before_anything_is_compiled(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    with pytest.raises(TargetError, match=r"no contract 'Neds' in the target; did you mean Needs\?"):
        compile_with(machine, project({"A.sol": "contract Needs {}"}), contracts=("Neds",))
    assert machine.inputs == []


def test_a_contract_of_an_import_can_be_named(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    root = project({"src/A.sol": 'import "dep/D.sol"; contract A {}', "lib/dep/D.sol": "contract D {}"})
    assert names(compile_with(machine, root / "src/A.sol", contracts=("D",))) == {"D"}


def test_a_contract_beside_the_sources_of_a_project_can_be_named(machine: Machine, project: Write) -> None:
    """Of a project all files are looked through, those outside of its folders last."""
    machine.install_solc("0.8.30")
    root = project({"foundry.toml": "", "src/A.sol": "contract A {}", "fuzz/F.sol": "contract F {}"})
    assert names(compile_with(machine, root, contracts=("F",))) == {"F"}


def test_what_the_contract_asks_cheatcodes_for_is_compiled_with_it(machine: Machine, project: Write) -> None:
    machine.install_solc("0.8.30")
    root = project(
        {
            "A.sol": 'contract A { function f() public { vm.getCode("T.sol:T"); deployCode("U.sol"); } }',
            "T.sol": "contract T {}",
            "U.sol": "contract U {}",
            "V.sol": "contract V {}",
        }
    )
    assert names(compile_with(machine, root, contracts=("A",))) == {"A", "T", "U"}


def test_the_contract_is_never_taken_from_an_import(machine: Machine, project: Write) -> None:
    """Although its name comes first."""
    machine.install_solc("0.8.30")
    root = project({"T.sol": 'import "./A.sol"; contract T {}', "A.sol": "contract A {}"})
    assert choose_contract(compile_with(machine, root / "T.sol")).contract.name == "T"
    project({"T.sol": 'import "./A.sol";'})
    with pytest.raises(TargetError, match=r"T\.sol: no contract of its own .* A\.sol:A: choose one with --contract"):
        choose_contract(compile_with(machine, root / "T.sol"))


def test_a_relative_import_may_lead_to_a_folder_beside_the_users_own(
    machine: Machine, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one repository, or one folder above where there is none; for agents it stays refused."""
    machine.install_solc("0.8.30")
    files = {"repo/x/a/A.sol": 'import "../../b/E.sol"; contract A {}', "repo/b/E.sol": "contract E {}"}
    root = project(files)
    folder = root / "repo/x/a"
    monkeypatch.chdir(folder)
    with pytest.raises(CompilationFailed, match=r"leads outside of .*--allow-paths .*repo/b"):
        compile_with(machine, Path("A.sol"))
    assert names(compile_with(machine, Path("A.sol"), allow_paths=(root / "repo/b",))) == {"A", "E"}
    (root / "repo/.git").mkdir()
    assert names(compile_with(machine, Path("A.sol"))) == {"A", "E"}
    with pytest.raises(CompileError):
        compile_with(machine, Path("A.sol"), policy=agent_policy([folder]))


def refusing(machine: Machine, versions: Sequence[str]) -> None:
    """Compilers of these releases refuse every source."""
    play = machine.programs[str(machine.folder / "bin" / "node")]

    def node(argv: Sequence[str], stdin: bytes) -> ProcessResult:
        if argv[-1] != "--version" and any(f"/{version}/" in argv[2] for version in versions):
            location = {"file": "A.sol", "start": 0, "end": 1}
            error = {"severity": "error", "message": "new", "sourceLocation": location}
            return ProcessResult(0, msgspec.json.encode({"errors": [error]}), b"")
        return play(argv, stdin)

    machine.programs[str(machine.folder / "bin" / "node")] = node


def test_a_source_that_the_newest_release_refuses_is_tried_with_older_ones(machine: Machine, project: Write) -> None:
    """The newest of each minor version that its pragmas allow; what takes it is said."""
    machine.install_node()
    refusing(machine, ("0.8.37", "0.7.6"))
    said: list[str] = []
    found = compile_with(machine, project({"A.sol": "contract A {}"}) / "A.sol", say=said.append)
    assert found.units[0].compiler == "0.6.12"
    assert said == [
        "A.sol: compiled with solc 0.6.12; the newest release that their pragmas allow refuses them; --solc-version "
        "decides"
    ]


def test_a_source_that_no_release_takes_keeps_the_error_of_the_newest(machine: Machine, project: Write) -> None:
    machine.install_node()
    refusing(machine, ("0.8.37", "0.7.6", "0.6.12", "0.5.17", "0.4.26"))
    with pytest.raises(CompilationFailed, match="error: new"):
        compile_with(machine, project({"A.sol": "contract A {}"}) / "A.sol")


def test_many_sources_are_shared_out(machine: Machine, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """To as many runs as there are cores; progress says which part is done."""
    machine.install_solc("0.8.30")
    monkeypatch.setattr("simulator.compile.source_compilation.os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    root = project({f"F{index:02}.sol": f"contract C{index} {{}}" for index in range(20)})
    told: list[str] = []
    found = compile_targets([root], machine.options, run=machine, progress=told.append)
    assert len(found.contracts) == 20
    assert len(found.units) == 2
    assert told == ["20 files with solc 0.8.30, 0 %", "20 files with solc 0.8.30, 49 %"]


def test_a_release_that_is_nowhere_to_be_had_is_replaced_by_its_neighbour(machine: Machine, project: Write) -> None:
    """Which reads the sources without their pragmas, at the same places; it is said with what runs the right one."""
    machine.install_node()
    machine.holds["0.8.1"] = "0.8.0"
    machine.missing.add("solc@0.8.1-fixed")
    said: list[str] = []
    source = "/* pragma */ pragma solidity 0.8.1; contract A {}"
    found = compile_with(machine, project({"A.sol": source}) / "A.sol", say=said.append)
    assert found.units[0].compiler == "0.8.2"
    assert found.units[0].sources[0].content == source
    (content,) = (each["content"] for each in msgspec.json.decode(machine.inputs[-1])["sources"].values())
    assert content == source.replace("pragma solidity 0.8.1;", " " * 22)
    (only,) = said
    assert only.startswith("npm package solc@0.8.1 holds 0.8.0: solc 0.8.2 compiles, against the pragmas; --solc PATH")
