"""Vyper files are compiled with the release that their pragmas name, where it is installed or may be fetched."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from simulator.compile import CompilationFailed, ProcessResult, compile_targets
from simulator.compile.projects.targets import VyperFiles, classify_targets
from simulator.compile.vyper.compilers import version_ranges
from simulator.coverage.declarations import scan_vyper_declarations
from simulator.errors import CompileError
from simulator.project import Constant, Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]
TREE = {
    "ast_type": "Module",
    "body": [
        {"ast_type": "Int", "value": 1000},
        {"ast_type": "Hex", "value": "0x" + "Ab" * 20},
        {"ast_type": "Str", "value": "big"},
    ],
}


def answer(stdin: bytes) -> dict[str, Any]:
    given = msgspec.json.decode(stdin)
    sources = {name: {"id": number, "ast": TREE} for number, name in enumerate(given["sources"])}
    code = {"object": "0x6001", "sourceMap": {"pc_pos_map_compressed": "0:1:0:-"}}
    layout = {"code_layout": {"OWNER": {"offset": 0, "length": 32}, "module": {"X": {"offset": 32, "length": 32}}}}
    contract = {"abi": [], "layout": layout, "evm": {"bytecode": code, "deployedBytecode": code}}
    wanted = given["settings"]["outputSelection"]
    return {"sources": sources, "contracts": {name: {Path(name).stem: contract} for name in wanted}}


def install(machine: Machine, path: Path, version: str, output: dict[str, Any] | None = None) -> None:
    def play(argv: Sequence[str], stdin: bytes) -> ProcessResult:
        if argv[-1] == "--version":
            return ProcessResult(0, f"{version}+commit.1\n".encode(), b"")
        return ProcessResult(0, msgspec.json.encode(answer(stdin) if output is None else output), b"")

    machine.install(path, play)


@pytest.fixture(autouse=True)
def nothing_installed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(machine.folder / "own" / "python"))


def compile_with(machine: Machine, *paths: Path, **changes: object) -> Project:
    return compile_targets(paths, msgspec.structs.replace(machine.options, **changes), run=machine)


def test_a_vyper_file_becomes_a_contract(machine: Machine, project: Write) -> None:
    """With the space of its immutables behind the code, its source map and its constants; a second run is cached."""
    install(machine, machine.folder / "bin" / "vyper-json", "0.4.3")
    root = project(
        {"A.vy": "# pragma version ~=0.4.0\nimport b\nfrom ethereum.ercs import IERC20\n", "b.vy": "", "c.vy": ""}
    )
    found = compile_with(machine, root / "A.vy")
    (contract,) = found.contracts
    assert (contract.full_name, contract.kind, found.units[0].compiler) == ("A.vy:A", "contract", "vyper 0.4.3")
    assert (contract.runtime_code, contract.immutables) == (b"\x60\x01" + bytes(64), ((2, 64),))
    assert contract.runtime_source_map == "0:1:0:-"
    assert contract.constants == (
        Constant("uint", "1000"),
        Constant("address", "0x" + "ab" * 20),
        Constant("string", "0x626967"),
    )
    assert list(msgspec.json.decode(machine.inputs[-1])["sources"]) == ["A.vy", "b.vy"]
    assert found.named_sources == ("A.vy",)
    started = len(machine.started)
    assert compile_with(machine, root / "A.vy") == found
    assert [argv[-1] for argv in machine.started[started:]] == ["--version"]


def test_errors_of_vyper_are_diagnostics(machine: Machine, project: Write) -> None:
    error = {
        "severity": "error",
        "message": "No type named 'u'",
        "formattedMessage": "x\n line 2:3 \n",
        "type": "Unknown",
    }
    output = {"errors": [{**error, "sourceLocation": {"file": "A.vy"}}]}
    install(machine, machine.folder / "bin" / "vyper-json", "0.4.3", output)
    with pytest.raises(CompilationFailed, match=r"A\.vy:2:4: error: No type named 'u' \[Unknown\]"):
        compile_with(machine, project({"A.vy": "\nx: u\n"}) / "A.vy")


def test_a_missing_release_is_fetched_only_where_the_user_says_so(machine: Machine, project: Write) -> None:
    """Into an environment of its own, from wheels; a failure leaves nothing behind."""
    install(machine, machine.folder / "bin" / "vyper-json", "0.4.3")
    root = project({"A.vy": "# @version ==0.3.10\n"})
    with pytest.raises(CompileError, match=r"installed: 0\.4\.3\): --fetch-vyper fetches vyper==0\.3\.10 from PyPI"):
        compile_with(machine, root / "A.vy")
    place = machine.cache / "vyper" / "0.3.10"

    def python(argv: Sequence[str], _: bytes) -> ProcessResult:
        if "download" in argv:
            assert argv[argv.index("--only-binary") + 1] == ":all:"
        if "venv" in argv:
            install(machine, place / "bin" / "python", "")
            machine.programs[str(place / "bin" / "python")] = pip
        return ProcessResult(0, b"", b"")

    def pip(argv: Sequence[str], _: bytes) -> ProcessResult:
        assert "--no-index" in argv
        if machine.missing:
            return ProcessResult(1, b"", b"ERROR: no wheel\n")
        install(machine, place / "bin" / "vyper-json", "0.3.10")
        return ProcessResult(0, b"", b"")

    machine.install(machine.folder / "own" / "python", python)
    machine.missing.add("vyper")
    with pytest.raises(CompileError, match=r"vyper==0\.3\.10 cannot be fetched: ERROR: no wheel"):
        compile_with(machine, root / "A.vy", may_fetch_vyper=True)
    assert not place.exists()
    machine.missing.clear()
    assert compile_with(machine, root / "A.vy", may_fetch_vyper=True).units[0].compiler == "vyper 0.3.10"
    assert compile_with(machine, root / "A.vy").units[0].compiler == "vyper 0.3.10"


@pytest.mark.parametrize(
    ("pragma", "allowed", "refused"),
    [
        ("# @version 0.3.10", (0, 3, 10), (0, 3, 9)),
        ("# @version ^0.3.7", (0, 3, 10), (0, 4, 0)),
        ("#pragma version ~=0.4.0", (0, 4, 3), (0, 5, 0)),
        ("# pragma version >=0.3.8,<0.4", (0, 3, 9), (0, 4, 0)),
    ],
)
def test_pragmas_are_read_in_both_spellings(
    pragma: str, allowed: tuple[int, int, int], refused: tuple[int, int, int]
) -> None:
    (found,) = version_ranges([f"{pragma}\n\nx: uint256\n"])
    assert found.allows(allowed)
    assert not found.allows(refused)


def test_folders_of_vyper_alone_are_targets(project: Write) -> None:
    root = project({"A.vy": "", "sub/B.vy": "", "c.vyi": ""})
    assert classify_targets([root]) == VyperFiles(root, (root / "A.vy", root / "sub/B.vy"))
    with pytest.raises(CompileError, match="cannot be combined"):
        classify_targets([root / "A.vy", project({"D.sol": ""}) / "D.sol"])


def test_functions_of_vyper_end_where_the_next_line_begins() -> None:
    text = (
        b"@external\ndef f(a: uint256,\n  b: (uint256, bool)) -> bool:\n    x = 1\n\n    return True\n# end\nX: uint8\n"
    )
    (found,) = scan_vyper_declarations(text, "c").functions
    assert (found.name, found.start) == ("f", text.index(b"def"))
    assert found.has_statement(text.index(b"x = 1"), text.index(b"x = 1") + 5)
    assert not found.has_statement(text.index(b"X: "), text.index(b"X: ") + 3)
