"""Projects that ask for more than they may: over a server's own tools, and at the command line.

Outside of the project lie a secret, a program that leaves a mark when it runs, and a node that counts who asks it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import Client, StdioServerParameters

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from orchestrator.agents.server_settings import server_settings
from orchestrator.campaign import ProgramPorts
from orchestrator.command_line.entry import run
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.resolve import resolve
from orchestrator.failures import ExitCode
from tests.support.campaign_program import FAKE_WORKER
from tests.support.fake_chain import FakeChain, serve
from tests.support.patience import PATIENCE, until
from tools.serving.facade import Facade

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
SECRET = "TOP-SECRET-5d1f0c"
CONTRACT = """pragma solidity ^0.8.0;
contract C {
    uint256 public x;
    function set(uint256 value) public { x = value; }
    function echidna_ok() public pure returns (bool) { return true; }
}
"""
SCRIPT = json.dumps({"seconds_per_frame": 0.002, "falsify": {}})
FILES = {"src/C.sol": CONTRACT, "foundry.toml": ""}


@dataclass
class Field:
    """A project in a folder of its own, and what lies beside it."""

    project: Path
    outside: Path
    node: FakeChain

    def write(self, files: dict[str, str]) -> None:
        """Make files of the project. `->` begins the target of a link; `{outside}` and `{node}` are put in."""
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = text.replace("{outside}", str(self.outside)).replace("{node}", self.node.url)
            if text.startswith("->"):
                path.symlink_to(text.removeprefix("->"))
            else:
                path.write_text(text)

    def check_untouched(self) -> None:
        """Nothing ran, nothing was asked, nothing was written outside."""
        assert not (self.outside / "mark").exists()
        assert self.node.requests == []
        assert sorted(path.name for path in self.outside.iterdir()) == self.before

    def __post_init__(self) -> None:
        self.before = sorted(path.name for path in self.outside.iterdir())


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Field]:
    outside, project = tmp_path / "outside", tmp_path / "project"
    (outside / "src").mkdir(parents=True)
    project.mkdir()
    for name in ("secret.txt", "secret.sol", "src/Other.sol"):
        (outside / name).write_text(f"{SECRET} is no Solidity\n")
    (outside / "info.json").write_text(json.dumps({"input": {"sources": {SECRET: {"content": SECRET}}}}))
    program = outside / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {outside}/mark\necho 'Version: 0.8.30+commit.1'\n")
    program.chmod(0o755)
    (project / "evil.sh").write_text(program.read_text())
    (project / "evil.sh").chmod(0o755)
    monkeypatch.chdir(project)
    with serve(FakeChain()) as node:
        yield Field(project, outside, node)


@asynccontextmanager
async def served(**keys: object) -> AsyncIterator[tuple[Facade, Server, CampaignHost]]:
    """A server whose clients begin campaigns with real compilers. `keys` are set on its command line."""
    own = {"campaignDeadline": 60_000, "buildRuns": "../runs", "workers": 1, "indexTarget": False, **keys}
    layers = [flag_layer({key: (f"--{key}", value) for key, value in own.items()})]
    server = Server(server_settings(resolve(layers).configuration))
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            worker = ProgramPorts(worker_command=(sys.executable, str(FAKE_WORKER), SCRIPT))
            host = CampaignHost(server, layers, worker, nursery)
            async with server.open(host.start) as facade:
                yield facade, server, host
                await host.end()
            nursery.cancel_scope.cancel()


async def ask(facade: Facade, tool: str, **arguments: object) -> str:
    return (await facade.dispatcher.call(tool, arguments)).text


async def everything_said(facade: Facade, server: Server, host: CampaignHost, arguments: dict[str, Any]) -> str:
    """Begin a campaign, wait until it fuzzes or has failed, and ask for all that a client may see."""
    said = [await ask(facade, "start_campaign", **arguments)]
    await until(lambda: not host.busy or (server.access.parts and server.access.parts.campaign.status().calls))
    if host.busy:
        said.append("FUZZING")
    said += [await ask(facade, tool) for tool in ("status", "target", "read_logs", "show_coverage", "list_findings")]
    for each in json.loads(await ask(facade, "run_list")).get("runs", ()):
        said += [
            await ask(facade, "run_raw", runId=each["runId"]),
            await ask(facade, "run_status", runId=each["runId"]),
        ]
    return "\n".join(said)


HERE = {"paths": ["."]}
YAML = {"paths": ["."], "config": "echidna.yaml"}
ATTACKS: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "a compiler elsewhere": ({"foundry.toml": '[profile.default]\nsolc = "{outside}/evil.sh"\n'}, HERE, "solc"),
    "a compiler of the project": ({"foundry.toml": '[profile.default]\nsolc = "./evil.sh"\n'}, HERE, "solc"),
    "a compiler by name": ({"foundry.toml": '[profile.default]\nsolc = "evil.sh"\n'}, HERE, "solc"),
    "a compiler as a version": ({"foundry.toml": '[profile.default]\nsolc_version = "./evil.sh"\n'}, HERE, "solc"),
    "a compiler of another profile": (
        {"foundry.toml": '[profile.default]\nsolc = "../outside/evil.sh"\n[profile.ci]\nsrc = "s"\n'}, HERE, "solc",
    ),
    "sources elsewhere": ({"foundry.toml": '[profile.default]\nsrc = "{outside}"\n'}, HERE, "src"),
    "tests above": ({"foundry.toml": '[profile.default]\ntest = "../outside"\n'}, HERE, "test"),
    "artifacts elsewhere": ({"foundry.toml": '[profile.default]\nout = "{outside}"\n'}, HERE, "out"),
    "libraries elsewhere": ({"foundry.toml": '[profile.default]\nlibs = ["../.."]\n'}, HERE, "libs"),
    "sources through a link": ({"foundry.toml": '[profile.default]\nsrc = "s"\n', "s": "->{outside}/src"}, HERE, "src"),
    "a linked source": ({"src/S.sol": "->{outside}/secret.txt"}, HERE, "the source src/S.sol"),
    "a linked source that is one": ({"src/S.sol": "->{outside}/secret.sol"}, HERE, "the source src/S.sol"),
    "a linked target": ({"S.sol": "->{outside}/secret.txt"}, {"paths": ["S.sol"]}, "outside the allowed roots"),
    "a linked configuration": ({"echidna.yaml": "->{outside}/secret.txt"}, YAML, "outside the allowed roots"),
    "linked remappings": ({"remappings.txt": "->{outside}/secret.txt"}, HERE, "remappings.txt"),
    "a linked foundry.toml": ({"foundry.toml": "->{outside}/secret.txt"}, HERE, "foundry.toml"),
    "an absolute import": ({"src/C.sol": 'import "{outside}/secret.sol";\n' + CONTRACT}, HERE, "is not found"),
    "an import of anything": ({"src/C.sol": 'import "/etc/passwd";\n' + CONTRACT}, HERE, "is not found"),
    "an import from above": ({"src/C.sol": 'import "../../outside/secret.sol";\n' + CONTRACT}, HERE, "is not found"),
    "an import through a link": (
        {"lib/x": "->{outside}", "src/C.sol": 'import "x/secret.sol";\n' + CONTRACT}, HERE, "is not found",
    ),
    "an import through a remapping": (
        {"remappings.txt": "x/={outside}/\n", "src/C.sol": 'import "x/secret.sol";\n' + CONTRACT}, HERE, "is not found",
    ),
    "an include path": ({"echidna.yaml": "solcArgs: --include-path {outside}\n"}, YAML, "--include-path"),
    "a short include path": ({"echidna.yaml": "solcArgs: -I={outside}\n"}, YAML, "--include-path"),
    "allowed paths": ({"echidna.yaml": "solcArgs: --allow-paths /\n"}, YAML, "--allow-paths"),
    "a base path": ({"echidna.yaml": "solcArgs: --base-path ../outside\n"}, YAML, "--base-path"),
    "an unknown argument": ({"echidna.yaml": "solcArgs: --model-checker-engine all\n"}, YAML, "is not understood"),
    "a node": ({"echidna.yaml": "rpcUrl: {node}/key\n"}, YAML, "--mcp-allow-rpc"),
    "a node beside an allowed one": ({"echidna.yaml": "rpcUrl: http://127.0.0.1:9,{node}\n"}, YAML, "--mcp-allow-rpc"),
    "metadata of a cloud": ({"echidna.yaml": "rpcUrl: http://169.254.169.254/\n"}, YAML, "--mcp-allow-rpc"),
    "a solc of the configuration": ({"echidna.yaml": "solcPath: ./evil.sh\n"}, YAML, "solcPath"),
    "programs": ({"echidna.yaml": "allowFFI: true\n"}, YAML, "allowFFI"),
    "trust": ({"echidna.yaml": "trustProject: true\n"}, YAML, "trustProject"),
    "a node allowed by itself": ({"echidna.yaml": "mcpAllowRpc: ['{node}']\nrpcUrl: '{node}'\n"}, YAML, "mcpAllowRpc"),
    "other roots": ({"echidna.yaml": "mcpRoots: [/]\n"}, YAML, "mcpRoots"),
    "the memory of code": ({"echidna.yaml": "codebaseMemory: {outside}/memory\n"}, YAML, "codebaseMemory"),
    "a token file": ({"echidna.yaml": "mcpTokenFile: {outside}/tokens\n"}, YAML, "mcpTokenFile"),
    "a corpus elsewhere": ({"echidna.yaml": "corpusDir: {outside}/corpus\n"}, YAML, "corpusDir"),
    "reports above": ({"echidna.yaml": "coverageDir: ../outside/reports\n"}, YAML, "coverageDir"),
    "a linked corpus": ({"corpus": "->{outside}"}, {**HERE, "corpusDir": "corpus"}, "outside the allowed roots"),
    "linked events": ({"corpus/events.jsonl": "->{outside}/new"}, {**HERE, "corpusDir": "corpus"}, "events.jsonl"),
    "a linked lock": ({"corpus/.lock": "->{outside}/new"}, {**HERE, "corpusDir": "corpus"}, ".lock"),
    "linked coverage": ({"corpus/coverage": "->{outside}"}, {**HERE, "corpusDir": "corpus"}, "coverage"),
    "a linked artifact": ({"b.json": "->{outside}/info.json"}, {"paths": ["b.json"]}, "outside the allowed roots"),
    "sources in an artifact by address": (
        {"b.json": '{"input": {"sources": {"a.sol": {"urls": ["{outside}/secret.sol"]}}}}'}, {"paths": ["b.json"]},
        "has no content",
    ),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_client_does_not_get_past_its_roots(field: Field, attack: str):
    """The refusal names the key, nothing ran, nothing was asked, and no answer holds a word of what lies outside."""
    files, arguments, named = ATTACKS[attack]
    field.write({**FILES, **files})
    async with served() as (facade, server, host):
        said = await everything_said(facade, server, host, arguments)
        assert "FUZZING" not in said
    assert named in said
    assert SECRET not in said
    assert "internal error" not in said.lower().replace('"internal_error"', "")
    field.check_untouched()


async def test_programs_of_the_current_folder_are_not_taken_for_those_of_path(
    field: Field, monkeypatch: pytest.MonkeyPatch
):
    """Neither is forge asked to build, which runs what foundry.toml names."""
    field.write(FILES)
    for folder, name in ((field.project, "solc"), (field.project, "node"), (field.outside, "forge")):
        (folder / name).write_text((field.outside / "evil.sh").read_text())
        (folder / name).chmod(0o755)
    field.before.append("forge")
    field.before.sort()
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", str(field.outside), os.environ["PATH"])))
    async with served() as (facade, server, host):
        said = await everything_said(facade, server, host, HERE)
        assert "FUZZING" in said, said
    field.check_untouched()


async def test_an_allowed_node_is_asked(field: Field):
    """By its scheme, host and port; its path may hold a key of the client's."""
    field.write({**FILES, "echidna.yaml": "rpcUrl: {node}/key\n"})
    async with served(mcpAllowRpc=(field.node.url,)) as (facade, server, host):
        await everything_said(facade, server, host, YAML)
    assert field.node.requests


