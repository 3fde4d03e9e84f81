"""A server on stdio with the small tool set and one that prints, for tests of the transport."""

from __future__ import annotations

import trio

from tests.support.tool_set import NoInput, make_tool, tool_set
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry
from tools.serving.binding import build_server, local_caller
from tools.serving.facade import Facade
from tools.serving.stdio import serve_stdio
from tools.serving.subscriptions import Subscriptions
from tools.tool import Answer


async def print_something(inputs: NoInput) -> Answer:
    print("a stray print", flush=True)
    return Answer({})


async def main() -> None:
    registry = ToolRegistry([*tool_set(), make_tool("noisy", print_something)])
    facade = Facade(dispatcher=Dispatcher(registry))
    await serve_stdio(build_server(facade, Subscriptions(), local_caller), flush_seconds=60)


if __name__ == "__main__":
    trio.run(main)
