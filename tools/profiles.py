"""Profiles: the tools that a server lists: `lean`, `full`, or whole families. What is not listed can be called all the
same.

A listing costs a model thousands of tokens in each session, so the usual one is lean: the nine tools of the campaign
contract with their whole schemas, and those that a model needs with them, in a brief form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tools.tool import Family, Tool

CONTRACT = (
    *("read_logs", "show_coverage", "dump_lcov", "get_corpus_size", "inspect_corpus_transactions"),
    *("find_transaction_in_corpus", "inject_transaction", "prioritize_function", "clear_priorities"),
)
COMPANIONS = (
    *("status", "start_campaign", "list_findings", "get_reproducer", "explain_uncovered", "read_source"),
    "execute_sequence",
)
BRIEF_ARGUMENTS = {
    "start_campaign": ("paths", "contract", "testMode", "timeLimit", "corpusDir"),
    "execute_sequence": ("sequence", "trace"),
}
"""Arguments that a brief listing shows; all others are those of the schema resource."""
LEAN, FULL = "lean", "full"
GROUPS = tuple(family.value for family in Family)
ALLOWED = f"{LEAN}, {FULL}, or some of {', '.join(GROUPS)} with commas between them"


def checked_profile(text: str) -> str:
    """A profile as a user gives it. Raises `ValueError` with the allowed form."""
    if text not in (LEAN, FULL) and not all(name in GROUPS for name in text.split(",")):
        raise ValueError(f"must be {ALLOWED}, not {text[:100]!r}")
    return text


def is_brief(tool: Tool[Any], profile: str) -> bool:
    """Return whether a profile lists the tool without what clients can do without, such as the schema of its
    answers."""
    return profile == LEAN and tool.name not in CONTRACT


def listed(tools: Iterable[Tool[Any]], profile: str) -> tuple[Tool[Any], ...]:
    """The tools that a profile lists, in their order."""
    match profile:
        case "full":
            return tuple(tools)
        case "lean":
            chosen = tuple(each for each in tools if each.name in CONTRACT or each.name in COMPANIONS)
            # A server without campaigns has nothing to be lean about.
            return chosen or tuple(tools)
        case groups:
            return tuple(each for each in tools if each.family.value in groups.split(","))


def hint(tools: Iterable[Tool[Any]], profile: str) -> str:
    """A sentence for the model on the tools that are not listed; empty when all are."""
    tools = tuple(tools)
    shown = {each.name for each in listed(tools, profile)}
    rest = [each.name for each in tools if each.name not in shown]
    if not rest:
        return ""
    return (
        f"{len(rest)} more tools can be called by name though they are not listed: {', '.join(rest)}. Their schemas are"
        " resources, schema://tools/NAME/input; the server lists all of them when started with --mcp-tools full."
    )
