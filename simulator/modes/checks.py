"""Tests as modes describe them: what is checked, when it fails, and how it is called in reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from simulator.abi.contract import Function

TestKind = Literal["property", "assertion", "call", "optimization", "exploration", "crash"]


class Check(IntEnum):
    """Way to check an oracle; the numbers are part of the native loop's interface."""

    PROPERTY_TRUE = 0
    PROPERTY_REVERTS = 1
    OPTIMIZATION = 2
    FUNCTION_ASSERTS = 3
    ASSERTION_EVENT = 4
    OVERFLOW = 5
    TARGET_DESTROYED = 6
    ANY_DESTROYED = 7
    NOTHING = 8
    FOUNDRY_TEST = 9
    FOUNDRY_INVARIANT = 10
    FOUNDRY_AFTER = 11
    DECIDED = 12
    SKIPPED = 13

    @property
    def is_property_call(self) -> bool:
        """Return whether the check calls a function of the target after each transaction."""
        return self <= Check.OPTIMIZATION or self in (Check.FOUNDRY_INVARIANT, Check.FOUNDRY_AFTER)

    @property
    def watches_function(self) -> bool:
        """Return whether the check looks at calls of one function."""
        return self in (Check.FUNCTION_ASSERTS, Check.FOUNDRY_TEST)


DEPLOYED = -1
"""Depth of an invariant that is asked of the deployed state alone."""


@dataclass(frozen=True)
class TestDescription:
    """One test. `function` is the property, or the function whose assertions are watched.

    A `strict` Foundry test fails when a call is rejected by an assumption, a strict invariant when any call reverts.
    `reason` says why a test that is decided without any call has failed, or skips itself. `depth` is after how many
    calls of a sequence an invariant is asked, 0 for all, DEPLOYED for none.
    """

    __test__ = False

    name: str
    kind: TestKind
    check: Check
    function: Function | None = None
    strict: bool = False
    reason: str = ""
    depth: int = 0
