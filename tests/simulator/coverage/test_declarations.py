"""Finding functions in Solidity sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.coverage.declarations import FunctionDeclaration, scan_declarations


def functions(source: str) -> list[tuple[str, str]]:
    return [(found.contract, found.name) for found in scan_declarations(source.encode()).functions]


def only(source: str) -> tuple[FunctionDeclaration, bytes]:
    data = source.encode()
    (function,) = scan_declarations(data).functions
    return function, data


def test_functions_belong_to_their_contract() -> None:
    """Contracts, libraries, abstract contracts and file level are told apart."""
    source = """
        function free(uint a) pure returns (uint) { return a; }
        abstract contract A is B(1), C { constructor() {} modifier m() { _; } modifier bare { _; } }
        library L { function f(uint[] memory a) internal { if (a.length > 0) { a[0] = 1; } } }
        contract D { receive() external payable {} fallback() external {} function () payable {} }
    """
    assert functions(source) == [
        ("", "free"),
        ("A", "constructor"),
        ("A", "m"),
        ("A", "bare"),
        ("L", "f"),
        ("D", "receive"),
        ("D", "fallback"),
        ("D", "fallback"),
    ]


def test_declarations_without_a_body_are_left_out() -> None:
    """Interfaces, abstract functions and variables of function type have no statements."""
    source = """
        interface I { function a() external; function b(uint) external returns (bool); }
        contract C { function(uint) internal returns (uint) step; function (uint) external f = this.g;
                     function g() public virtual; function h() public { function () x; x = y; } }
    """
    assert functions(source) == [("C", "h")]


def test_comments_and_texts_hide_what_looks_like_code() -> None:
    """Braces and keywords in comments and strings do not count."""
    source = """contract C { // function no() {
        /* function no2() { */ string s = "} function no3() {"; string t = '\\'{';
        function yes() public { string memory u = "}"; } }"""
    assert functions(source) == [("C", "yes")]


def test_structs_enums_and_using_blocks_are_skipped() -> None:
    """Braces that are no function bodies do not end the contract."""
    source = """struct S { uint a; } enum E { A, B } using {f as +} for T global;
        contract C { struct S { uint a; } enum E { A } mapping(uint => S) m; function f() public {} }"""
    assert functions(source) == [("C", "f")]


def test_words_that_became_keywords_can_be_names() -> None:
    """`receive` and `fallback` were ordinary names before 0.6."""
    assert functions("contract C { function receive(uint fallback) public { fallback; } uint receive; }") == [
        ("C", "receive")
    ]


def test_ranges_are_those_of_the_compiler() -> None:
    """A declaration starts at its keyword and ends behind its closing brace, in bytes."""
    function, data = only("/* ü */ contract C { function f(uint a, /* x */ uint b) public { a; } }")
    assert data[function.start : function.end] == b"function f(uint a, /* x */ uint b) public { a; }"
    assert data[function.body_start :].startswith(b"{ a; }")
    assert function.parameters == "uint a, uint b"
    assert function.is_header_range(function.start, function.end)
    assert function.has_statement(data.index(b"a; }"), data.index(b"a; }") + 1)
    assert not function.has_statement(function.body_start, function.end)


def test_an_offset_finds_its_function() -> None:
    """Bytes between functions belong to none."""
    source = b"contract C { function f() public { } uint x; function g() public { } }"
    declarations = scan_declarations(source)
    found = [declarations.function_at(source.index(text)) for text in (b"f()", b"uint", b"g()", b"contract")]
    assert [function.name if function else None for function in found] == ["f", None, "g", None]


@given(st.text(alphabet=st.sampled_from("contrafuilby {}();/*\"'\\\nü"), max_size=200) | st.text(max_size=100))
def test_any_text_can_be_scanned(text: str) -> None:
    """Text that is no Solidity gives no errors, and ranges inside of the text."""
    data = text.encode("utf-8", "surrogatepass")
    for function in scan_declarations(data).functions:
        assert 0 <= function.start < function.body_start < function.end <= len(data)


@pytest.mark.parametrize("source", ["contract C { function f() public {", "contract C { function f(", "contract"])
def test_a_source_that_breaks_off_is_no_error(source: str) -> None:
    """The scan ends where the text does."""
    assert len(functions(source)) <= 1
