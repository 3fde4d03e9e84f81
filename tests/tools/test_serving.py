"""The facade over MCP, in memory, in both protocol eras."""

from __future__ import annotations

import json

import pytest
import trio
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.support.patience import PATIENCE
from tools.dispatcher import Dispatcher
from tools.prompt import Prompt, PromptArgument
from tools.registry import ToolRegistry
from tools.resource import Resource, ResourceTemplate, ResourceText
from tools.schema_resources import SchemaResources
from tools.serving.binding import build_server, local_caller
from tools.serving.facade import Facade
from tools.serving.subscriptions import Subscriptions

ERAS = ["auto", "legacy"]


class Notes:
    """A source with one resource."""

    def __init__(self) -> None:
        self.text = "first"

    def resources(self):
        return (Resource("note://one", "one", "A note."),)

    def templates(self):
        return (ResourceTemplate("note://{name}", "note", "A note by name."),)

    async def read(self, uri: str) -> ResourceText | None:
        return ResourceText(self.text, "text/plain") if uri == "note://one" else None


GREET = Prompt(
    name="greet",
    title="Greet",
    description="Says hello.",
    arguments=(PromptArgument("who", "Whom to greet."),),
    render=lambda arguments: f"Say hello to {arguments['who']}.",
)


@pytest.fixture
def subscriptions() -> Subscriptions:
    return Subscriptions()


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def facade(dispatcher: Dispatcher, registry: ToolRegistry, notes: Notes) -> Facade:
    sources = (notes, SchemaResources(registry, {("plain", "output"): {"type": "string"}}))
    return Facade(dispatcher=dispatcher, sources=sources, prompts=(GREET,), version="1")


@pytest.fixture(params=ERAS)
async def client(request: pytest.FixtureRequest, facade: Facade, subscriptions: Subscriptions, nursery):
    async with Client(build_server(facade, subscriptions, local_caller), mode=request.param) as connected:
        yield connected


async def test_tools_are_listed_with_all_four_hints(client: Client):
    """Absent hints would mean destructive and open-world."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    hints = tools["echo"].annotations
    assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint) == (
        True,
        False,
        True,
        False,
    )
    assert tools["echo"].input_schema["additionalProperties"] is False
    assert tools["plain"].output_schema is None


async def test_answers_come_as_text_and_as_an_object(client: Client):
    """Text alone where the tool publishes no output schema."""
    answer = await client.call_tool("echo", {"text": "ab", "times": 2})
    assert answer.structured_content == {"text": "abab"}
    assert answer.content[0].text == '{"text":"abab"}'
    plain = await client.call_tool("plain", {})
    assert (plain.content[0].text, plain.structured_content) == ("TN:\n", None)


async def test_errors_are_results_without_structured_content(client: Client):
    """A model sees them and can correct itself; the protocol continues."""
    answer = await client.call_tool("echo", {"text": 5, "more": 1})
    assert answer.is_error
    assert answer.structured_content is None
    error = json.loads(answer.content[0].text)["error"]
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["violations"] == [
        "text must be a valid string",
        "more is not a known argument; known are: text, times",
    ]


async def test_schemas_are_resources(client: Client):
    """In full, also where the listing has none."""
    text = (await client.read_resource("schema://tools/plain/output")).contents[0].text
    assert json.loads(text) == {"type": "string"}
    text = (await client.read_resource("schema://tools/echo/input")).contents[0].text
    assert json.loads(text)["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize("uri", ["schema://tools/none/input", "schema://tools/echo/more", "note://two", "x" * 5000])
async def test_resources_that_do_not_exist_are_errors_of_the_protocol(client: Client, uri: str):
    """With the code that the specification reserves for it."""
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    assert caught.value.error.code == -32002


async def test_prompts_become_messages(client: Client):
    """Arguments are checked before anything is rendered."""
    assert (await client.list_prompts()).prompts[0].arguments[0].name == "who"
    result = await client.get_prompt("greet", {"who": "Ann"})
    assert result.messages[0].content.text == "Say hello to Ann."
    for arguments in ({}, {"who": "a", "how": "b"}, {"who": "a" * 3000}):
        with pytest.raises(MCPError):
            await client.get_prompt("greet", arguments)
    with pytest.raises(MCPError):
        await client.get_prompt("none", {})


async def test_a_modern_client_hears_of_updates(facade: Facade, subscriptions: Subscriptions, notes: Notes):
    """It listens on a stream of its own and reads anew."""
    async with (
        Client(build_server(facade, subscriptions, local_caller)) as client,
        client.listen(resource_subscriptions=["note://one"]) as updates,
    ):
        notes.text = "second"
        await subscriptions.publish("note://two")
        await subscriptions.publish("note://one")
        update = await anext(aiter(updates))
        assert update.uri == "note://one"
        assert (await client.read_resource("note://one")).contents[0].text == "second"


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_an_older_client_hears_of_updates(facade: Facade, subscriptions: Subscriptions):
    """On its connection, after `resources/subscribe`, until `resources/unsubscribe`."""
    heard: list[str] = []
    arrived = trio.Event()

    async def hear(message: object) -> None:
        if hasattr(message, "params") and hasattr(message.params, "uri"):
            heard.append(str(message.params.uri))
            arrived.set()

    server = build_server(facade, subscriptions, local_caller)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        await client.subscribe_resource("note://one")
        await subscriptions.publish("note://one")
        with trio.fail_after(PATIENCE):
            await arrived.wait()
        await client.unsubscribe_resource("note://one")
        await subscriptions.publish("note://one")
        await client.list_tools()
        assert heard == ["note://one"]
