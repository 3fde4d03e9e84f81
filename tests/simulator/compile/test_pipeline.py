"""From paths to a project: settings, units, cache, and errors that people can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from simulator.compile import CompilationFailed, ProcessResult, compile_targets
from simulator.errors import CompileError
from simulator.project import Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]


def compile_with(machine: Machine, *paths: Path, **changes: object) -> Project:
    return compile_targets(paths, msgspec.structs.replace(machine.options, **changes), run=machine)


def last_settings(machine: Machine) -> dict[str, Any]:
    settings = msgspec.json.decode(machine.inputs[-1])["settings"]
    assert isinstance(settings, dict)
    return settings


def names(project: Project) -> list[str]:
    return [each.full_name for each in project.contracts]


def test_a_second_run_starts_nothing(machine: Machine, project: Write) -> None:
    """The result is the same, and comes from the cache."""
    machine.install_node()
    root = project({"A.sol": 'pragma solidity ^0.8.0; import "./B.sol"; contract A {}', "B.sol": "contract B {}"})
    first = compile_with(machine, root / "A.sol")
    assert machine.names() == ["npm install", "node solc_runner.js"]
    started = len(machine.started)
    assert compile_with(machine, root / "A.sol") == first
    assert len(machine.started) == started
    assert names(first) == ["A.sol:A", "B.sol:B"]
    assert first.root == str(root.resolve())


def test_a_changed_import_is_compiled_again(machine: Machine, project: Write) -> None:
    """The cache knows every source by its text."""
    machine.install_solc("0.8.30")
    root = project({"A.sol": 'import "./B.sol";', "B.sol": "contract B {}"})
    compile_with(machine, root / "A.sol")
    project({"B.sol": "contract C {}"})
    assert names(compile_with(machine, root / "A.sol")) == ["B.sol:C"]


def test_a_damaged_cache_means_compiling_again(machine: Machine, project: Write) -> None:
    """Nobody notices but for the time."""
    machine.install_solc("0.8.30")
    root = project({"A.sol": "contract A {}"})
    first = compile_with(machine, root / "A.sol")
    for file in (machine.cache / "compiled").iterdir():
        file.write_bytes(b"rubbish")
    assert compile_with(machine, root / "A.sol") == first


def test_files_with_pragmas_that_conflict_become_units(machine: Machine, project: Write) -> None:
    """Each with the newest release that fits; a shared file's contracts are there once."""
    machine.install_node()
    shared = "pragma solidity >=0.6.0; contract S {}"
    root = project(
        {
            "A.sol": 'pragma solidity ^0.8.0; import "./S.sol"; contract A {}',
            "B.sol": 'pragma solidity 0.6.12; import "./S.sol"; contract B {}',
            "C.sol": "pragma solidity >=0.8.0 <0.8.20; contract C {}",
            "S.sol": shared,
        }
    )
    found = compile_with(machine, root)
    assert [(unit.compiler, [each.full_name for each in unit.contracts]) for unit in found.units] == [
        ("0.8.19", ["A.sol:A", "C.sol:C", "S.sol:S"]),
        ("0.6.12", ["B.sol:B"]),
    ]


def test_a_file_that_no_release_takes_is_a_diagnostic(machine: Machine, project: Write) -> None:
    """It names the pragmas that exclude each other."""
    machine.install_node()
    root = project({"A.sol": '\npragma solidity ^0.8.0; import "./B.sol";', "B.sol": "pragma solidity ^0.7.0;"})
    with pytest.raises(CompilationFailed) as caught:
        compile_with(machine, root / "A.sol")
    only = caught.value.diagnostics[0]
    assert (only.file, only.line) == (str(root / "A.sol"), 2)
    assert "A.sol: ^0.8.0; B.sol: ^0.7.0" in only.message


def test_a_pragma_of_a_compiler_that_is_too_old_is_a_diagnostic(machine: Machine, project: Write) -> None:
    """The oldest supported release is named."""
    machine.install_node()
    root = project({"A.sol": "pragma solidity 0.4.11;"})
    with pytest.raises(CompilationFailed, match=r"A\.sol:1:16: error: .* from 0\.4\.25 on"):
        compile_with(machine, root / "A.sol")


def test_a_pragma_that_cannot_be_read_is_a_diagnostic(machine: Machine, project: Write) -> None:
    """With file, line and an example of the allowed form."""
    root = project({"A.sol": "pragma solidity banana;"})
    with pytest.raises(CompilationFailed, match=r"A\.sol:1:16: error: 'banana' is not a version expression"):
        compile_with(machine, root / "A.sol")


