"""Chunks that source files are cut into."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.codebase.chunking.chunk import ChunkType, content_of, lines_of
from tools.codebase.chunking.cut import chunks_of
from tools.codebase.chunking.languages import Language, language_of

PATHS = ["a.cs", "a.java", "a.js", "a.jsx", "a.ts", "a.tsx", "a.py", "a.sol", "a.vy"]


def cut(path: str, text: str) -> list[tuple[str, str, int, int]]:
    return [(str(each.kind), each.name, each.start_line, each.end_line) for each in chunks_of(path, text)]


PYTHON = '''\
import os

LIMIT = 3

# What is left,
# in seconds.
@decorated
def rest(now):
    """Doc."""

    def inner():
        return now

    return inner()


class Clock:
    ticks: int = 0

    @property
    def now(self):
        return self.ticks
    # about nothing

    def tick(self):
        self.ticks += 1
'''


def test_python_gives_functions_classes_methods_properties_and_fields():
    """A class has a chunk of its own beside those of its members; comments and decorators above belong to a chunk."""
    assert cut("a.py", PYTHON) == [
        ("field", "LIMIT", 3, 3),
        ("function", "rest", 5, 14),
        ("function", "rest.inner", 11, 12),
        ("class", "Clock", 17, 26),
        ("field", "Clock.ticks", 18, 18),
        ("property", "Clock.now", 20, 22),
        ("method", "Clock.tick", 25, 26),
    ]


def test_the_last_comment_of_a_body_does_not_belong_to_what_follows():
    """Comments above stand in the same column, and nothing stands before them on their line."""
    assert cut("a.py", "def f():\n    pass\n    # last of f\ndef g(): pass\nx = 1  # of x\ndef h(): pass\n") == [
        ("function", "f", 1, 3),
        ("function", "g", 4, 4),
        ("field", "x", 5, 5),
        ("function", "h", 6, 6),
    ]


def test_solidity_gives_contracts_as_classes_and_free_functions_as_functions():
    """Constructors, modifiers and receive functions are methods, events and errors properties, structs classes."""
    source = """\
/// @title A vault
contract Vault is Base {
    uint256 public total;
    event Paid(address to);
    error Empty();
    struct Entry { uint256 amount; }
    modifier only() { _; }
    constructor() {}
    /// Takes out.
    /// @param amount How much.
    function withdraw(uint256 amount) external {
        total -= amount;
    }
    receive() external payable {}
}
interface Token { function transfer(address to) external; }
library Maths {}
function free() pure {}
uint256 constant LIMIT = 1;
"""
    assert cut("a.sol", source) == [
        ("class", "Vault", 1, 15),
        ("field", "Vault.total", 3, 3),
        ("property", "Vault.Paid", 4, 4),
        ("property", "Vault.Empty", 5, 5),
        ("class", "Vault.Entry", 6, 6),
        ("method", "Vault.only", 7, 7),
        ("method", "Vault.constructor", 8, 8),
        ("method", "Vault.withdraw", 9, 13),
        ("method", "Vault.receive", 14, 14),
        ("interface", "Token", 16, 16),
        ("method", "Token.transfer", 16, 16),
        ("class", "Maths", 17, 17),
        ("function", "free", 18, 18),
        ("field", "LIMIT", 19, 19),
    ]


def test_typescript_gives_interfaces_with_members_and_exported_functions():
    """Exports belong to their declarations; arrow functions count as the functions that they are."""
    source = """\
/** A shape. */
export interface Shape {
  name: string;
  area(): number;
}
// Makes one.
export const make = (name: string): Shape => {
  return { name, area: () => 0 };
};
export abstract class Base<T> {
  private count = 0;
  handler = () => 1;
  @log()
  run(): void {}
  get size() { return 1; }
}
type Id = { value: string };
enum Kind { A }
"""
    assert cut("a.ts", source) == [
        ("interface", "Shape", 1, 5),
        ("property", "Shape.name", 3, 3),
        ("method", "Shape.area", 4, 4),
        ("function", "make", 6, 9),
        ("method", "make.area", 8, 8),
        ("class", "Base", 10, 16),
        ("field", "Base.count", 11, 11),
        ("method", "Base.handler", 12, 12),
        ("method", "Base.run", 13, 14),
        ("property", "Base.size", 15, 15),
        ("interface", "Id", 17, 17),
        ("property", "Id.value", 17, 17),
        ("class", "Kind", 18, 18),
    ]


def test_javascript_gives_functions_however_they_are_declared():
    """Declarations, arrows, assignments to exports, methods of classes and of objects; JSX is JavaScript too."""
    source = """\
