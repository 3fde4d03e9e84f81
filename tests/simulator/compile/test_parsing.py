"""Syntax by the compiler of the source's own pragma."""

from __future__ import annotations

import pytest

from simulator.compile.options import CompileOptions
from simulator.compile.parsing import parse_source
from simulator.compile.solc.npm import node_executable

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(node_executable() is None, reason="needs Node, which runs npm's builds of solc"),
]


def test_a_syntax_error_has_its_place() -> None:
    """Line and column from 1, and the compiler's own number."""
    (found,) = parse_source("pragma solidity 0.8.30;\ncontract C { uint x }", CompileOptions())
    assert (found.severity, found.line, found.column, found.code) == ("error", 2, 21, "2314")


def test_imports_and_types_are_not_looked_at() -> None:
    """A piece of a project parses by itself."""
    source = 'pragma solidity 0.8.30;\nimport "./Nowhere.sol";\ncontract C is Nowhere { Thing t = 5 + "a"; }'
    assert parse_source(source, CompileOptions()) == ()


@pytest.mark.parametrize("pragma", ["^0.8.0 <0.7.0", "banana"])
def test_a_pragma_that_no_release_satisfies_is_an_error(pragma: str) -> None:
    """Found before any compiler runs."""
    (found,) = parse_source(f"pragma solidity {pragma};", CompileOptions())
    assert found.severity == "error"