async def test_artifacts_that_lie_are_compiled_again(field: Field):
    """An artifact says that its source stands outside; nobody tells whether that is so."""
    secret = (field.outside / "secret.sol").read_text()
    info = {"input": {"sources": {"../outside/secret.sol": {"content": secret}}}, "solcVersion": "0.8.30", "output": {}}
    field.write({**FILES, "out/build-info/a.json": json.dumps(info), "out/build-info/b.json": "->{outside}/info.json"})
    async with served() as (facade, server, host):
        said = await everything_said(facade, server, host, HERE)
        assert "FUZZING" in said, said
    assert SECRET not in said


async def test_a_compiler_of_the_tools_reads_nothing_outside_either(field: Field, monkeypatch: pytest.MonkeyPatch):
    """Where no solc is on PATH, ours takes its place: for links, imports and options as in a campaign."""
    field.write(
        {"S.sol": "->{outside}/secret.sol", "I.sol": 'import "{outside}/secret.sol";\n' + CONTRACT, "C.sol": CONTRACT}
    )
    async with served() as (facade, _, _):
        for args in (["S.sol"], ["I.sol"], ["C.sol", f"--include-path={field.outside}"], ["C.sol", "--base-path=.."]):
            said = await ask(facade, "solc_compile", args=args)
            assert SECRET not in said
            assert '"success":true' not in said, said
        assert '"success":true' in await ask(facade, "solc_compile", args=["C.sol"])
    field.check_untouched()


