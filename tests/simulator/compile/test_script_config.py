"""Hardhat's and Truffle's configurations decide what is compiled, by which release and with which settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from simulator.compile import ProcessResult, compile_targets
from simulator.compile.options import CompilerSettings
from simulator.compile.projects.script_config import load_script_config
from simulator.errors import PolicyRefused
from simulator.policy import Policy, agent_policy
from simulator.project import Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]
COMPILERS = """
module.exports = {
  paths: { sources: "./src" },
  solidity: {
    compilers: [
      { version: "0.8.21", settings: { viaIR: true, evmVersion: "london", optimizer: { enabled: true, runs: 9,
        details: { yul: false } }, metadata: { bytecodeHash: "none" }, debug: { revertStrings: "debug" } } },
      { version: "0.8.19" }, { version: "0.7.6" },
    ],
    overrides: { "src/O.sol": { version: "0.7.5", settings: { optimizer: { enabled: true } } } },
  },
};
"""
SOURCES = {
    "hardhat.config.js": COMPILERS,
    "src/A.sol": "pragma solidity ^0.8.0; contract A {}",
    "src/B.sol": 'pragma solidity >=0.7.0; import "./C.sol"; contract B {}',
    "src/C.sol": "pragma solidity <0.8.20; contract C {}",
    "src/O.sol": "pragma solidity ^0.7.0; contract O {}",
    "other/Broken.sol": "syntax error",
}


def compile_with(
    machine: Machine, *paths: Path, say: Callable[[str], None] | None = None, **changes: object
) -> Project:
    return compile_targets(paths, msgspec.structs.replace(machine.options, **changes), run=machine, say=say)


def releases(project: Project) -> dict[str, str]:
    return {each.name: unit.compiler for unit in project.units for each in unit.contracts}


def test_each_source_gets_the_release_and_the_settings_of_the_configuration(machine: Machine, project: Write) -> None:
    """As in Hardhat: its override, else the newest listed release that fits it and its imports."""
    machine.install_node()
    found = compile_with(machine, project(SOURCES))
    assert releases(found) == {"A": "0.8.21", "B": "0.8.19", "C": "0.8.19", "O": "0.7.5"}
    (first,) = (each for each in machine.inputs if b"A.sol" in each)
    settings: dict[str, Any] = msgspec.json.decode(first)["settings"]
    assert settings["viaIR"] is True
    assert settings["evmVersion"] == "london"
    assert settings["optimizer"] == {"enabled": True, "runs": 9, "details": {"yul": False}}
    assert settings["metadata"] == {"bytecodeHash": "none"}
    assert settings["debug"] == {"revertStrings": "debug"}


def test_code_ends_with_the_hash_that_the_project_s_own_builds_have(machine: Machine, project: Write) -> None:
    """Sources that compute addresses state hashes of such code."""
    machine.install_node()
    compile_with(machine, project(SOURCES))
    (second,) = (each for each in machine.inputs if b"B.sol" in each)
    assert "metadata" not in msgspec.json.decode(second)["settings"]


def test_a_single_file_of_the_project_is_compiled_with_its_settings(machine: Machine, project: Write) -> None:
    machine.install_node()
    assert releases(compile_with(machine, project(SOURCES) / "src/O.sol")) == {"O": "0.7.5"}


def test_a_release_by_hand_replaces_those_of_the_project(machine: Machine, project: Write) -> None:
    machine.install_node()
    found = compile_with(machine, project(SOURCES) / "src/A.sol", solc_version="0.8.25")
    assert found.units[0].compiler == "0.8.25"


def test_pragmas_choose_where_no_listed_release_fits(machine: Machine, project: Write) -> None:
    """And it is said."""
    machine.install_node()
    said: list[str] = []
    root = project({**SOURCES, "src/N.sol": "pragma solidity 0.6.12; contract N {}"})
    assert releases(compile_with(machine, root, say=said.append))["N"] == "0.6.12"
    assert said == ["src/N.sol: no compiler of hardhat.config.js (0.8.21, 0.8.19, 0.7.6) fits; the pragmas choose"]


def test_what_cannot_be_read_is_said(machine: Machine, project: Write) -> None:
    machine.install_node()
    said: list[str] = []
    config = 'export default { solidity: { version: pick(), settings: s }, paths: { sources: "c" } }'
    root = project({"hardhat.config.ts": config, "c/A.sol": "contract A {}"})
    compile_with(machine, root, say=said.append)
    assert said == [
        "hardhat.config.ts: not read, as only running it tells: solidity.version (pick()); --solc-version and "
        "--solc-args say it"
    ]


def test_hardhat_compiles_for_paris_unless_it_is_told_otherwise(project: Write) -> None:
    """Hardhat 2, for releases from 0.8.20 on."""
    file = project({"hardhat.config.js": 'module.exports = { solidity: ["0.8.19", "0.8.20"] }'}) / "hardhat.config.js"
    builds = load_script_config(file).toolchain.builds
    assert [each.settings.evm_version for each in builds] == [None, "paris"]
    project({"node_modules/hardhat/package.json": '{"version": "3.0.1"}'})
    assert load_script_config(file).toolchain.builds[1].settings.evm_version is None


@pytest.mark.parametrize("folder", ["/etc", "../other"])
def test_a_configuration_names_no_folders_outside_of_the_project(project: Write, folder: str) -> None:
    text = f'module.exports = {{ paths: {{ sources: "{folder}" }} }}'
    root = project({"hardhat.config.js": text})
    for policy in (Policy(), agent_policy([root])):
        with pytest.raises(PolicyRefused, match="paths"):
            load_script_config(root / "hardhat.config.js", policy)


def test_truffle_projects_are_compiled_as_truffle_does(machine: Machine, project: Write) -> None:
    machine.install_node()
    config = """module.exports = { contracts_directory: "./c", compilers: { solc: { version: "^0.6.0",
      settings: { optimizer: { enabled: true, runs: 5 } } } } }"""
    root = project({"truffle-config.js": config, "c/A.sol": "contract A {}"})
    assert compile_with(machine, root).units[0].compiler == "0.6.12"
    assert load_script_config(root / "truffle-config.js").toolchain.settings == CompilerSettings(
        optimizer=True, optimizer_runs=5
    )


def build_info(machine: Machine, root: Path, names: Sequence[str], version: str = "0.8.18") -> None:
    sources = {name: {"content": (root / name).read_text()} for name in names}
    compiler = machine.folder / "recorded"
    machine.install_solc(version, compiler)
    text = msgspec.json.encode({"sources": sources})
    output = machine.programs[str(compiler)]([str(compiler), "--standard-json"], text).stdout
    file = root / "artifacts/build-info/1.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    document = {"input": {"sources": sources, "settings": {}}, "solcVersion": version}
    file.write_bytes(msgspec.json.encode({**document, "output": msgspec.json.decode(output)}))


ALL = ("src/A.sol", "src/B.sol", "src/C.sol", "src/O.sol")


def test_fresh_artifacts_of_hardhat_are_taken(machine: Machine, project: Write) -> None:
    """No compiler is needed; with older ones than the sources, it is."""
    root = project(SOURCES)
    os.utime(root / "hardhat.config.js", (1, 1))
    build_info(machine, root, ALL)
    assert compile_with(machine, root).units[0].compiler == "0.8.18"
    assert machine.started == []
    machine.install_node()
    (root / "src/A.sol").write_text("pragma solidity ^0.8.0; contract A2 {}")
    assert releases(compile_with(machine, root))["A2"] == "0.8.21"


def test_hardhat_compiles_a_trusted_project_where_it_is_installed(machine: Machine, project: Write) -> None:
    """Without trust one sentence says so, and the sources are compiled all the same."""
    root = project({**SOURCES, "node_modules/.bin/hardhat": ""})
    os.utime(root / "hardhat.config.js", (1, 1))
    machine.install_node()

    def npx(argv: Sequence[str], _: bytes) -> ProcessResult:
        assert list(argv[1:]) == ["--no-install", "hardhat", "compile"]
        build_info(machine, root, ALL)
        return ProcessResult(0, b"", b"")

    machine.install(machine.folder / "bin" / "npx", npx)
    said: list[str] = []
    assert releases(compile_with(machine, root, say=said.append))["A"] == "0.8.21"
    assert said == ["compiled without Hardhat, which would run the project's scripts; --trust-project lets it"]
    trusted = compile_with(machine, root, policy=Policy(trusts_project=True))
    assert releases(trusted)["A"] == "0.8.18"
