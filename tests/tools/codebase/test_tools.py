"""The tools as a client sees them (contract 002)."""

from __future__ import annotations

import json
import socket
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import jsonschema
import msgspec
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.patience import PATIENCE
from tests.support.schema_values import json_values
from tools.codebase import contract, models
from tools.codebase.manager.manager import open_in_browser
from tools.codebase.memory import CodebaseMemory, open_memory
from tools.codebase.service import CodebaseService
from tools.codebase.table import TOOLS
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry, tools_of
from tools.roots import AllowedRoots
from tools.schemas import output_schema_of, schema_of
from tools.serving.access import Tokens
from tools.serving.http import HttpSettings

CONSTANTS = [
    contract.LIST_CODEBASES_SCHEMA,
    contract.SEARCH_CODEBASES_SCHEMA,
    contract.GET_CODEBASE_STATS_SCHEMA,
    contract.OPEN_CODEBASE_MANAGER_SCHEMA,
]
SERVED = ("index_codebase", "open_codebase_manager")
TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")
MODELS = {
    "list_codebases": (models.ListCodebasesInput, models.ListCodebasesOutput),
    "search_codebases": (models.SearchCodebasesInput, models.SearchCodebasesOutput),
    "get_codebase_stats": (models.GetCodebaseStatsInput, models.GetCodebaseStatsOutput),
    "open_codebase_manager": (models.OpenCodebaseManagerInput, models.OpenCodebaseManagerOutput),
}


class Client:
    def __init__(self, memory: CodebaseMemory, root: Path) -> None:
        self.browsed: list[str] = []
        self.shown = False
        settings = HttpSettings(port=0, tokens=TOKENS)
        self.service = CodebaseService(memory, AllowedRoots([root], root), lambda: settings, self.browse)
        self.ingestions = self.service.ingestions
        self.registry = ToolRegistry(tools_of(TOOLS, self.service))
        self.dispatcher = Dispatcher(self.registry)

    def browse(self, url: str) -> bool:
        self.browsed.append(url)
        return self.shown

    async def ask(self, tool: str, **arguments: object) -> dict:
        rendered = await self.dispatcher.call(tool, arguments)
        assert not rendered.is_error, rendered.text
        schema = self.registry.find(tool).output_schema
        jsonschema.validate(rendered.structured, schema, format_checker=jsonschema.FormatChecker())
        assert json.loads(rendered.text) == rendered.structured
        return rendered.structured

    async def error(self, tool: str, **arguments: object) -> dict:
        rendered = await self.dispatcher.call(tool, arguments)
        assert rendered.is_error, rendered.text
        return json.loads(rendered.text)["error"]


@asynccontextmanager
async def serving(memory: CodebaseMemory, root: Path):
    client = Client(memory, root)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(client.service.serve)
            yield client
            nursery.cancel_scope.cancel()


@pytest.fixture
async def client(memory: CodebaseMemory, project: Path):
    async with serving(memory, project) as client:
        yield client


@pytest.mark.requirement("002-2")
async def test_codebases_are_listed_with_their_metadata(client: Client, project: Path):
    """An empty memory lists none; an indexed folder is there with counts, languages and the time."""
    assert await client.ask("list_codebases") == {"codebases": []}
    await client.ask("index_codebase", path=".", name="p")
    (entry,) = (await client.ask("list_codebases"))["codebases"]
    assert list(entry) == ["name", "path", "chunkCount", "fileCount", "lastIngestion", "languages"]
    assert (entry["name"], entry["path"]) == ("p", str(project))
    assert (entry["chunkCount"], entry["fileCount"]) == (7, 3)
    assert datetime.fromisoformat(entry["lastIngestion"]).tzinfo is not None
    assert entry["languages"] == ["python", "solidity", "typescript"]