@pytest.mark.nightly
async def test_the_same_holds_for_the_program_on_stdio(field: Field):
    """A server as clients start it, with real workers: refused, refused, and begun."""
    evil = '[profile.default]\nsolc = "{outside}/evil.sh"\n'
    field.write({**FILES, "evil/foundry.toml": evil, "evil/src/C.sol": CONTRACT, "S.sol": "->{outside}/secret.sol"})
    field.write({"node.yaml": "rpcUrl: {node}\n"})
    arguments = ["-m", "orchestrator", "mcp", "--workers", "1"]
    environment = {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(field.project.parent / "data")}
    program = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(field.project), env=environment)
    async with Client(program) as client:

        async def said(tool: str, **values: object) -> str:
            return (await client.call_tool(tool, values)).content[0].text

        async def until(tool: str, text: str) -> None:
            with trio.fail_after(PATIENCE):
                while not re.search(text, await said(tool)):  # noqa: ASYNC110 - another process brings it about
                    await trio.sleep(0.05)

        assert "outside the allowed roots" in await said("start_campaign", paths=["S.sol"])
        assert "--mcp-allow-rpc" in await said("start_campaign", paths=["src"], config="node.yaml")
        await said("start_campaign", paths=["evil"])
        await until("target", r"evil/foundry\.toml: solc: names a program")
        await said("start_campaign", paths=["src/C.sol"], callLimit=1000)
        await until("status", r'"calls":[1-9]')
    field.check_untouched()


