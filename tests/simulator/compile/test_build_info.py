"""Build-info of Foundry and Hardhat needs no compiler when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from simulator.compile import CompilationFailed, compile_targets
from simulator.errors import CompileError
from simulator.project import Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]
RECORDED = Path(__file__).with_name("recorded") / "solc-0.8.30.json"


def compile_with(machine: Machine, *paths: Path) -> Project:
    return compile_targets(paths, machine.options, run=machine)


def document(**changes: object) -> dict[str, Any]:
    found: dict[str, Any] = {**msgspec.json.decode(RECORDED.read_bytes()), **changes}
    return {key: value for key, value in found.items() if value is not None}


def write(folder: Path, value: object, name: str = "info.json") -> Path:
    file = folder / name
    file.write_bytes(msgspec.json.encode(value))
    return file


def test_complete_output_is_read_without_a_compiler(machine: Machine, tmp_path: Path) -> None:
    """Sources, constants and the compiler's version are there."""
    found = compile_with(machine, write(tmp_path, document(solcLongVersion="0.8.30+commit.1")))
    assert machine.started == []
    assert found.units[0].compiler == "0.8.30"
    assert {each.name for each in found.contracts} == {"Base", "C", "I", "Lib", "Unused"}
    assert found.units[0].sources[0].content.startswith("pragma")


def test_the_output_of_hardhat_3_stands_beside_the_input(machine: Machine, tmp_path: Path) -> None:
    """As `<id>.output.json`."""
    file = write(tmp_path, document(output=None), "solc-x.json")
    write(tmp_path, {"output": document()["output"]}, "solc-x.output.json")
    assert len(compile_with(machine, file).contracts) == 5
    assert machine.started == []


def test_the_fork_is_the_one_of_the_input(machine: Machine, tmp_path: Path) -> None:
    """Its settings decide, not the compiler's default."""
    given = document()["input"] | {"settings": {"evmVersion": "london"}}
    assert compile_with(machine, write(tmp_path, document(input=given))).units[0].evm_version == "london"


@pytest.mark.parametrize("output", [None, {"contracts": {"C.sol": {"C": {"abi": []}}}, "sources": {}}])
def test_incomplete_output_is_made_again_from_the_input(
    machine: Machine, tmp_path: Path, output: dict[str, Any] | None
) -> None:
    """With the release that the file names, once."""
    machine.install_node()
    given = document()["input"] | {"settings": {"compilationTarget": {"C.sol": "C"}, "remappings": ["a=b"]}}
    file = write(tmp_path, document(output=output, input=given))
    for _ in range(2):
        assert compile_with(machine, file).units[0].compiler == "0.8.30"
    assert machine.names() == ["npm install", "node solc_runner.js"]
    text = msgspec.json.decode(machine.inputs[-1])
    assert set(text) == {"language", "sources", "settings"}
    assert set(text["settings"]) == {"remappings", "outputSelection"}


def test_bare_standard_json_input_is_compiled_by_its_pragmas(machine: Machine, tmp_path: Path) -> None:
    """The newest release that fits."""
    machine.install_node()
    assert compile_with(machine, write(tmp_path, document()["input"])).units[0].compiler == "0.8.37"


def test_several_files_are_one_project(machine: Machine, tmp_path: Path) -> None:
    """A contract that comes in both is there once."""
    files = [write(tmp_path, document(), "a.json"), write(tmp_path, document(id="other"), "b.json")]
    found = compile_with(machine, *files)
    assert len(found.units) == 2
    assert len(found.contracts) == 5


def test_errors_in_the_output_are_diagnostics(machine: Machine, tmp_path: Path) -> None:
    """The build had failed."""
    output = {"errors": [{"severity": "error", "message": "wrong"}]}
    with pytest.raises(CompilationFailed, match="wrong"):
        compile_with(machine, write(tmp_path, document(output=output)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], r"info\.json is not a JSON object"),
        ({"abi": []}, r"info\.json: not a build-info file"),
        ({"input": {"sources": {"A.sol": {"urls": ["x"]}}}}, r"info\.json: the source A\.sol has no content"),
        ({"input": {"sources": {"A.sol": {"content": "pragma solidity 0.3.0;"}}}}, "no release of Solidity satisfies"),
    ],
)
def test_other_json_is_an_error(machine: Machine, tmp_path: Path, value: object, message: str) -> None:
    """The message names the file and what is missing."""
    with pytest.raises(CompileError, match=message):
        compile_with(machine, write(tmp_path, value))
