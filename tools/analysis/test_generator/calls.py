"""Calls to try: for each function, as source text that a test can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import assert_never

from tools.analysis.test_generator.arguments import calls_for, usual_arguments
from tools.analysis.test_generator.tested import Reach, TestedFunction

MAX_TRIED = 240
MIN_EACH = 8
_TAKEN = frozenset(("load", "expect", "items", "describe", "it", "arguments", "eval"))
"""Names that a test file uses itself, and those that strict code may not declare."""
_RESERVED = frozenset(
    """
    await break case catch class const continue debugger default delete do else enum export extends false finally for
    function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof var void while with yield
    """.split()  # noqa: SIM905  # as a list it would fill a page
)


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """`invocation` is an expression over `local`, which stands for what the subject has under `key`. `name` is the
    function's, `arguments` what it is given."""

    name: str
    key: str
    local: str
    invocation: str
    arguments: str


def calls_of(functions: Sequence[TestedFunction]) -> list[GeneratedCall]:
    """At most `MAX_TRIED` calls, of each function the usual ones first."""
    each = max(MIN_EACH, MAX_TRIED // max(1, len(functions)))
    usual: dict[int, str] = {}
    calls = (_call(function, given, usual) for function in functions for given in calls_for(function.node)[:each])
    return list(islice(calls, MAX_TRIED))


def _call(function: TestedFunction, given: str, usual: dict[int, str]) -> GeneratedCall:
    is_free = function.key not in _TAKEN | _RESERVED
    local = function.key if is_free else f"{function.key}Function"
    return GeneratedCall(function.name, function.key, local, _invocation(function, local, given, usual), given)


def _invocation(function: TestedFunction, local: str, given: str, usual: dict[int, str]) -> str:
    match function.reach:
        case Reach.PLAIN:
            return f"{local}({given})"
        case Reach.STATIC:
            return f"{local}.{function.member}({given})"
        case Reach.METHOD:
            return f"{_new(function, local, usual)}.{function.member}({given})"
        case Reach.GETTER:
            return f"{_new(function, local, usual)}.{function.member}"
        case _:
            assert_never(function.reach)


def _new(function: TestedFunction, local: str, usual: dict[int, str]) -> str:
    """`usual` remembers what constructors are given: the methods of a class share one."""
    made_by = function.constructor
    if made_by is not None and made_by.id not in usual:
        usual[made_by.id] = usual_arguments(made_by)
    return f"new {local}({usual[made_by.id] if made_by is not None else ''})"
