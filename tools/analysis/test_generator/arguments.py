"""Arguments worth trying: values near the constants of the code, of the kinds that parameters are used as."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from tools.analysis.javascript.bindings import names_in_pattern
from tools.analysis.syntax_tree import descendants, field, text
from tools.analysis.test_generator.tested import parameters_of

MAX_CALLS = 64
MAX_LITERALS = 8
MAX_PARAMETERS = 16
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
    """Argument lists as source text, the usual first; at most `MAX_CALLS`, always the same for the same code.
    Parameters beyond `MAX_PARAMETERS` get nothing."""
    parameters = parameters_of(function)[:MAX_PARAMETERS]
    pools = _pools(parameters, function)
    return tuple(islice(dict.fromkeys(_lists(pools, parameters, function)), MAX_CALLS))


def usual_arguments(function: Node) -> str:
    """The first of `calls_for`."""
    return ", ".join(pool[0] for pool in _pools(parameters_of(function)[:MAX_PARAMETERS], function))


def _pools(parameters: Sequence[Node], function: Node) -> list[tuple[str, ...]]:
    if not parameters:
        return []
    uses = _uses_in(function)
    return [_pool(parameter, uses) for parameter in parameters]


@dataclass(frozen=True, slots=True)
class _Uses:
    """Uses of names in a function's code, and its constants, from one walk over its tree."""

    source: str
    members: Mapping[str, list[str]]
    called: frozenset[str]
    numbers: Sequence[int]
    strings: Sequence[str]


def _uses_in(function: Node) -> _Uses:
    members: defaultdict[str, dict[str, None]] = defaultdict(dict)
    called: set[str] = set()
    numbers: dict[int, None] = {}
    strings: dict[str, None] = {}
    for node in descendants(function):
        if node.type == "member_expression":
            receiver, key = field(node, "object"), field(node, "property")
            if receiver is not None and key is not None and receiver.type == "identifier":
                members[text(receiver)][text(key)] = None
        elif node.type == "call_expression":
            callee = field(node, "function")
            if callee is not None and callee.type == "identifier":
                called.add(text(callee))
        elif node.type == "number" and re.fullmatch(r"\d{1,9}", text(node)):
            numbers[int(text(node))] = None
        elif node.type == "string" and len(text(node)) < 40:
            strings[text(node)] = None
    named = {receiver: list(keys) for receiver, keys in members.items()}
    return _Uses(text(function), named, frozenset(called), list(numbers), list(strings))


def _lists(pools: list[tuple[str, ...]], parameters: Sequence[Node], function: Node) -> Iterator[str]:
    usual = [pool[0] for pool in pools]
    yield ", ".join(usual)
    optional = len(pools) - sum(_may_be_left_out(parameter) for parameter in parameters)
    yield from (", ".join(usual[:count]) for count in range(optional, len(pools)))
    for at, pool in enumerate(pools):
        for value in pool[1:]:
            yield ", ".join([*usual[:at], value, *usual[at + 1 :]])
    rng = random.Random(text(function))
    for _ in range(MAX_CALLS if len(pools) > 1 else 0):
        yield ", ".join(rng.choice(pool) for pool in pools)


def _may_be_left_out(parameter: Node) -> bool:
    return parameter.type in ("assignment_pattern", "rest_pattern")


def _pool(parameter: Node, uses: _Uses) -> tuple[str, ...]:
    """Values for one parameter, the likeliest first, no value twice."""
    if parameter.type == "object_pattern":
        return (_object_for(text(name) for name in names_in_pattern(parameter)), "{}", "undefined")
    if parameter.type == "array_pattern":
        return KINDS["array"]
    name = next(names_in_pattern(parameter), None)
    word = text(name) if name is not None else ""
    kind = _kind_by_use(word, uses) or _kind_by_name(word) or "number"
    likely = KINDS[kind]
    if kind == "object":
        members = uses.members.get(word)
        likely = (_object_for(members), *likely) if members else likely
    literals = _literals(uses, kind)
    return tuple(dict.fromkeys((likely[0], *literals, *likely[1:], *UNUSUAL)))


def _object_for(keys: Iterator[str] | list[str]) -> str:
    return "{" + ", ".join(f'"{key}": {KINDS[_kind_by_name(key) or "number"][0]}' for key in keys) + "}"


def _kind_by_name(word: str) -> str | None:
    return next((kind for pattern, kind in NAMES if pattern.search(word)), None)


def _kind_by_use(word: str, uses: _Uses) -> str | None:
    """Kind of a parameter inferred from its use: calls, members, arithmetic; None when the use does not decide."""
    compared = _typeof(word, uses.source)
    if compared in KINDS:
        return compared
    members = set(uses.members.get(word, ()))
    if members & ARRAY_MEMBERS or f"Array.isArray({word})" in uses.source:
        return "array"
    if members & STRING_MEMBERS:
        return "string"
    if word in uses.called:
        return "function"
    return "object" if members - {"length", "toString", "includes", "indexOf", "slice", "concat", "at"} else None


def _typeof(word: str, source: str) -> str | None:
    found = re.search(rf"typeof\s+{re.escape(word)}\s*[!=]==?\s*['\"](\w+)['\"]", source) if word else None
    return found[1] if found else None


def _literals(uses: _Uses, kind: str) -> list[str]:
    """Constants of the code, and the adjacent numbers: the boundaries of branches."""
    if kind == "number":
        beside = (str(number + step) for number in uses.numbers for step in (0, 1, -1))
        return list(islice(dict.fromkeys(beside), 3 * MAX_LITERALS))
    return list(uses.strings[: 3 * MAX_LITERALS]) if kind == "string" else []