@pytest.mark.parametrize(
    ("folder", "shown"), [(".", "src/A.sol"), ("src", "A.sol"), ("test", None), ("..", "project/src/A.sol")]
)
def test_diagnostics_lead_from_the_current_folder_to_the_file(
    machine: Machine, project: Write, monkeypatch: pytest.MonkeyPatch, folder: str, shown: str | None
) -> None:
    """Relative below it, else absolute, so that a terminal or an editor can open the file."""
    machine.install_solc("0.8.30")
    root = project({"src/A.sol": "contract A {\n  syntax error }", "test/B.sol": "", "foundry.toml": ""})
    monkeypatch.chdir(root / folder)
    expected = root / "src/A.sol" if shown is None else shown
    for target in (root, root / "src/A.sol"):
        with pytest.raises(CompilationFailed) as caught:
            compile_with(machine, target)
        assert str(caught.value).startswith(f"{expected}:2:3: error: bad")


def test_errors_of_the_compiler_are_diagnostics(machine: Machine, project: Write) -> None:
    """They are not cached."""
    machine.install_solc("0.8.30")
    root = project({"src/A.sol": "contract A {\n  syntax error }"})
    for _ in range(2):
        with pytest.raises(CompilationFailed, match=r"A\.sol:2:3: error: bad"):
            compile_with(machine, root / "src/A.sol")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (ProcessResult(1, b"", b"out of memory"), r"solc 0\.8\.30 ended without output: out of memory"),
        (ProcessResult(0, b"oops", b""), r"the output of solc 0\.8\.30 is not JSON"),
        (ProcessResult(0, b'{"contracts":{"A.sol":{"A":{}}},"sources":{}}', b""), "lacks a part"),
    ],
)
def test_a_compiler_that_breaks_is_an_error(
    machine: Machine, project: Write, result: ProcessResult, message: str
) -> None:
    """With its own last words."""
    machine.install_solc("0.8.30")
    root = project({"A.sol": "contract A {}"})
    compile_with(machine, root / "A.sol")
    project({"A.sol": "contract A { }"})
    machine.programs[str(machine.folder / "bin" / "solc")] = lambda *_: result
    with pytest.raises(CompileError, match=message):
        compile_with(machine, root / "A.sol")


def test_the_runner_can_cancel(machine: Machine, project: Write) -> None:
    """Whatever it raises comes out as it is."""

    class Cancelled(BaseException):
        pass

    def cancel(argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
        raise Cancelled

    root = project({"A.sol": "contract A {}"})
    machine.install_solc("0.8.30")
    with pytest.raises(Cancelled):
        compile_targets([root / "A.sol"], machine.options, run=cancel)


def test_arguments_become_settings(machine: Machine, project: Write) -> None:
    """Remappings among them are those of the compiler too."""
    machine.install_solc("0.8.30")
    root = project({"A.sol": 'import "x/B.sol";', "vendor/B.sol": "contract B {}"})
    arguments = ("--optimize --optimize-runs 9 --evm-version paris x/=vendor/",)
    found = compile_with(machine, root / "A.sol", solc_args=arguments)
    settings = last_settings(machine)
    assert settings["optimizer"] == {"enabled": True, "runs": 9}
    assert settings["remappings"] == ["x/=vendor/"]
    assert (settings["evmVersion"], found.units[0].evm_version) == ("paris", "paris")
    assert names(found) == ["vendor/B.sol:B"]


def test_without_a_network_a_fitting_compiler_of_this_machine_serves(machine: Machine, project: Write) -> None:
    """The newest release cannot be fetched, an older one was."""
    machine.install_node()
    root = project({"A.sol": "pragma solidity ^0.8.0; contract A {}"})
    compile_with(machine, root / "A.sol", solc_version="0.8.20")

    def fail(argv: Sequence[str], stdin: bytes) -> ProcessResult:
        return ProcessResult(1, b"", b"npm error network")

    machine.programs[str(machine.folder / "bin" / "npm")] = fail
    assert compile_with(machine, root / "A.sol").units[0].compiler == "0.8.20"
    with pytest.raises(CompileError, match=r"npm could not install solc@0\.7\.6 \(npm error network\)"):
        compile_with(machine, root / "A.sol", solc_version="0.7.6")


def test_a_library_may_be_given_by_its_name_alone(machine: Machine, project: Write) -> None:
    """As crytic-compile and solc's command line take it."""
    machine.install_solc("0.8.30")
    root = project({"A.sol": "library L { } contract A {}", "B.sol": "contract B {}"})
    compile_with(machine, root, solc_args=(f"--libraries L=0x{0xFF:040x}",))
    assert last_settings(machine)["libraries"] == {"A.sol": {"L": f"0x{0xFF:040x}"}}


def test_progress_tells_what_takes_time(machine: Machine, project: Write) -> None:
    """A few words for each process that may last; nothing when all is cached."""
    machine.install_node()
    root = project({"A.sol": "contract A {}"})
    told: list[str] = []
    for _ in range(2):
        compile_targets([root / "A.sol"], machine.options, run=machine, progress=told.append)
    assert told == ["solc 0.8.37 from npm", "1 file with solc 0.8.37"]
