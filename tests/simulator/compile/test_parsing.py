"""Errors of one source by the compiler of its own pragma."""

from __future__ import annotations

import pytest

from simulator.compile.options import CompileOptions
from simulator.compile.parsing import PARTIAL, check_source
from simulator.compile.solc.npm import node_executable

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(node_executable() is None, reason="needs Node, which runs npm's builds of solc"),
]


def test_a_syntax_error_has_its_place() -> None:
    """Line and column from 1, and the compiler's own number."""
    (found,) = check_source("pragma solidity 0.8.30;\ncontract C { uint x }", CompileOptions())
    assert (found.severity, found.line, found.column, found.code) == ("error", 2, 21, "2314")


def test_names_and_types_are_checked() -> None:
    """Whatever makes the source no contract is an error, not its syntax alone."""
    source = "pragma solidity 0.8.30;\ncontract C {\n  function f() public {\n    x = 1;\n  }\n}"
    (found,) = check_source(source, CompileOptions())
    assert (found.severity, found.line, found.column, found.code) == ("error", 4, 5, "7576")


def test_what_imports_is_checked_for_its_syntax_alone() -> None:
    """A piece of a project parses by itself, and a warning says that this was all."""
    source = 'pragma solidity 0.8.30;\nimport "./Nowhere.sol";\ncontract C is Nowhere { Thing t = 5 + "a"; }'
    (warning,) = check_source(source, CompileOptions())
    assert (warning.severity, warning.message) == ("warning", PARTIAL)
    errors = check_source(source + "}", CompileOptions())
    assert [found.severity for found in errors] == ["error", "warning"]


@pytest.mark.parametrize("pragma", ["^0.8.0 <0.7.0", "banana"])
def test_a_pragma_that_no_release_satisfies_is_an_error(pragma: str) -> None:
    """Found before any compiler runs."""
    (found,) = check_source(f"pragma solidity {pragma};", CompileOptions())
    assert found.severity == "error"
