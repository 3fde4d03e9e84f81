"""The server that the official conformance suite of MCP expects, over the transport of `tools.serving`.

`python -m tests.support.conformance_server` prints its URL and serves until it is ended. Names, texts and answers are
those that the suite's scenarios ask for.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from tools.serving.http import HttpSettings, http_server

Context = ServerRequestContext[Any, Any]
RETRY_MILLISECONDS = 500
STEP_SECONDS = 0.05
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _image() -> str:
    """One red pixel as PNG."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0\xff\0\0")), (b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)).decode()


def _sound() -> str:
    """Eight samples of silence as WAV."""
    layout = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8_000, 8_000, 1, 8)
    body = b"WAVE" + layout + b"data" + struct.pack("<I", 8) + b"\x80" * 8
    return base64.b64encode(b"RIFF" + struct.pack("<I", len(body)) + body).decode()


IMAGE, SOUND = _image(), _sound()


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image_content() -> types.ImageContent:
    return types.ImageContent(type="image", data=IMAGE, mime_type="image/png")


def _resource(uri: str, kind: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    )


async def _logging(context: Context, _: dict[str, Any]) -> list[Any]:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", text, related_request_id=context.request_id)
        await trio.sleep(STEP_SECONDS)
    return [_text("Messages were sent.")]


async def _progress(context: Context, _: dict[str, Any]) -> list[Any]:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await trio.sleep(STEP_SECONDS)
    return [_text("Progress was told.")]


async def _sampling(context: Context, arguments: dict[str, Any]) -> list[Any]:
    message = types.SamplingMessage(role="user", content=_text(arguments["prompt"]))
    answer = await context.session.create_message([message], max_tokens=100, related_request_id=context.request_id)
    return [_text(f"LLM response: {getattr(answer.content, 'text', '')}")]


async def _elicit(
    context: Context, message: str, properties: dict[str, Any], required: list[str]
) -> types.ElicitResult:
    schema = {"type": "object", "properties": properties, "required": required}
    return await context.session.elicit(message, schema, related_request_id=context.request_id)


async def _elicitation(context: Context, arguments: dict[str, Any]) -> list[Any]:
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    answer = await _elicit(context, arguments["message"], properties, ["username", "email"])
    return [_text(f"User response: action={answer.action}, content={json.dumps(answer.content)}")]


async def _defaults(context: Context, _: dict[str, Any]) -> list[Any]:
    properties = {
        "name": {"type": "string", "description": "Name", "default": "John Doe"},
        "age": {"type": "integer", "description": "Age", "default": 30},
        "score": {"type": "number", "description": "Score", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "description": "Verified", "default": True},
    }
    answer = await _elicit(context, "Values with defaults", properties, [])
    return [_text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")]


async def _choices(context: Context, _: dict[str, Any]) -> list[Any]:
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    names = ["Option One", "Option Two", "Option Three"]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    answer = await _elicit(context, "Choices", properties, [])
    return [_text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")]


async def _reconnection(context: Context, _: dict[str, Any]) -> list[Any]:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await trio.sleep(2 * STEP_SECONDS)
    return [_text("Reconnection test completed successfully")]


def _fixed(*content: Any) -> Callable[[Context, dict[str, Any]], Awaitable[list[Any]]]:
    async def answer(_: Context, __: dict[str, Any]) -> list[Any]:
        return list(content)

    return answer


async def _failing(_: Context, __: dict[str, Any]) -> list[Any]:
    raise ValueError("This tool intentionally returns an error for testing")


def _takes(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
MIXED = _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
EMBEDDED = _resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
TOOLS: dict[str, tuple[dict[str, Any], Callable[[Context, dict[str, Any]], Awaitable[list[Any]]]]] = {
    "test_simple_text": (NO_ARGUMENTS, _fixed(_text("This is a simple text response for testing."))),
    "test_image_content": (NO_ARGUMENTS, _fixed(_image_content())),
    "test_audio_content": (
        NO_ARGUMENTS,
        _fixed(types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")),
    ),
    "test_embedded_resource": (NO_ARGUMENTS, _fixed(EMBEDDED)),
    "test_multiple_content_types": (
        NO_ARGUMENTS,
        _fixed(_text("Multiple content types test:"), _image_content(), MIXED),
    ),
    "test_tool_with_logging": (NO_ARGUMENTS, _logging),
    "test_tool_with_progress": (NO_ARGUMENTS, _progress),
    "test_error_handling": (NO_ARGUMENTS, _failing),
    "test_sampling": (_takes("prompt"), _sampling),
    "test_elicitation": (_takes("message"), _elicitation),
    "test_elicitation_sep1034_defaults": (NO_ARGUMENTS, _defaults),
    "test_elicitation_sep1330_enums": (NO_ARGUMENTS, _choices),
    "test_reconnection": (NO_ARGUMENTS, _reconnection),
    "json_schema_2020_12_tool": (SCHEMA_2020, _fixed(_text("The schema counts."))),
}


async def _list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    listed = [
        types.Tool(name=name, description=f"Fixture {name}", input_schema=schema) for name, (schema, _) in TOOLS.items()
    ]
    return types.ListToolsResult(tools=listed)


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    _, answer = TOOLS[params.name]
    try:
        return types.CallToolResult(content=await answer(context, params.arguments or {}))
    except ValueError as error:
        return types.CallToolResult(content=[_text(str(error))], is_error=True)


async def _list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    names = {"test://static-text": "text/plain", "test://static-binary": "image/png"}
    listed = [
        types.Resource(uri=uri, name=uri.rpartition("/")[2], description=f"Fixture {uri}", mime_type=kind)
        for uri, kind in {**names, "test://watched-resource": "text/plain"}.items()
    ]
    return types.ListResourcesResult(resources=listed)


async def _list_templates(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description="Fixture", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    content: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        content = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=IMAGE)
    elif uri.startswith("test://template/"):
        number = uri.split("/")[3]
        body = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
        content = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(body))
    else:
        text = "This is the content of the static text resource."
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return types.ReadResourceResult(contents=[content])


async def _accept(_: Context, __: Any) -> types.EmptyResult:
    return types.EmptyResult()


PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


async def _list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    listed = [
        types.Prompt(
            name=name,
            description=f"Fixture {name}",
            arguments=[types.PromptArgument(name=each, description=each, required=True) for each in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=listed)


async def _get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    content: list[Any]
    match params.name:
        case "test_prompt_with_arguments":
            content = [_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            embedded = _resource(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            content = [embedded, _text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            content = [_image_content(), _text("Please analyze the image above.")]
        case _:
            content = [_text("This is a simple prompt for testing.")]
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in content])


async def _complete(_: Context, __: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park", "party"], total=3, has_more=False))


def fixture_server() -> Server[Any]:
    return Server(
        "conformance fixtures",
        version="1",
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_accept,
        on_unsubscribe_resource=_accept,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
        on_set_logging_level=_accept,
    )


async def main() -> None:
    settings = HttpSettings(tokens=None, retry=RETRY_MILLISECONDS)
    async with http_server(fixture_server(), settings) as url:
        print(url, flush=True)
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(main)
