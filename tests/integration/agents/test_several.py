"""Several campaigns of one server: named, compared, limited, and kept apart; workers are fake processes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from simulator.compile import Selection
from simulator.project import Project
from tests.integration.agents.test_host import SCRIPT, ask, hosted, project
from tests.support.agents_program import ports
from tests.support.patience import until
from tools.campaign.contract import contract
from tools.campaign.several import MAX_ENDED
from tools.serving.facade import Facade

__all__ = ["project"]
pytestmark = pytest.mark.integration
ARGUMENTS = {
    "find_transaction_in_corpus": {"functionSignature": "transfer(address,uint256)"},
    "inject_transaction": {"sequence": ["poke(1)"]},
    "prioritize_function": {"functionSignature": "poke(uint256)"},
}


def calls_of(server: Server, name: str) -> int:
    parts = server.campaigns.named(name).parts
    return parts.campaign.status().calls if parts is not None else 0


async def begin(facade: Facade, server: Server, **arguments: object) -> str:
    begun = await ask(facade, "start_campaign", paths=["Fake.sol"], **arguments)
    name = begun["campaignId"]
    await until(lambda: calls_of(server, name))
    return name


@asynccontextmanager
async def two(workers: int = 2) -> AsyncIterator[tuple[Facade, Server, CampaignHost]]:
    """A server with the campaigns c1 and c2."""
    async with hosted(campaigns=2, workers=workers) as (facade, server, host):
        names = [await begin(facade, server, corpusDir=name) for name in ("one", "two")]
        assert names == ["c1", "c2"]
        yield facade, server, host


async def test_a_campaign_has_to_be_named_where_several_run(project: Path):
    """The error lists them; with the name each tool of the contract answers; with one left no name is needed."""
    async with two() as (facade, _, host):
        for tool in (name for name in contract() if name != "error"):
            refused = await ask(facade, tool, **ARGUMENTS.get(tool, {}))
            assert refused["details"]["reason"] == "CAMPAIGN_NOT_NAMED"
            assert refused["message"].endswith("as campaignId: c1 (Fake), c2 (Fake)")
        assert (await ask(facade, "get_corpus_size", campaignId="c2"))["size"] >= 0
        unknown = await ask(facade, "get_corpus_size", campaignId="c9")
        assert unknown["message"] == "there is no campaign 'c9'; campaigns are: c1 (Fake), c2 (Fake)"
        assert "must be a string" in (await ask(facade, "status", campaignId=2))["message"]
        await ask(facade, "stop_campaign", campaignId="c1")
        await until(lambda: len(host._under_way) == 1)
        assert set(await ask(facade, "get_corpus_size")) == {"size"}
        rows = (await ask(facade, "list_campaigns"))["campaigns"]
        assert [(row["id"], row["running"]) for row in rows] == [("c1", False), ("c2", True)]
        assert (await ask(facade, "status", campaignId="c1"))["phase"] == "finished"


@pytest.mark.nightly
async def test_steering_reaches_the_campaign_that_is_named_and_no_other(project: Path):
    """And so do the log of commands, its file, and what is new since a client's last call."""
    async with two() as (facade, _, __):
        function = (await ask(facade, "target", campaignId="c1"))["contracts"][0]["functions"][0]["signature"]
        await ask(facade, "prioritize_function", functionSignature=function, campaignId="c2")
        steering = {name: await ask(facade, "list_steering", campaignId=name) for name in ("c1", "c2")}
        assert function not in json.dumps(steering["c1"].get("priorities", []))
        assert function in json.dumps(steering["c2"].get("priorities", steering["c2"]))
        commands = {name: (await ask(facade, "list_commands", campaignId=name))["commands"] for name in ("c1", "c2")}
        assert [each["tool"] for each in commands["c1"]] == ["start_campaign"]
        assert [each["tool"] for each in commands["c2"]] == ["prioritize_function", "start_campaign"]
        assert "campaignId" not in commands["c2"][0]["arguments"]
        for name in ("c1", "c2"):
            assert (await ask(facade, "status", campaignId=name))["sinceLastCall"]["calls"] > 0
    files = {name: (project / name / "mcp-commands.jsonl").read_text().splitlines() for name in ("one", "two")}
    assert [json.loads(line)["tool"] for line in files["one"]] == ["start_campaign"]
    assert [json.loads(line)["tool"] for line in files["two"]] == ["start_campaign", "prioritize_function"]


@pytest.mark.nightly
async def test_two_campaigns_are_compared_by_their_ids(project: Path):
    async with two() as (facade, _, __):
        compared = await ask(facade, "compare_campaigns", campaignId="c2", beforeCampaign="c1")
        assert (compared["worse"], compared["before"]["target"]) == (False, "Fake.sol:Fake")
        same = await ask(facade, "compare_campaigns", campaignId="c1", beforeCampaign="c1")
        assert same["details"] == {"reason": "SAME_CAMPAIGN"}
        none = await ask(facade, "compare_campaigns", campaignId="c1", beforeCampaign="c7")
        assert none["details"] == {"reason": "NOT_FOUND"}


@pytest.mark.nightly
async def test_workers_are_shared_by_those_who_ask_for_no_number(project: Path):
    """The second takes a part of the first's, which gets it back; who asks keeps what was asked for."""
    async with hosted(campaigns=3, workers=4) as (facade, server, _):

        def workers() -> dict[str, int]:
            return {
                place.id: sum(not each.ended for each in place.parts.campaign.status().workers)
                for place in server.campaigns.open
                if place.parts is not None
            }

        await begin(facade, server)
        assert workers() == {"c1": 4}
        begun = await ask(facade, "start_campaign", paths=["Fake.sol"])
        assert begun["message"] == "Compiling Fake.sol; then fuzzing with 2 workers for 60 s; beside c1"
        await until(lambda: workers() == {"c1": 2, "c2": 2})
        await begin(facade, server, workers=1)
        await ask(facade, "stop_campaign", campaignId="c2")
        await until(lambda: workers() == {"c1": 4, "c3": 1})
        await ask(facade, "set_workers", campaignId="c1", workers=3)
        await begin(facade, server)
        await until(lambda: workers() == {"c1": 3, "c3": 1, "c4": 4})


