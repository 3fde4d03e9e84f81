"""An HTTP server for agents over the small tool set: `attacked_server_program.py SETTINGS`, JSON of `HttpSettings`.

Prints its URL, serves until its stdin is closed, and leaves with 0.
"""

from __future__ import annotations

import json
import sys

import trio

from orchestrator.logging import configure_logging
from tests.support.tool_set import tool_set
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry
from tools.serving.access import Tokens
from tools.serving.binding import build_server
from tools.serving.facade import Facade
from tools.serving.http import HttpSettings, http_caller, http_server
from tools.serving.http_connection import Timeouts
from tools.serving.request_limits import CredentialLimits
from tools.serving.subscriptions import Subscriptions

TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")


def settings_of(text: str) -> HttpSettings:
    given = json.loads(text)
    given["timeouts"] = Timeouts(**given.get("timeouts", {}))
    if "shares" in given:
        given["shares"] = CredentialLimits(**given["shares"])
    return HttpSettings(tokens=TOKENS, **given)


async def main() -> None:
    configure_logging()
    facade = Facade(dispatcher=Dispatcher(ToolRegistry(tool_set())))
    server = build_server(facade, Subscriptions(), http_caller)
    async with http_server(server, settings_of(sys.argv[1])) as url:
        print(url, flush=True)
        await trio.lowlevel.wait_readable(0)


if __name__ == "__main__":
    trio.run(main)
