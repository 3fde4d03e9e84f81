"""A server's campaigns: begun, refused, failed and ended on behalf of clients; workers are fake processes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from pydantic import ValidationError

from actors.processes.runner import CommandLimits
from orchestrator.agents import hosted as hosted_module
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from orchestrator.agents.server_settings import http_settings, server_settings
from orchestrator.campaign import ProgramPorts
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.model import Configuration
from simulator.errors import TargetError
from tests.support.agents_program import ports
from tests.support.patience import PATIENCE, until
from tools.campaign.access import CampaignComponents
from tools.roots import PathRefused
from tools.serving.facade import Facade
from tools.tool import Family

pytestmark = pytest.mark.integration

SCRIPT = json.dumps({"seconds_per_frame": 0.002, "falsify": {}})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Fake.sol").write_text("contract Fake {}\n")
    monkeypatch.chdir(folder)
    return folder


@asynccontextmanager
async def hosted(
    campaign_ports: ProgramPorts | None = None, campaigns: int = 1, workers: int = 1
) -> AsyncIterator[tuple[Facade, Server, CampaignHost]]:
    server = Server(server_settings(Configuration.model_validate({"campaignDeadline": 30_000, "buildRuns": "runs"})))
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            flags = {"workers": ("--workers", workers), "maxCampaigns": ("--max-campaigns", campaigns)}
            layers = [flag_layer(flags)]
            host = CampaignHost(server, layers, campaign_ports or ports(SCRIPT), nursery)
            async with server.open(host.start, host.restart, host.check) as facade:
                yield facade, server, host
                await host.end()
            nursery.cancel_scope.cancel()


async def ask(facade: Facade, tool: str, **arguments: object) -> dict:
    rendered = await facade.dispatcher.call(tool, arguments)
    body = json.loads(rendered.text)
    return body["error"] if rendered.is_error else body


async def test_clients_begin_stop_and_begin_again(project: Path):
    """One campaign at a time; the one that has ended can still be read; every command is in the corpus folder."""
    async with hosted() as (facade, server, host):
        assert (await ask(facade, "status"))["phase"] == "none"
        for _ in range(2):
            begun = await ask(facade, "start_campaign", paths=["Fake.sol"], corpusDir="corpus", timeLimit=60)
            assert begun["message"] == "Compiling Fake.sol; then fuzzing with 1 workers for 60 s"
            again = await ask(facade, "start_campaign", paths=["Fake.sol"])
            assert again["details"] == {"reason": "CAMPAIGN_RUNNING"}
            await until(lambda: server.access.parts and server.access.parts.campaign.status().calls)
            assert (await ask(facade, "status"))["phase"] == "fuzzing"
            await ask(facade, "stop_campaign")
            await until(lambda: server.access.parts.is_over)
            assert (await ask(facade, "get_corpus_size"))["size"] >= 0
            await until(lambda: not host.busy)
        lines = [json.loads(line) for line in (project / "corpus" / "mcp-commands.jsonl").read_text().splitlines()]
        assert [line["tool"] for line in lines if line["result"] == "success"] == [
            "start_campaign",
            "stop_campaign",
        ] * 2
        assert [line["tool"] for line in lines if line["result"] == "failure"] == ["start_campaign"] * 2


async def test_a_campaign_at_its_limit_is_idle_until_it_is_stopped(project: Path):
    """It takes commands, continues with another limit, and only then another campaign can begin."""
    async with hosted() as (facade, server, host):
        await ask(facade, "start_campaign", paths=["Fake.sol"], callLimit=5_000)
        await until(lambda: server.access.parts and server.access.parts.campaign.status().phase == "idle")
        status = await ask(facade, "status")
        assert (status["phase"], status["running"]) == ("idle", True)
        assert "test limit reached" in status["nextStep"]
        refused = await ask(facade, "start_campaign", paths=["Fake.sol"])
        assert refused["message"] == "A campaign is idle (test limit reached); stop_campaign ends it"
        await ask(facade, "set_limits", callLimit=10_000)
        await until(lambda: server.access.parts.campaign.status().calls >= 10_000)
        await ask(facade, "stop_campaign")
        await until(lambda: not host.busy)
        assert (await ask(facade, "status"))["phase"] == "finished"


async def test_a_campaign_begins_paused_and_is_restarted(project: Path):
    """Nothing is called before it is resumed; the next one has the same settings and the corpus of the folder."""
    async with hosted() as (facade, server, host):
        missing = await ask(facade, "restart_campaign")
        assert missing["details"] == {"reason": "NO_CAMPAIGN"}
        begun = await ask(facade, "start_campaign", paths=["Fake.sol"], corpusDir="corpus", paused=True)
        assert begun["message"] == "Compiling Fake.sol; then deploying and pausing until resume_campaign"
        await until(lambda: server.access.parts and server.access.parts.campaign.ready)
        first = server.access.parts
        assert (first.campaign.status().paused, first.campaign.status().calls) == (True, 0)
        await ask(facade, "resume_campaign")
        await until(lambda: first.keeper.statistics().sequences)
        again = await ask(facade, "restart_campaign")
        assert again["message"].startswith("Compiling Fake.sol anew; then fuzzing with the corpus in ")
        assert first.is_over
        assert server.access.parts not in (None, first)
        await until(lambda: server.access.parts.keeper.statistics().sequences)
        assert host.busy
        # The fake workers need no time to replay; what changed is told at once, and can be asked again.
        assert (again["comparison"]["worse"], again["comparison"]["newFindings"]) == (False, [])
        assert again["comparison"]["before"]["calls"] == first.campaign.status().calls
        later = await ask(facade, "compare_campaigns")
        assert later["before"] == again["comparison"]["before"]
        assert later["after"]["calls"] >= again["comparison"]["after"]["calls"]
        saved = await ask(facade, "compare_campaigns", before="corpus")
        assert saved["before"] == later["before"]
        assert "outside the allowed roots" in (await ask(facade, "compare_campaigns", before="/etc"))["message"]


async def test_a_target_is_checked_without_fuzzing(project: Path):
    """With every key of a configuration file; nothing is called, nothing written, and what was there before is still
    there."""
    async with hosted() as (facade, server, host):
        assert (await ask(facade, "compare_campaigns"))["details"] == {"reason": "NOT_FOUND"}
        arguments = {"paths": ["Fake.sol"], "callLimit": 9, "corpusDir": "corpus", "settings": {"seqLen": 7}}
        checked = await ask(facade, "check_target", **arguments)
        assert (checked["target"]["sequenceLength"], checked["callLimit"]) == (7, 9)
        assert [test["status"] for test in checked["target"]["tests"]] == ["open"] * 3
        assert checked["target"]["contracts"][0]["functions"]
        assert not host.busy
        assert not (project / "corpus").exists()
        assert (await ask(facade, "status"))["phase"] == "none"
        assert (await ask(facade, "restart_campaign"))["details"] == {"reason": "NO_CAMPAIGN"}
        await ask(facade, "start_campaign", paths=["Fake.sol"], settings={"seqLen": 7, "testLimit": 2_000})
        await until(lambda: server.access.parts and server.access.parts.campaign.status().phase == "idle")
        assert "idle" in (await ask(facade, "check_target", **arguments))["message"]
        await ask(facade, "stop_campaign")
        await until(lambda: not host.busy)
        ended = server.access.parts
        await ask(facade, "check_target", **arguments)
        assert server.access.parts is ended


async def test_what_cannot_be_deployed_is_told_by_a_check(project: Path):
    """With the reason, and the server is free again."""

    async def refuse(*_: object) -> object:
        raise TargetError("no tests found")

    async with hosted(replace(ports(SCRIPT), prepare=refuse)) as (facade, _, host):
        error = await ask(facade, "check_target", paths=["Fake.sol"])
        assert error["message"] == "The target cannot be fuzzed: no tests found"
        assert not host.busy


async def test_what_a_campaign_compiles_is_among_the_runs(project: Path):
    """Of the server that carries it out, with its output."""
    async with hosted() as (facade, server, _):
        await ask(facade, "start_campaign", paths=["Fake.sol"])
        await until(lambda: server.access.parts and server.access.parts.campaign.status().calls)
        listed = await ask(facade, "run_list")
        (run,) = listed["runs"]
        assert (run["tool"], run["status"], run["exitCode"]) == ("campaign.compile", "completed", 0)
        assert (await ask(facade, "run_raw", runId=run["runId"]))["data"] == "compiled\n"
        assert (project / "runs" / run["runId"] / "raw.log").is_file()


async def test_a_campaign_that_cannot_be_carried_out_leaves_its_reason(project: Path):
    """And another one can be begun."""

    async def refuse(*_: object) -> None:
        raise TargetError("no contract has tests")

    async with hosted(ProgramPorts(prepare=refuse)) as (facade, server, _):
        await ask(facade, "start_campaign", paths=["Fake.sol"])
        await until(lambda: server.access.failure)
        assert (await ask(facade, "status"))["phase"] == "failed"
        error = await ask(facade, "target")
        assert error["details"] == {"reason": "CAMPAIGN_FAILED"}
        assert "no contract has tests" in error["message"]
        assert (await ask(facade, "start_campaign", paths=["Fake.sol"]))["started"] is True


def _distribution(parts: CampaignComponents) -> tuple[object, str]:
    return parts.campaign._distribution, "give_out"


def _keeper(parts: CampaignComponents) -> tuple[object, str]:
    return parts.keeper, "_answer"


def _log(parts: CampaignComponents) -> tuple[object, str]:
    return parts.log, "_flush"


@pytest.mark.parametrize("victim", [_distribution, _keeper, _log], ids=["campaign", "keeper", "log"])
async def test_a_campaign_that_dies_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, victim: Callable[[CampaignComponents], tuple[object, str]]
):
    """Whichever part of it had the fault: phase, running, failure and the events tell it, and the report is written."""

    def fail(*_: object) -> None:
        raise UnicodeError("planted")

    async with hosted() as (facade, server, host):
        await ask(facade, "start_campaign", paths=["Fake.sol"], corpusDir="corpus")
        await until(lambda: server.access.parts and server.access.parts.campaign.status().calls)
        parts = server.access.parts
        assert parts is not None
        owner, name = victim(parts)
        monkeypatch.setattr(owner, name, fail)
        await until(lambda: not host.busy)
        status = await ask(facade, "status")
        assert (status["phase"], status["running"]) == ("failed", False)
        assert "planted" in status["failure"]
        waited = await ask(facade, "wait_for_event", cursor=0, eventType="CampaignStopped")
        (stopped,) = waited["events"]
        assert waited["over"] is True
        assert stopped["data"]["reason"] == "an error ended the campaign"
        assert "planted" in stopped["data"]["failure"]
        assert list((project / "corpus").glob("covered.*.txt"))
        if victim is not _log:
            assert "planted" in (project / "corpus" / "events.jsonl").read_text()
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"paths": ["../secret"]}, "outside the allowed roots"),
        ({"paths": ["/etc"]}, "outside the allowed roots"),
        ({"paths": ["None.sol"]}, "no such file"),
        ({"paths": ["Fake.sol"], "corpusDir": "../elsewhere"}, "outside the allowed roots"),
        ({"paths": ["Fake.sol"], "config": "ffi.yaml"}, "allowFFI"),
        ({"paths": ["Fake.sol"], "config": "solc.yaml"}, "solcPath"),
        ({"paths": ["Fake.sol"], "config": "out.yaml"}, "outside the allowed roots"),
        ({"paths": ["Fake.sol"], "config": "bad.yaml"}, "testMode"),
        ({"paths": []}, "paths"),
        ({"paths": ["Fake.sol"], "settings": {"allowFFI": True}}, "settings.allowFFI: allowFFI: only the command line"),
        ({"paths": ["Fake.sol"], "settings": {"coverageDir": "/etc/coverage"}}, "outside the allowed roots"),
        ({"paths": ["Fake.sol"], "settings": {"seqLne": 5}}, "seqLne: unknown key; did you mean seqLen?"),
        ({"paths": ["Fake.sol"], "settings": {"seqLen": "many"}}, "settings.seqLen"),
        ({"paths": ["Fake.sol"], "workers": 0}, "workers"),
    ],
)
async def test_what_a_client_may_not_begin_is_refused(project: Path, arguments: dict, part: str):
    """Anything outside the roots, and whatever would let it run programs or write elsewhere."""
    (project / "ffi.yaml").write_text("allowFFI: true\n")
    (project / "solc.yaml").write_text("solcPath: /tmp/evil\n")
    (project / "out.yaml").write_text("coverageDir: /etc/coverage\n")
    (project / "bad.yaml").write_text("testMode: magic\n")
    async with hosted() as (facade, _, host):
        error = await ask(facade, "start_campaign", **arguments)
        assert error["code"] == "INVALID_INPUT"
        assert part in error["message"]
        assert not host.busy


async def test_a_campaign_ends_with_its_server(project: Path, monkeypatch: pytest.MonkeyPatch):
    """Its reports are written, its processes are gone. How long that may take is not what is tested."""
    monkeypatch.setattr(hosted_module, "PATIENCE", PATIENCE)
    async with hosted() as (facade, server, _):
        await ask(facade, "start_campaign", paths=["Fake.sol"], corpusDir="corpus")
        await until(lambda: server.access.parts and server.access.parts.campaign.status().calls)
    assert '"finished"' in (project / "corpus" / "events.jsonl").read_text()


def test_groups_names_roots_and_deadlines_come_from_the_configuration(project: Path, tmp_path: Path):
    """The corpus folder is allowed wherever it is."""
    keys = {
        "enabledToolGroups": ("campaign",),
        "toolNameStyle": "dotted",
        "mcpRoots": ("src",),
        "corpusDir": str(tmp_path / "corpus"),
        "analysisDeadline": 7,
    }
    (project / "src").mkdir(exist_ok=True)
    settings = server_settings(Configuration.model_validate(keys))
    assert settings.groups == {Family.CAMPAIGN}
    assert settings.name_style == "dotted"
    assert settings.roots.roots == (project / "src", tmp_path / "corpus")
    assert settings.deadlines.analysis == 7


def test_limits_of_builds_come_from_the_configuration(project: Path, tmp_path: Path):
    """In the units of the keys; 0 MiB of memory is no limit."""
    keys = {
        "buildTimeLimit": 5,
        "buildOutputLimit": 2,
        "buildMemoryLimit": 0,
        "buildsAtOnce": 1,
        "buildQueue": 3,
        "buildRetention": 1,
        "buildRuns": "kept",
        "compactDiagnostics": True,
    }
    settings = server_settings(Configuration.model_validate(keys))
    assert settings.command_limits == CommandLimits(seconds=5, output=2 << 20, at_once=1, queue=3, memory=None)
    assert settings.runs.folder == project / "kept"
    assert settings.compact_diagnostics
    assert Server(settings).runner.limits is settings.command_limits
    defaults = server_settings(Configuration())
    assert defaults.command_limits == CommandLimits()
    for key, value in (("buildOutputLimit", 0), ("buildsAtOnce", 0), ("buildRetention", -1), ("buildTimeLimit", "x")):
        with pytest.raises(ValidationError):
            Configuration.model_validate({key: value})


@pytest.mark.parametrize("root", ["absent", "file.txt", "a" * 300])
def test_a_root_is_a_folder(tmp_path: Path, root: str):
    """A server that confined its clients to nothing would refuse all they ask, without a reason that helps."""
    (tmp_path / "file.txt").write_text("")
    configuration = Configuration.model_validate({"mcpRoots": [root], "buildRuns": "runs"})
    with pytest.raises(ConfigurationError, match=f"mcpRoots: {root}: there is no such folder"):
        server_settings(configuration, tmp_path)


def test_a_server_in_the_root_folder_allows_nothing_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where some clients start their servers; the message says what to do."""
    settings = server_settings(Configuration(), Path("/"))
    with pytest.raises(PathRefused, match="--mcp-root FOLDER"):
        settings.roots.resolve("etc/passwd")
    monkeypatch.setenv("HOME", str(tmp_path))
    contracts = tmp_path.resolve() / "contracts"
    contracts.mkdir()
    named = server_settings(Configuration.model_validate({"mcpRoots": ("~/contracts",)}), Path("/"))
    assert named.roots.roots == (contracts,)
    assert named.roots.resolve(".") == contracts


def test_tokens_are_kept_in_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Unless a file is named, or none is wanted."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings, file = http_settings(Configuration(), 0)
    assert file.path == tmp_path / "monotreme" / "mcp-tokens.json"
    assert settings.tokens == file.tokens
    named = Configuration.model_validate({"mcpTokenFile": str(tmp_path / "mine.json")})
    assert http_settings(named, 0)[1].path == tmp_path / "mine.json"
    assert http_settings(Configuration.model_validate({"mcpAuth": "none"}), 0)[1] is None


async def test_only_enabled_groups_are_published(project: Path):
    """Schemas and prompts of others are gone too."""
    server = Server(server_settings(Configuration.model_validate({"enabledToolGroups": ("coverage",)})))
    async with server.open(None) as facade:
        assert {tool.family for tool in facade.dispatcher.registry.get_all_tools()} == {Family.COVERAGE}
        assert facade.prompts == ()