@pytest.mark.requirement("002-3")
async def test_search_arguments_are_those_of_the_contract(client: Client):
    """Query of at least one character, an enumerated language, 1 to 200 results with 50 as the default."""
    schema = client.registry.find("search_codebases").input_schema["properties"]
    assert schema["query"]["minLength"] == 1
    assert schema["language"]["enum"][:5] == ["csharp", "java", "javascript", "typescript", "python"]
    assert (schema["maxResults"]["minimum"], schema["maxResults"]["maximum"], schema["maxResults"]["default"]) == (
        1,
        200,
        50,
    )
    for wrong in ({}, {"query": ""}, {"query": "x", "language": "cobol"}, {"query": "x", "maxResults": 0},
                  {"query": "x", "maxResults": 201}, {"query": "x", "maxResults": 1.5}, {"query": "x", "extra": 1},
                  {"query": "x", "codebaseName": None}):  # fmt: skip
        assert (await client.error("search_codebases", **wrong))["code"] == "INVALID_INPUT"


@pytest.mark.requirement("002-4")
async def test_search_results_are_those_of_the_contract(client: Client):
    """Keys, ranges and kinds; paths are relative; all matches are counted before the limit."""
    await client.ask("index_codebase", path=".", name="p")
    answer = await client.ask(
        "search_codebases", query="verify token", codebaseName="p", language="python", maxResults=1
    )
    (result,) = answer["results"]
    assert result | {"similarityScore": 0} == {
        "filePath": "src/auth.py",
        "startLine": 1,
        "endLine": 2,
        "language": "python",
        "chunkType": "function",
        "content": "def verify_token(token):\n    return token == 'x'",
        "similarityScore": 0,
        "codebaseName": "p",
    }
    assert 0 < result["similarityScore"] <= 1
    assert answer["queryTime"] >= 0
    assert (await client.ask("search_codebases", query="zzz", codebaseName="nowhere"))["results"] == []


