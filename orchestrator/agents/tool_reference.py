"""The reference of tools, from what a server publishes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.configuration.model import Configuration
from tools.tool import Family, Scope, Tool

DEADLINES = {
    "campaign": "100 ms",
    "analysis": "5 s",
    "search": "5 s",
    "process": "55 s",
    "wait": "50 s",
}


def tool_tables() -> str:
    """One table for each family."""
    tools = _published()
    return "\n".join(_table(family, [each for each in tools if each.family is family]) for family in Family)


def build_table() -> str:
    """The family `builds` with what each tool does."""
    lines = [f"| `{each.name}` | {each.description} |" for each in _published() if each.family is Family.BUILDS]
    return "\n".join(["| tool | what it does |", "|---|---|", *lines, ""])


def _published() -> tuple[Tool[Any], ...]:
    # Nothing is opened or written before a server opens.
    server = Server(server_settings(Configuration(), Path("/")))
    return tuple(server.tools(None))


def _table(family: Family, tools: Iterable[Tool[Any]]) -> str:
    lines = [f"## {family.value.capitalize()}", "", "| tool | token | answers within | meaning |", "|---|---|---|---|"]
    lines += [
        f"| `{each.name}` | {_token(each.scope)} | {DEADLINES[each.deadline.value]} | {each.description} |"
        for each in tools
    ]
    return "\n".join(lines) + "\n"


def _token(scope: Scope) -> str:
    return "read" if scope is Scope.READ else "control"