async def test_a_campaign_can_be_stopped_while_it_compiles(project: Path):
    """Its place is free for another."""
    compiling = trio.Event()

    async def compile_for_ever(*_: object) -> tuple[Project, Selection]:
        compiling.set()
        await trio.sleep_forever()
        raise AssertionError

    async with hosted(replace(ports(SCRIPT), prepare=compile_for_ever)) as (facade, _, host):
        await ask(facade, "start_campaign", paths=["Fake.sol"])
        await compiling.wait()
        assert await ask(facade, "stop_campaign") == {"changed": True}
        await until(lambda: not host.busy)
        status = await ask(facade, "status")
        assert (status["phase"], status["failure"]) == ("failed", "it was stopped before there was anything to report")
        assert (await ask(facade, "start_campaign", paths=["Fake.sol"]))["started"]


@pytest.mark.nightly
async def test_a_flood_of_campaigns_is_refused_and_ended_ones_are_forgotten(project: Path):
    """A thousand at once begin no more than there may be; a long series of them keeps only the last."""
    async with hosted(campaigns=2) as (facade, server, host):
        answers: list[dict] = []

        async def start() -> None:
            answers.append(await ask(facade, "start_campaign", paths=["Fake.sol"]))

        async with trio.open_nursery() as nursery:
            for _ in range(1_000):
                nursery.start_soon(start)
        begun = [answer for answer in answers if answer.get("started")]
        reasons = {answer["details"]["reason"] for answer in answers if not answer.get("started")}
        assert len(begun) == 2
        assert reasons <= {"TOO_MANY_CAMPAIGNS", "TOO_MANY_CALLS"}
        assert "TOO_MANY_CAMPAIGNS" in reasons
        for _ in range(MAX_ENDED + 2):
            (name, *_rest) = [place.id for place in server.campaigns.open]
            await until(lambda name=name: calls_of(server, name))
            await ask(facade, "stop_campaign", campaignId=name)
            await until(lambda: len(host._under_way) == 1)
            await begin(facade, server)
        assert len(server.campaigns.known) <= MAX_ENDED + 2
        gone = await ask(facade, "status", campaignId=begun[0]["campaignId"])
        assert gone["details"] == {"reason": "NOT_FOUND"}


@pytest.mark.nightly
async def test_two_campaigns_do_not_share_a_folder(project: Path):
    """Also not by another name of it."""
    async with hosted(campaigns=2) as (facade, server, _):
        await begin(facade, server, corpusDir="corpus")
        (project / "link").symlink_to("corpus")
        for folder in ("corpus", "./corpus/../corpus", "link"):
            refused = await ask(facade, "start_campaign", paths=["Fake.sol"], corpusDir=folder)
            assert refused["details"] == {"reason": "FOLDER_TAKEN"}
            assert "name another corpusDir" in refused["message"]


@pytest.mark.nightly
async def test_a_wait_ends_with_its_own_campaign(project: Path):
    """The end of another one does not end it."""
    async with two() as (facade, _, host):
        answers: dict[str, dict] = {}

        async def wait(name: str) -> None:
            answers[name] = await ask(facade, "wait_for_event", campaignId=name, until="idle", timeoutSeconds=50)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, "c1")
            nursery.start_soon(wait, "c2")
            await trio.testing.wait_all_tasks_blocked()
            await ask(facade, "stop_campaign", campaignId="c2")
            await until(lambda: "c2" in answers)
            assert "c1" not in answers
            await ask(facade, "stop_campaign", campaignId="c1")
        assert answers["c2"]["over"] or answers["c2"]["met"]
        await until(lambda: not host.busy)


@pytest.mark.nightly
async def test_each_campaign_has_resources_of_its_own(project: Path):
    """Short addresses are those of the only one; names are completed for the campaign that is named."""
    async with two() as (facade, _, __):
        for name in ("c1", "c2"):
            status = json.loads((await facade.read(f"campaigns://{name}/status")).text)
            assert status["phase"] == "fuzzing"
        rows = json.loads((await facade.read("campaigns://list")).text)["campaigns"]
        assert [row["id"] for row in rows] == ["c1", "c2"]
        listed = {each.uri for source in facade.sources for each in source.resources()}
        assert {"campaigns://list", "campaigns://c1/status", "campaigns://c2/events"} <= listed
        assert "campaign://status" not in listed
        with pytest.raises(Exception, match="name one of them as campaignId"):
            await facade.read("campaign://status")
        assert facade.complete("campaignId", "c", None) == ("c1", "c2")
        assert facade.complete("function", "", "c1") == facade.complete("function", "", None) != ()
        assert facade.complete("function", "", "c7") == ()


@pytest.mark.nightly
async def test_listings_say_how_a_campaign_is_named_once_several_run(project: Path):
    """The contract's schemas stand as they are until then."""
    async with hosted(campaigns=2) as (facade, server, _):
        registry = facade.dispatcher.registry
        tool = registry.find("get_corpus_size")
        await begin(facade, server)
        assert "campaignId" not in registry.input_schema(tool).get("properties", {})
        assert "campaignId" in registry.input_schema(registry.find("list_findings"))["properties"]
        assert "campaignId" not in registry.input_schema(registry.find("list_campaigns"))["properties"]
        await begin(facade, server)
        assert "campaignId" in registry.input_schema(tool)["properties"]
