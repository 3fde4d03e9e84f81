"""The campaign as resources, their updates, and log messages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
from mcp import Client
from mcp_types import PromptReference, ResourceTemplateReference

from actors.events.types import CAMPAIGN, CoverageIncreased, PropertyFalsified, Warned
from tests.support.campaign_bench import PATIENT, Bench, campaign_bench, with_tools
from tests.support.fake_worker import FakeScript
from tests.support.patience import PATIENCE
from tools.campaign.updates import changed_resources, publish_updates
from tools.errors import ToolError
from tools.serving.binding import build_server, local_caller
from tools.serving.subscriptions import Subscriptions


@pytest.fixture
async def bench(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    async with campaign_bench(tmp_path, running=False) as made:
        yield made


async def test_events_are_a_resource_with_a_cursor(bench: Bench):
    """Without one, the newest; with one, what came after it."""
    for number in range(3):
        bench.parts.log.append(0, CoverageIncreased(number, 1, 1, 1))
    newest = json.loads((await bench.facade.read("campaign://events")).text)
    assert [event["data"]["points"] for event in newest["events"]] == [0, 1, 2]
    later = json.loads((await bench.facade.read("campaign://events?since=2")).text)
    assert [event["cursor"] for event in later["events"]] == [3]
    for bad in ("campaign://events?since=x", "campaign://events?until=3", "campaign://events?since=-5"):
        with pytest.raises(ToolError):
            await bench.facade.read(bad)


@pytest.mark.parametrize(
    "uri",
    [
        "campaign://nothing",
        "campaign://findings/none",
        "campaign://coverage/none.sol",
        "campaign://coverage/../../etc/passwd",
        "campaign://coverage/%2e%2e%2fetc%2fpasswd",
        "campaign://",
    ],
)
async def test_other_uris_are_refused(bench: Bench, uri: str):
    """Files are looked for in the report, never on the disk."""
    with pytest.raises(ToolError):
        await bench.facade.read(uri)


async def test_resources_are_listed_as_they_come(bench: Bench, tmp_path: Path):
    """Status and events always; findings once there are some; templates for all."""
    (source, _) = bench.facade.sources
    assert [resource.uri for resource in source.resources()] == ["campaign://status", "campaign://events"]
    assert len(source.templates()) == 3
    async with campaign_bench(tmp_path, script=FakeScript(falsify={0: 100})) as running:
        await running.until("PropertyFalsified")
        uris = [resource.uri for resource in running.facade.sources[0].resources()]
        assert "campaign://findings/Fake.echidna_first" in uris
    empty = with_tools(None, tmp_path, PATIENT, None, None)
    assert len(empty.facade.sources[0].resources()) == 2


async def test_events_name_the_resources_they_change(bench: Bench):
    """Each once."""
    log = bench.parts.log
    events = [log.append(0, CoverageIncreased(1, 1, 1, 1)), log.append(0, CoverageIncreased(2, 1, 1, 1))]
    assert changed_resources(bench.parts, events) == ["campaign://status", "campaign://events"]


async def test_subscribers_hear_of_a_campaign(bench: Bench):
    """Modern clients of resources, older ones of log messages too, from the level on that they asked for."""
    subscriptions = Subscriptions()
    server = build_server(bench.facade, subscriptions, local_caller)
    heard: list[object] = []
    arrived = trio.Event()

    async def hear(message: object) -> None:
        heard.append(message)
        if "second" in str(message):
            arrived.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(publish_updates, bench.parts, subscriptions.publish, subscriptions.log_messages.tell)
        async with (
            Client(server) as modern,
            Client(server, mode="legacy", message_handler=hear) as older,
            modern.listen(resource_subscriptions=["campaign://status"]) as updates,
        ):
            bench.parts.log.append(CAMPAIGN, Warned("first"))
            with trio.fail_after(PATIENCE):
                assert (await anext(aiter(updates))).uri == "campaign://status"
            await older.session.send_request(set_level("warning"), object_result())
            bench.parts.log.append(0, PropertyFalsified(0, "p", "property", "C", "too low", ()))
            bench.parts.log.append(CAMPAIGN, Warned("second"))
            with trio.fail_after(PATIENCE):
                await arrived.wait()
        nursery.cancel_scope.cancel()
    texts = str(heard)
    assert "second" in texts
    assert "too low" not in texts


def set_level(level: str):
    import mcp_types as types

    return types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))


def object_result():
    import mcp_types as types

    return types.EmptyResult


@pytest.mark.nightly
@pytest.mark.requirement("004-S5")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_answer_a_busy_client(tmp_path: Path, mode: str):
    """Fifty calls of each of the nine, over a running campaign. How long they take is measured, on an idle machine, by
    `python -m benchmarks.agents`."""
    calls = {
        "read_logs": {},
        "show_coverage": {},
        "dump_lcov": {},
        "get_corpus_size": {},
        "inspect_corpus_transactions": {"limit": 100},
        "find_transaction_in_corpus": {"functionSignature": "transfer"},
        "inject_transaction": {"sequence": ["transfer(0x1, 2)"]},
        "prioritize_function": {"functionSignature": "transfer(address,uint256)"},
        "clear_priorities": {},
    }
    async with campaign_bench(tmp_path, workers=2) as bench:
        server = build_server(bench.facade, Subscriptions(), local_caller)
        async with Client(server, mode=mode) as client:
            for tool, arguments in calls.items():
                for _ in range(50):
                    assert not (await client.call_tool(tool, arguments)).is_error, tool


async def test_arguments_are_completed(tmp_path: Path):
    """Functions, contracts, findings and entries of the campaign, and names of tools; nothing without a campaign."""
    async with campaign_bench(tmp_path, script=FakeScript(falsify={0: 100})) as bench:
        await bench.until("PropertyFalsified")
        async with Client(build_server(bench.facade, Subscriptions(), local_caller)) as client:

            async def completed(ref: object, name: str, typed: str) -> list[str]:
                return (await client.complete(ref, {"name": name, "value": typed})).completion.values

            prompt = PromptReference(type="ref/prompt", name="raise_coverage")
            assert (await completed(prompt, "function", "TRANSFERF"))[0] == "transferFrom(address,address,uint256)"
            assert await completed(prompt, "contract", "") == ["Token"]
            assert await completed(prompt, "nothing", "") == []
            findings = ResourceTemplateReference(type="ref/resource", uri="campaign://findings/{id}")
            assert await completed(findings, "id", "first") == ["Fake.echidna_first"]
            schemas = ResourceTemplateReference(type="ref/resource", uri="schema://tools/{name}/{side}")
            assert await completed(schemas, "name", "inject_tr") == ["inject_transaction"]
            assert await completed(schemas, "side", "o") == ["output"]
        bench.access.place.parts = None
        assert bench.facade.complete("function", "") == ()
