"""Reads a target through the tools: its contracts, their source, and what public variables hold after deployment."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import trio

from orchestrator.autopilot.linked import Linked, link
from orchestrator.autopilot.reading import read_contracts
from orchestrator.autopilot.syntax import ContractText
from orchestrator.autopilot.values import is_fixed_bytes, is_integer
from orchestrator.autopilot.world import Surroundings

Ask = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
"""Calls a tool; its answer as an object or a text, None where it failed."""
PAGE = 400
MAX_FILES = 200
MAX_PAGES = 50
WATCHED = 20
_LINE = re.compile(r"^ *\d+ \|[ \d]{9,}\|.{2}\| ?(.*?)(?:  // (?:[a-z?|&:!=<>]+ never [a-z]+|never executed).*)?$")
_HEAD = re.compile(r"^(.*?):\d+ \S+: entered ")
_IMPORT = re.compile(r"^[ \t]*import\b[^;]{0,1000}?[\"']([^\"']+)[\"']", re.MULTILINE)


@dataclass(frozen=True)
class Test:
    """`id` is that of the campaign, `contract` and `name` where it stands."""

    id: str
    kind: str
    contract: str
    name: str

    __test__ = False


@dataclass(frozen=True)
class Target:
    surroundings: Surroundings
    tests: tuple[Test, ...]


async def read_target(ask: Ask, deployer: int) -> Target | None:
    """None while there is nothing to read."""
    told = await _told(ask)
    if told is None or not told["contracts"]:
        return None
    contracts = await _sources(ask, told["contracts"])
    scopes = {name: link(contracts, name) for name in contracts}
    addresses = {each["name"]: int(each["address"], 16) for each in told["contracts"] if each["name"] in scopes}
    if not addresses:
        return None
    known, timestamp, block = await _state(ask, told["contracts"], scopes)
    surroundings = Surroundings(
        scopes,
        addresses,
        tuple(int(each, 16) for each in told["senders"]),
        deployer,
        timestamp,
        block,
        known,
    )
    tests = [Test(each["id"], each["kind"], *_place(each["id"])) for each in told["tests"] if each["status"] == "open"]
    return Target(surroundings, tuple(tests))


async def _told(ask: Ask) -> dict[str, Any] | None:
    """Every page of `target` as one."""
    told: dict[str, Any] | None = None
    offset: int | None = 0
    while offset is not None:
        page = await ask("target", {"offset": offset, "limit": PAGE})
        if not isinstance(page, dict):
            return None
        if told is None:
            told = {**page, "contracts": [], "tests": []}
        for contract in page["contracts"]:
            known = next((each for each in told["contracts"] if each["name"] == contract["name"]), None)
            if known is None:
                told["contracts"].append({**contract, "functions": list(contract["functions"])})
            else:
                known["functions"] += contract["functions"]
        told["tests"] += page["tests"]
        offset = page["nextOffset"]
    return told


def _place(identity: str) -> tuple[str, str]:
    contract, _, name = identity.partition("(")[0].rpartition(".")
    return contract.rpartition(":")[2], name


async def _sources(ask: Ask, contracts: Iterable[Mapping[str, Any]]) -> dict[str, ContractText]:
    """Every contract that the deployed ones are written in, by name."""
    waiting: list[str] = []
    for contract in contracts:
        for function in contract["functions"]:
            name = function["signature"].partition("(")[0]
            shown = await ask("read_source", {"function": f"{contract['name']}.{name}", "limit": 1})
            if isinstance(shown, str) and (head := _HEAD.match(shown)) is not None:
                waiting.append(head.group(1))
                break
    found: dict[str, ContractText] = {}
    seen: set[str] = set()
    while waiting and len(seen) < MAX_FILES:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        text = await _file(ask, path)
        # A source may be large, and is anybody's.
        read = await trio.to_thread.run_sync(read_contracts, text, abandon_on_cancel=True)
        found |= {name: each for name, each in read.items() if name not in found}
        waiting += [each.rpartition("/")[2] for each in _IMPORT.findall(text)]
    return found


async def _file(ask: Ask, path: str) -> str:
    lines: list[str] = []
    for _ in range(MAX_PAGES):
        shown = await ask("read_source", {"file": path, "startLine": len(lines) + 1, "limit": PAGE})
        if not isinstance(shown, str):
            break
        page = [match.group(1) for line in shown.split("\n")[1:] if (match := _LINE.match(line)) is not None]
        lines += page
        if len(page) < PAGE:
            break
    return "\n".join(lines)


async def _state(
    ask: Ask, contracts: Iterable[Mapping[str, Any]], scopes: Mapping[str, Linked]
) -> tuple[dict[tuple[str, str], Any], int, int]:
    """Values of public variables, and the time and block of the deployment."""
    getters = [
        (contract["name"], variable.name, variable.type)
        for contract in contracts
        if contract["name"] in scopes
        for variable in scopes[contract["name"]].variables.values()
        if "public" in variable.words and _is_simple(variable.type)
    ]
    first = next(
        (f"{name}.{variable}()" for name, variable, _ in getters),
        next((f"{each['name']}.{view}()" for each in contracts for view in _views(scopes, each["name"])), ""),
    )
    known: dict[tuple[str, str], Any] = {}
    timestamp = block = 0
    for start in range(0, max(1, len(getters)), WATCHED):
        part = getters[start : start + WATCHED]
        watched = [f"{name}.{variable}()" for name, variable, _ in part]
        shown = await ask("execute_sequence", {"sequence": [{"call": first}], "watch": watched, "checkTests": False})
        if not isinstance(shown, dict):
            continue
        timestamp, block = shown["timestamp"], shown["block"]
        for (name, variable, kind), value in zip(part, shown["watched"], strict=False):
            if not value["reason"] and (data := _data(value["value"], kind)) is not None:
                known[name, variable] = data
    return known, timestamp, block


def _views(scopes: Mapping[str, Linked], contract: str) -> list[str]:
    """Functions without arguments that change nothing."""
    code = scopes.get(contract)
    if code is None:
        return []
    functions = [each for each in code.callable_functions() if not each.parameters]
    return [each.name for each in sorted(functions, key=lambda each: not each.is_view)]


def _is_simple(kind: str) -> bool:
    return is_integer(kind) or is_fixed_bytes(kind) or kind in ("bool", "address")


def _data(text: str, kind: str) -> Any:
    """A returned value as data; None where it is written in another way."""
    if kind == "bool":
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        return None