async def test_other_projects_are_searched_on_request(client: Client, memory: CodebaseMemory, tmp_path: Path):
    """By their name, or all of them with `*`; a warning says that some were left out."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "far.py").write_text("def verify_token_elsewhere(token):\n    return token\n")
    await trio.to_thread.run_sync(memory.ingest, other, "far", lambda *_: None, lambda: False)
    await client.ask("index_codebase", path=".", name="p")

    async def searched(**arguments: object) -> set[str]:
        answer = await client.ask("search_codebases", query="verify token", **arguments)
        return {result["codebaseName"] for result in answer["results"]}

    assert await searched() == {"p"}
    assert await searched(codebaseName="far") == {"far"}
    assert await searched(codebaseName="*") == {"p", "far"}
    rendered = await client.dispatcher.call("search_codebases", {"query": "verify token"})
    assert "1 codebases of other projects were not searched" in rendered.warning


@pytest.mark.requirement("002-5", "002-6")
async def test_statistics_add_up(client: Client):
    """Files and chunks by language, and chunks by kind, sum up to the totals."""
    await client.ask("index_codebase", path=".", name="p")
    found = await client.ask("get_codebase_stats", name="p")
    assert list(found) == [
        "name", "path", "chunkCount", "fileCount", "lastIngestion", "languages", "chunkTypes", "sizeBytes",
    ]  # fmt: skip
    assert sum(each["fileCount"] for each in found["languages"]) == found["fileCount"] == 3
    assert sum(each["chunkCount"] for each in found["languages"]) == found["chunkCount"] == 7
    assert sum(each["count"] for each in found["chunkTypes"]) == found["chunkCount"]
    assert found["sizeBytes"] > 0
    error = await client.error("get_codebase_stats", name="nope")
    assert error["message"] == "Codebase 'nope' not found"
    assert error["data"]["reason"] == "NOT_FOUND"


@pytest.mark.requirement("002-1", "002-9")
@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda each: each["name"])
async def test_schemas_are_constants_that_forbid_what_they_do_not_name(client: Client, constant: dict):
    """Name, description and both schemas; the tools publish them; every object in them is closed."""
    assert set(constant) == {"name", "description", "inputSchema", "outputSchema"}
    tool = client.registry.find(constant["name"])
    assert (tool.input_schema, tool.output_schema) == (constant["inputSchema"], constant["outputSchema"])
    for schema in (constant["inputSchema"], constant["outputSchema"]):
        jsonschema.Draft7Validator.check_schema(schema)
        assert all(part["additionalProperties"] is False for part in objects_in(schema))


def objects_in(schema: object) -> list[dict]:
    found = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return found + [each for part in inner for each in objects_in(part)]


@pytest.mark.requirement("002-9")
@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda each: each["name"])
def test_typed_models_agree_with_the_constants(constant: dict):
    """The same keys, the same ones of them required."""
    inputs, outputs = MODELS[constant["name"]]
    assert keys_of(schema_of(inputs)) == keys_of(constant["inputSchema"])
    assert keys_of(output_schema_of(outputs)) == keys_of(constant["outputSchema"])


def keys_of(schema: object) -> list:
    return [
        (sorted(each["properties"]), sorted(each.get("required", ())))
        for each in objects_in(schema)
        if "properties" in each
    ]


@pytest.mark.requirement("002-8")
async def test_every_violation_is_told_and_nothing_is_executed(client: Client):
    """All errors at once, before the tool runs."""
    error = await client.error("search_codebases", query="", language="cobol", maxResults=0, other=1)
    assert error["code"] == "INVALID_INPUT"
    assert len(error["data"]["violations"]) == 4
    await client.error("index_codebase", path=".", name="p", oops=True)
    assert await client.ask("list_codebases") == {"codebases": []}


@pytest.mark.requirement("002-8")
@pytest.mark.parametrize(
    "output",
    [
        models.SearchCodebasesOutput([], -1, 0.0),
        models.SearchResult("a", 0, 1, "python", "function", "", 0.5, "p"),
        models.SearchResult("a", 1, 1, "python", "function", "", 1.5, "p"),
        models.SearchResult("a", 1, 1, "cobol", "function", "", 0.5, "p"),
        models.SearchResult("a", 1, 1, "python", "macro", "", 0.5, "p"),
        models.CodebaseEntry("a", "/a", 1, 1, "yesterday", []),
        models.OpenCodebaseManagerOutput("no uri", ""),
    ],
)
def test_outputs_that_break_their_rules_do_not_leave(output: msgspec.Struct):
    """Ranges, enumerations and formats are checked on the way out too."""
    with pytest.raises(msgspec.ValidationError):
        models.checked(output)


async def test_indexing_tells_what_is_stale(client: Client, project: Path):
    """With check nothing changes; without it the index follows the files."""
    first = await client.ask("index_codebase", path=".", name="p")
    assert (first["status"], first["added"], first["chunksAfter"]) == ("finished", 3, 7)
    (project / "src/auth.py").write_text("x = 1\n")
    (project / "src/parser.ts").unlink()
    stale = await client.ask("index_codebase", path=".", name="p", check=True)
    assert (stale["status"], stale["staleFiles"]) == ("checked", ["src/auth.py", "src/parser.ts"])
    again = await client.ask("index_codebase", path=".", name="p")
    assert (again["changed"], again["removed"], again["unchanged"]) == (1, 1, 1)
    default = await client.ask("index_codebase", path="src")
    assert default["name"] == "src"


@pytest.mark.parametrize("path", ["..", "../outside", "/etc", "src/../..", "a\0b", "link", "~", "x" * 5_000])
async def test_folders_outside_the_roots_are_not_indexed(client: Client, project: Path, path: str):
    """Whatever leads there: dots, absolute paths, links."""
    (project / "link").symlink_to("/etc")
    error = await client.error("index_codebase", path=path, name="p")
    assert error["code"] == "INVALID_INPUT"
    assert await client.ask("list_codebases") == {"codebases": []}


async def test_an_ingestion_continues_when_its_caller_stops_waiting(memory: CodebaseMemory, project: Path):
    """Status running; the next call waits for the same ingestion."""
    client = Client(memory, project)
    waiting = await client.ask("index_codebase", path=".", name="p", waitSeconds=0)
    assert waiting["status"] == "waiting"
    job = client.ingestions.begin(project, "p")
    assert client.ingestions.jobs() == (job,)
    async with trio.open_nursery() as nursery:
        await nursery.start(client.ingestions.serve)
        assert (await client.ask("index_codebase", path=".", name="p"))["status"] == "finished"
        assert job.report is not None
        nursery.cancel_scope.cancel()


async def test_codebases_are_renamed_and_removed(client: Client):
    """By tools that need the scope control; what is not there is told as that."""
    await client.ask("index_codebase", path=".", name="p")
    assert await client.ask("rename_codebase", name="p", newName="q") == {"name": "q", "previousName": "p"}
    assert await client.ask("remove_codebase", name="q") == {"name": "q", "removedChunks": 7}
    for tool, arguments in (("remove_codebase", {}), ("rename_codebase", {"newName": "x"})):
        assert (await client.error(tool, name="q", **arguments))["data"]["reason"] == "NOT_FOUND"
    scopes = {each.name: str(each.scope) for each in client.registry.get_all_tools()}
    assert scopes["index_codebase"] == scopes["rename_codebase"] == scopes["remove_codebase"] == "control"
    assert scopes["search_codebases"] == "read"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_arguments_make_a_tool_fail_unexpectedly(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """Every answer is a result that fits its schema, or an error of the caller's."""
    folder = tmp_path_factory.mktemp("any")
    client = Client(open_memory(folder / "m.sqlite"), folder)
    tool = data.draw(st.sampled_from([each for each in client.registry.get_all_tools() if each.name not in SERVED]))
    arguments = data.draw(json_values(tool))

    async def call() -> None:
        rendered = await client.dispatcher.call(tool.name, arguments)
        if rendered.is_error:
            assert json.loads(rendered.text)["error"]["code"] == "INVALID_INPUT"
        else:
            jsonschema.validate(rendered.structured, tool.output_schema)

    trio.run(call)