function plain() {}
const arrow = async () => 1, other = 2;
module.exports.run = function () {};
class View extends Base { #state = 1; render() { return <b>{this.x}</b>; } static set y(v) {} }
const table = { on() {}, off: () => 1 };
"""
    assert cut("a.jsx", source) == [
        ("function", "plain", 1, 1),
        ("function", "arrow", 2, 2),
        ("field", "other", 2, 2),
        ("function", "module.exports.run", 3, 3),
        ("class", "View", 4, 4),
        ("field", "View.#state", 4, 4),
        ("method", "View.render", 4, 4),
        ("property", "View.y", 4, 4),
        ("field", "table", 5, 5),
        ("method", "table.on", 5, 5),
        ("method", "table.off", 5, 5),
    ]


def test_java_and_csharp_give_types_and_members():
    """Types nest, fields with several names are one chunk, C# properties are properties."""
    java = """\
/** Doc. */
public class A {
  int x, y;
  A() {}
  @Override
  void m() {}
  interface B { void n(); }
}
"""
    assert cut("A.java", java) == [
        ("class", "A", 1, 8),
        ("field", "A.x, y", 3, 3),
        ("method", "A.A", 4, 4),
        ("method", "A.m", 5, 6),
        ("interface", "A.B", 7, 7),
        ("method", "A.B.n", 7, 7),
    ]
    csharp = """\
namespace N {
  /// <summary/>
  [Attr]
  class A {
    int x;
    int Y { get; set; }
    A() {}
  }
  interface I { void M(); }
}
"""
    assert cut("a.cs", csharp) == [
        ("class", "A", 2, 8),
        ("field", "A.x", 5, 5),
        ("property", "A.Y", 6, 6),
        ("method", "A.A", 7, 7),
        ("interface", "I", 9, 9),
        ("method", "I.M", 9, 9),
    ]


def test_vyper_gives_its_declarations():
    """Functions with decorators, structs, events, interfaces and state variables; strings are no declarations."""
    source = '''\
# @version 0.4.0
implements: ERC20

event Paid:
    to: indexed(address)

# Who has what.
balances: public(HashMap[address, uint256])

@external
@nonreentrant
def pay(
    to: address,
) -> bool:
    """
def nothing(): pass
    """
    return True
'''
    assert cut("a.vy", source) == [
        ("property", "Paid", 4, 5),
        ("field", "balances", 7, 8),
        ("function", "pay", 10, 18),
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_change_neither_lines_nor_names(ending: str):
    """A file with CRLF is cut as one with LF, and its contents keep their carriage returns."""
    text = PYTHON.replace("\n", ending)
    assert cut("a.py", text) == cut("a.py", PYTHON)
    assert content_of(lines_of(text), 11, 12) == f"    def inner():{ending}        return now" + ending[:-1]


def test_a_file_of_ten_thousand_functions_has_ten_thousand_chunks():
    """Each where it stands; the work grows with the file, not with its square."""
    found = chunks_of("a.py", "".join(f"# c\ndef f{number}(): return {number}\n" for number in range(10_000)))
    assert [each.start_line for each in found] == list(range(1, 20_001, 2))
    assert found[-1].name == "f9999"


def test_deep_nesting_is_no_problem():
    """Code deeper than Python's own stack is cut."""
    assert len(chunks_of("a.js", "function f(){" * 1_500 + "}" * 1_500)) == 1_500
    assert chunks_of("a.py", "x = " + "(" * 5_000) == []


def test_broken_code_gives_what_can_be_told():
    """A syntax error costs at most the declaration it is in."""
    names = {
        each.name
        for each in chunks_of("a.py", "def good():\n    return 1\n\ndef bad(:\n    ((\n\nclass After:\n    x = 1\n")
    }
    assert "good" in names
    names = {each.name for each in chunks_of("a.sol", "contract A { function f( } \ncontract B { uint x; }\n")}
    assert "B" in names


def test_extensions_decide_the_language():
    """The seed's extensions and those of smart contracts, in any case; others are nothing."""
    assert language_of("src/A.CS") is Language.CSHARP
    assert [language_of(path) for path in ("a.tsx", "b.jsx", "c.vyi", "d.md", "py")] == [
        Language.TYPESCRIPT, Language.JAVASCRIPT, Language.VYPER, None, None,
    ]  # fmt: skip


PIECES = st.sampled_from(
    """
    def f():|class A:|class A {|}|{|function f(a) {|contract C {|  return 1;|\tx = 1|# é€😀|/// doc|/* a|*/|@dec|
    interface I {|uint256 public x;|int X { get; }|'''|'|`${|=> {|const a = () => {|export|\r||   |é = 1|async|
    struct S {|def\tg( a,|) -> x:|\x0c|\u2028
    """.replace("|\n    ", "|").split("|")
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(PATHS), st.lists(PIECES, max_size=25), st.sampled_from(["\n", "\r\n", " "]))
def test_chunks_are_lines_of_their_file(path: str, pieces: list[str], separator: str):
    """Whatever the text: lines exist, inner chunks lie inside those they are named after, kinds are the six."""
    text = separator.join(pieces)
    lines = lines_of(text)
    found = chunks_of(path, text)
    for each in found:
        assert 1 <= each.start_line <= each.end_line <= len(lines)
        assert each.name
        assert each.kind in ChunkType
        assert content_of(lines, each.start_line, each.end_line) in text
    assert found == chunks_of(path, text)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["def", "class"]), st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=8
    ),
    st.sampled_from(["    ", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_every_declaration_of_generated_python_is_found_where_it_stands(
    shapes: list[tuple[str, int, int, bool]], indent: str, ending: str
):
    """Nested structures give a chunk for the outer and one for each inner declaration, with the comments above."""
    lines: list[str] = []
    expected: list[tuple[str, int, int]] = []
    for number, (word, comments, members, blank) in enumerate(shapes):
        start = len(lines) + 1
        lines += [f"# é {number}"] * comments
        lines += [f"{word} d{number}():" if word == "def" else f"{word} d{number}:"]
        inner = []
        for member in range(members):
            inner.append((f"d{number}.m{member}", len(lines) + 1, len(lines) + 2))
            lines += [f"{indent}def m{member}():", f"{indent * 2}return '😀'"]
        lines.append(f"{indent}pass")
        expected += [(f"d{number}", start, len(lines)), *inner]
        lines += [""] * blank
    found = chunks_of("a.py", ending.join(lines))
    assert [(each.name, each.start_line, each.end_line) for each in found] == expected
