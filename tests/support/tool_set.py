"""A small facade with a tool of each kind, for the tests of the machinery."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import trio
from pydantic import Field

from tools.errors import ErrorCode, ToolError
from tools.tool import Annotations, Answer, Deadline, Family, Scope, Tool, ToolInput


class EchoInput(ToolInput):
    text: Annotated[str, Field(max_length=100)]
    times: Annotated[int, Field(ge=1, le=5)] = 1


class NoInput(ToolInput):
    pass


async def echo(inputs: EchoInput) -> Answer:
    return Answer({"text": inputs.text * inputs.times})


async def plain(inputs: NoInput) -> Answer:
    return Answer("TN:\n")


async def refuse(inputs: NoInput) -> Answer:
    raise ToolError(ErrorCode.INVALID_INPUT, "no such thing", place="here")


async def crash(inputs: NoInput) -> Answer:
    raise ZeroDivisionError


async def stick(inputs: NoInput) -> Answer:
    await trio.sleep_forever()
    raise AssertionError


def make_tool(name: str, call: Callable, arguments: type[ToolInput] = NoInput, **rest: object) -> Tool:
    fields = {
        "family": Family.CAMPAIGN,
        "deadline": Deadline.CAMPAIGN,
        "annotations": Annotations(title=name, read_only=True, destructive=False, idempotent=True),
        "description": f"The tool {name}.",
    }
    return Tool(name=name, arguments=arguments, call=call, **{**fields, **rest})


ECHO_OUTPUT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


def tool_set() -> list[Tool]:
    return [
        make_tool("echo", echo, EchoInput, output_schema=ECHO_OUTPUT, aliases=("demo.echo",)),
        make_tool("plain", plain),
        make_tool("refuse", refuse),
        make_tool("crash", crash),
        make_tool("stick", stick),
        make_tool("steer", echo, EchoInput, output_schema=ECHO_OUTPUT, scope=Scope.CONTROL),
        make_tool("steer_stuck", stick, scope=Scope.CONTROL),
    ]