@pytest.mark.integration
@pytest.mark.requirement("002-7", "002-D7")
async def test_the_manager_is_opened_once_and_shown_where_there_is_a_display(client: Client):
    """A second call opens the same page; the message says whether a browser was opened."""
    first = await client.ask("open_codebase_manager")
    assert first["message"].startswith("Manager UI is running; no browser was opened here")
    client.shown = True
    second = await client.ask("open_codebase_manager")
    assert second["message"] == "Manager UI opened in default browser"
    assert client.browsed == [first["url"], second["url"]]
    assert first["url"].split("#")[0] == second["url"].split("#")[0]
    assert first["url"] != second["url"]


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ""}])
def test_no_browser_is_looked_for_without_a_display(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    """A text browser would take over a terminal."""
    monkeypatch.setattr("webbrowser.open", pytest.fail)
    monkeypatch.setattr("sys.platform", "linux")
    assert open_in_browser("http://127.0.0.1:8009/", environment) is False


async def test_a_taken_port_is_told_and_may_be_tried_again(memory: CodebaseMemory, project: Path):
    """The error names the address; once it is free the page opens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = HttpSettings(port=taken.getsockname()[1], tokens=None)
        service = CodebaseService(memory, AllowedRoots([project], project), lambda: settings, lambda _: False)
        async with trio.open_nursery() as nursery:
            await nursery.start(service.serve)
            dispatcher = Dispatcher(ToolRegistry(tools_of(TOOLS, service)))
            with trio.fail_after(PATIENCE):
                refused = await dispatcher.call("open_codebase_manager", {})
                assert "CANNOT_LISTEN" in refused.text
                taken.close()
                assert (
                    (await dispatcher.call("open_codebase_manager", {}))
                    .structured["url"]
                    .endswith(f":{settings.port}/")
                )
            nursery.cancel_scope.cancel()


@pytest.mark.requirement("002-D3")
async def test_the_time_of_a_remembered_answer_is_that_of_the_call(client: Client, monkeypatch: pytest.MonkeyPatch):
    """Not that of the call which found it."""
    await client.ask("index_codebase", path=".", name="p")
    moments = iter([0.0, 5.0, 100.0, 100.001])
    monkeypatch.setattr("tools.codebase.tools.perf_counter", lambda: next(moments))
    assert (await client.ask("search_codebases", query="token"))["queryTime"] == 5_000
    assert (await client.ask("search_codebases", query="token"))["queryTime"] == 1
