"""Arguments worth trying: values near the constants of the code, of the kinds that parameters are used as."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from tools.analysis.javascript.bindings import names_in_pattern
from tools.analysis.syntax_tree import descendants, field, text
from tools.analysis.test_generator.tested import parameters_of

MOST_CALLS = 64
MOST_LITERALS = 8
KINDS = {
    "number": ("2", "0", "-1", "7", "2.5", "100"),
    "string": ('"hello"', '""', '"a"', '"Hello World"', '"12"'),
    "boolean": ("true", "false"),
    "array": ("[1, 2, 3]", "[]", "[3, 1, 2]", '["b", "a"]', "[[1], [2]]"),
    "object": ('{"a": 1}', "{}", '{"a": {"b": 2}}'),
    "function": ("(x) => x", "() => true"),
}
UNUSUAL = ("undefined", "null", "NaN", '"text"', "-5", "[]", "{}")
NAMES = (
    (re.compile(r"^(is|has|should|can)[A-Z]|flag|enabled|strict"), "boolean"),
    (re.compile(r"fn$|func|callback|cb$|predicate|mapper|reducer|compare|transform", re.IGNORECASE), "function"),
    (re.compile(r"arr|list|items|values|nums|numbers|elements|rows|xs$", re.IGNORECASE), "array"),
    (re.compile(r"obj|opt|config|settings|user|person|item$|record|props|data", re.IGNORECASE), "object"),
    (re.compile(r"str|text|name|word|key|path|url|email|message|sep|char|prefix|title|s$", re.IGNORECASE), "string"),
)
ARRAY_MEMBERS = frozenset(
    ("map", "filter", "reduce", "forEach", "some", "every", "find", "flat", "flatMap", "toSorted")
)
STRING_MEMBERS = frozenset(
    (
        "split",
        "trim",
        "toUpperCase",
        "toLowerCase",
        "replace",
        "replaceAll",
        "charAt",
        "startsWith",
        "endsWith",
        "padStart",
    )
)


def calls_for(function: Node) -> tuple[str, ...]:
    """Argument lists as source text, the usual first; at most `MOST_CALLS`, always the same for the same code."""
    pools = [_pool(parameter, function) for parameter in parameters_of(function)]
    return tuple(islice(dict.fromkeys(_lists(pools, function)), MOST_CALLS))


def _lists(pools: list[tuple[str, ...]], function: Node) -> Iterator[str]:
    usual = [pool[0] for pool in pools]
    yield ", ".join(usual)
    optional = len(pools) - sum(_may_be_left_out(parameter) for parameter in parameters_of(function))
    yield from (", ".join(usual[:count]) for count in range(optional, len(pools)))
    for at, pool in enumerate(pools):
        for value in pool[1:]:
            yield ", ".join([*usual[:at], value, *usual[at + 1 :]])
    rng = random.Random(text(function))
    for _ in range(MOST_CALLS if len(pools) > 1 else 0):
        yield ", ".join(rng.choice(pool) for pool in pools)


def _may_be_left_out(parameter: Node) -> bool:
    return parameter.type in ("assignment_pattern", "rest_pattern")


def _pool(parameter: Node, function: Node) -> tuple[str, ...]:
    """Values for one parameter, the likeliest first, no value twice."""
    if parameter.type == "object_pattern":
        return (_object_for(text(name) for name in names_in_pattern(parameter)), "{}", "undefined")
    if parameter.type == "array_pattern":
        return KINDS["array"]
    name = next(names_in_pattern(parameter), None)
    word = text(name) if name is not None else ""
    kind = _kind_by_use(word, function) or _kind_by_name(word) or "number"
    likely = KINDS[kind]
    if kind == "object":
        members = _members(word, function)
        likely = (_object_for(members), *likely) if members else likely
    literals = _literals(function, kind)
    return tuple(dict.fromkeys((likely[0], *literals, *likely[1:], *UNUSUAL)))


def _object_for(keys: Iterator[str] | list[str]) -> str:
    return "{" + ", ".join(f'"{key}": {KINDS[_kind_by_name(key) or "number"][0]}' for key in keys) + "}"


def _kind_by_name(word: str) -> str | None:
    return next((kind for pattern, kind in NAMES if pattern.search(word)), None)


def _kind_by_use(word: str, function: Node) -> str | None:
    """What the code does with the parameter tells most: calls it, asks for its methods, computes with it."""
    compared = _typeof(word, function)
    if compared in KINDS:
        return compared
    members = set(_members(word, function))
    if members & ARRAY_MEMBERS or f"Array.isArray({word})" in text(function):
        return "array"
    if members & STRING_MEMBERS:
        return "string"
    for node in descendants(function):
        called = field(node, "function") if node.type == "call_expression" else None
        if called is not None and text(called) == word:
            return "function"
    return "object" if members - {"length", "toString", "includes", "indexOf", "slice", "concat", "at"} else None


def _typeof(word: str, function: Node) -> str | None:
    found = re.search(rf"typeof\s+{re.escape(word)}\s*[!=]==?\s*['\"](\w+)['\"]", text(function)) if word else None
    return found[1] if found else None


def _members(word: str, function: Node) -> list[str]:
    found: dict[str, None] = {}
    for node in descendants(function):
        if node.type == "member_expression":
            receiver, key = field(node, "object"), field(node, "property")
            if receiver is not None and key is not None and text(receiver) == word:
                found[text(key)] = None
    return list(found)


def _literals(function: Node, kind: str) -> list[str]:
    """Constants of the code, and the numbers beside them: where branches turn."""
    found: dict[str, None] = {}
    for node in descendants(function):
        if node.type == "number" and kind == "number" and re.fullmatch(r"\d{1,9}", text(node)):
            number = int(text(node))
            found.update(dict.fromkeys((str(number), str(number + 1), str(number - 1))))
        elif node.type == "string" and kind == "string" and len(text(node)) < 40:
            found[text(node)] = None
    return list(found)[: 3 * MOST_LITERALS]