AT_THE_COMMAND_LINE: dict[str, tuple[dict[str, str], list[str], str]] = {
    "a compiler elsewhere": (
        {"foundry.toml": '[profile.default]\nsolc = "{outside}/evil.sh"\n'}, [], "--trust-project",
    ),
    "a compiler of the project": ({"foundry.toml": '[profile.default]\nsolc = "./evil.sh"\n'}, [], "--solc"),
    "sources elsewhere": ({"foundry.toml": '[profile.default]\nsrc = "{outside}"\n'}, [], "--trust-project"),
    "a linked source that is none": ({"src/S.sol": "->{outside}/secret.txt"}, [], "--trust-project"),
    "an import of anything": (
        {"foundry.toml": '[profile.default]\nlibs = ["/etc"]\n', "src/C.sol": 'import "/etc/passwd";\n' + CONTRACT}, [],
        "--trust-project",
    ),
    "linked remappings": ({"remappings.txt": "->{outside}/secret.txt"}, [], "--trust-project"),
    "a linked foundry.toml": ({"foundry.toml": "->{outside}/secret.txt"}, [], "--trust-project"),
    "linked events": ({"corpus/events.jsonl": "->{outside}/new"}, ["--corpus-dir", "corpus"], "--trust-project"),
    "trust in a file": ({"echidna.yaml": "trustProject: true\n"}, ["--config", "echidna.yaml"], "--trust-project"),
}  # fmt: skip


@pytest.mark.parametrize("attack", AT_THE_COMMAND_LINE)
def test_a_project_does_not_decide_for_its_user(field: Field, attack: str, capfd: pytest.CaptureFixture[str]):
    """One line names the place and the flag that decides otherwise; exit code 2."""
    files, flags, flag = AT_THE_COMMAND_LINE[attack]
    field.write({**FILES, **files})
    assert run(["fuzz", ".", "--test-limit", "1", "--quiet", *flags]) == ExitCode.WRONG_INPUT
    said = "".join(capfd.readouterr())
    assert flag in said
    assert SECRET not in said
    assert "internal error" not in said
    field.check_untouched()


def test_a_program_that_a_configuration_names_is_told(field: Field, capfd: pytest.CaptureFixture[str]):
    """The user named the file, and may not have read it."""
    field.write({**FILES, "echidna.yaml": "allowFFI: true\nsolcPath: /no/such/solc\n"})
    assert run(["fuzz", ".", "--config", "echidna.yaml"]) == ExitCode.WRONG_INPUT
    said = capfd.readouterr().err
    assert "echidna.yaml:1: allowFFI: contracts may run programs with your rights" in said
    assert "echidna.yaml:2: solcPath: this program is run because --config names the file; --solc" in said


def test_a_trusted_project_decides(field: Field, capfd: pytest.CaptureFixture[str]):
    """Its sources may lie elsewhere, and what they say is then shown as of any other."""
    field.write({**FILES, "foundry.toml": '[profile.default]\nsrc = "{outside}/src"\n'})
    code = run(["fuzz", ".", "--test-limit", "1", "--quiet", "--trust-project", "--workers", "1"])
    said = "".join(capfd.readouterr())
    assert (code, "internal error" in said) == (ExitCode.WRONG_INPUT, False)
    assert f"{SECRET} is no Solidity" in said
