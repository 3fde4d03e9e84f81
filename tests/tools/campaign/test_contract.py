"""The published form of contract 004: names, schemas, and models that agree with them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from trio.testing import MockClock

from actors.events.types import CoverageIncreased
from tests.support.campaign_bench import PATIENT, Bench, campaign_bench, with_tools
from tests.support.idle_clock import jump_when_idle
from tests.support.schema_values import json_values
from tools.campaign.contract import NOT_AT_THE_ROOT, contract, literal_schemas
from tools.errors import ErrorCode, ToolError
from tools.rendering import Rendered, campaign_error
from tools.schemas import input_schema
from tools.serving.binding import build_server, local_caller
from tools.serving.subscriptions import Subscriptions
from tools.tool import Tool
from tools.validation import validated

NINE = (
    "read_logs",
    "show_coverage",
    "dump_lcov",
    "get_corpus_size",
    "inspect_corpus_transactions",
    "find_transaction_in_corpus",
    "inject_transaction",
    "prioritize_function",
    "clear_priorities",
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Tools without a campaign."""
    return with_tools(None, tmp_path, PATIENT, None, None)


@pytest.fixture
async def running(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    async with campaign_bench(tmp_path, running=False) as made:
        yield made


@pytest.mark.requirement("004-1", "004-2", "004-S9", "004-S11")
def test_the_nine_tools_have_the_contracts_schemas(bench: Bench):
    """Letter for letter, but for what clients refuse."""
    tools = {tool.name: tool for tool in bench.registry.get_all_tools()}
    assert tuple(contract())[:-1] == NINE == tuple(tools)[:9]
    titles = {name: contract()[name]["input"]["title"] for name in NINE}
    assert titles["inspect_corpus_transactions"] == "InspectCorpusInput"
    for name in NINE:
        literal, tool = contract()[name], tools[name]
        assert input_schema(tool) == {key: value for key, value in literal["input"].items() if key != "anyOf"}
        assert literal["input"]["additionalProperties"] is False
        expected = literal["output"] if literal["output"]["type"] == "object" else None
        assert tool.output_schema == expected


async def test_full_schemas_are_served_as_resources(bench: Bench):
    """The text's output schema and the root `anyOf` too."""
    for (name, side), schema in literal_schemas().items():
        served = await bench.facade.read(f"schema://tools/{name}/{side}")
        assert json.loads(served.text) == schema
    assert "anyOf" in json.loads((await bench.facade.read("schema://tools/find_transaction_in_corpus/input")).text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_clients_of_both_eras_take_the_whole_list(running: Bench, mode: str):
    """Names of letters, objects at every root, nothing that hosts refuse; every tool says what it is."""
    async with Client(build_server(running.facade, Subscriptions(), local_caller), mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == len(running.registry.get_all_tools())
        for tool in tools:
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            assert not set(tool.input_schema) & set(NOT_AT_THE_ROOT)
            assert tool.output_schema is None or tool.output_schema["type"] == "object"
            assert "$ref" not in json.dumps([tool.input_schema, tool.output_schema])
            jsonschema.Draft7Validator.check_schema(tool.input_schema)
            assert 20 < len(tool.description) < 500
        answer = await client.call_tool("get_corpus_size", {})
        assert answer.structured_content == {"size": 0}
        logs = await client.call_tool("read_logs", {})
        assert logs.structured_content == {"events": [], "totalCount": 0}


@pytest.mark.requirement("004-D20")
def test_published_outputs_are_exactly_the_contracts(bench: Bench):
    """Clients may see additions elsewhere, never in the nine."""
    for tool in bench.registry.get_all_tools()[:9]:
        if tool.output_schema is not None:
            assert tool.output_schema["$schema"] == "http://json-schema.org/draft-07/schema#"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_models_and_schemas_accept_the_same(bench: Bench, data: st.DataObject):
    """What the model takes the schema allows; what the schema allows the model refuses only for what it cannot say:
    words, amounts beyond 2**256, signatures that are not canonical."""
    name = data.draw(st.sampled_from(NINE))
    tool = bench.registry.find(name)
    arguments = data.draw(json_values(tool))
    schema_allows = jsonschema.Draft7Validator(contract()[name]["input"]).is_valid(arguments)
    refusal = refusal_of(tool, arguments)
    if schema_allows and refusal:
        beyond = ("2^256", "canonical", "minValue must match", "character")
        assert any(word in refusal for word in beyond), refusal
    assert schema_allows or refusal


def refusal_of(tool: Tool, arguments: dict) -> str:
    try:
        validated(tool.arguments, arguments)
    except ToolError as error:
        return error.message
    return ""


@pytest.mark.requirement("004-34", "004-D12")
def test_errors_have_the_contracts_form():
    """Nested, with one of four codes; what is finer stands in the details."""
    schema = contract()["error"]
    for code in ErrorCode:
        body = campaign_error(ToolError(code, "why", reason="PARSE_ERROR"))
        jsonschema.validate(body, schema)
    assert set(ErrorCode) == set(schema["properties"]["error"]["properties"]["code"]["enum"])


@pytest.mark.requirement("004-S3")
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_any_input_of_any_tool_is_answered(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """Valid or not, with a campaign that has not begun or with none: never an exception, every failure in its form,
    every answer as its schema says."""
    folder = tmp_path_factory.mktemp("bench")

    async def attempt(clock: MockClock) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(jump_when_idle, clock)
            async with campaign_bench(folder, running=False) as made:
                bench = made if data.draw(st.booleans()) else with_tools(None, folder, PATIENT, None, None)
                tool = data.draw(st.sampled_from(bench.registry.get_all_tools()))
                check(tool, await bench.dispatcher.call(tool.name, data.draw(json_values(tool))))
            nursery.cancel_scope.cancel()

    def check(tool: Tool, rendered: Rendered) -> None:
        if rendered.is_error:
            jsonschema.validate(json.loads(rendered.text), contract()["error"])
            assert "INTERNAL_ERROR" not in rendered.text or "reason" in rendered.text, rendered.text
        elif tool.output_schema is not None:
            jsonschema.validate(rendered.structured, tool.output_schema)

    clock = MockClock()
    trio.run(attempt, clock, clock=clock)


async def test_without_a_campaign_tools_say_so(bench: Bench):
    """And how to begin one; while it is being prepared they say that."""
    error = await bench.error("get_corpus_size")
    assert error["details"] == {"reason": "NO_CAMPAIGN"}
    assert "start_campaign" in error["message"]
    bench.access.place.phase = "compiling"
    assert (await bench.error("target"))["details"] == {"reason": "CAMPAIGN_STARTING"}
    bench.access.place.phase, bench.access.place.failure = "", "no such file"
    error = await bench.error("target")
    assert error["details"] == {"reason": "CAMPAIGN_FAILED"}
    assert "no such file" in error["message"]


async def test_status_answers_without_a_campaign(bench: Bench):
    """Which phase it is, why there is none, and what to do next."""
    none = await bench.ask("status")
    assert (none["phase"], none["running"], none["failure"]) == ("none", False, None)
    assert "start_campaign" in none["nextStep"]
    bench.access.prepare("compiling")
    compiling = await bench.ask("status")
    assert (compiling["phase"], compiling["running"]) == ("compiling", True)
    bench.access.settle("A.sol:3: error: no such name")
    failed = await bench.ask("status")
    assert (failed["phase"], failed["running"], failed["failure"]) == ("failed", False, "A.sol:3: error: no such name")
    assert json.loads((await bench.facade.read("campaign://status")).text) == failed


async def test_waiting_spans_the_compilation(bench: Bench, running: Bench, autojump_clock: object):
    """The first events come as soon as there are any; a campaign that does not come in time is no error, one that
    cannot come is."""
    bench.access.prepare("compiling")
    assert await bench.ask("wait_for_event", timeoutSeconds=5) == {
        "events": [],
        "cursor": 0,
        "missed": 0,
        "over": False,
        "met": False,
    }

    async def arrive() -> None:
        await trio.sleep(3)
        running.parts.log.append(0, CoverageIncreased(1, 1, 1, 1))
        bench.access.follow(running.parts)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(arrive)
        found = await bench.ask("wait_for_event", timeoutSeconds=5)
    assert [event["eventType"] for event in found["events"]] == ["CoverageIncreased"]
    bench.access.prepare("compiling")
    bench.access.settle("no compiler")
    assert (await bench.error("wait_for_event"))["details"] == {"reason": "CAMPAIGN_FAILED"}


@pytest.mark.requirement("004-7", "004-19")
async def test_whole_numbers_may_have_a_point(running: Bench):
    """JSON Schema's integer takes 5.0, and so do the tools."""
    assert await running.ask("read_logs", count=5.0) == {"events": [], "totalCount": 0}
    assert await running.ask("inspect_corpus_transactions", offset=1e300, limit=1.0) == {"transactions": [], "total": 0}
    for count in (1.5, "5", True, 0, 2501, None, 1e308):
        assert (await running.error("read_logs", count=count))["code"] == "INVALID_INPUT"
