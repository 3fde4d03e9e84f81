"""Which source ranges make a line executable."""

from __future__ import annotations

from simulator.coverage.code_map import CodeMap
from simulator.coverage.code_sites import find_sites
from simulator.coverage.source_map import SourceRange
from simulator.coverage.source_text import SourceText
from simulator.project import SourceFile

SOURCE = """contract C {
  uint x = 1;
  function f()
    public
  {
    {
      a;
    }
  }
}
"""


def lines_of(*pieces: str) -> list[int]:
    """Executable lines when one instruction (JUMPDEST) has the range of each piece."""
    ranges = [(index, SourceRange(SOURCE.index(p), len(p), 0, "-")) for index, p in enumerate(pieces)]
    code = b"\x5b" * len(pieces)
    code_map = CodeMap("c.sol:C", "runtime", (0,), (len(code),), ())
    sites = find_sites(code_map, code, ranges, {0: SourceText(SourceFile(0, "c.sol", SOURCE))})
    return sorted(line for _, line in sites.lines)


def test_statements_make_their_line_executable() -> None:
    """The line on which the range starts."""
    assert lines_of("a;") == [7]


def test_what_is_no_statement_makes_none() -> None:
    """A contract, a state variable, a function as a whole, its header, its body and an inner block."""
    function = SOURCE[SOURCE.index("function") : SOURCE.index("  }\n}") + 3]
    body = function[function.index("{") :]
    block = body[body.index("{", 1) : body.index("}") + 1]
    assert lines_of(SOURCE.strip(), "uint x = 1", function, "public", body, block) == []


def test_instructions_of_other_sources_make_none() -> None:
    """Generated code has a file of its own; code without a block is data."""
    text = SourceText(SourceFile(0, "c.sol", SOURCE))
    statement = SOURCE.index("a;")
    ranges = [
        (0, SourceRange(statement, 1, 7, "-")),
        (1, SourceRange(-1, -1, -1, "-")),
        (2, SourceRange(statement, 1, 0, "-")),
    ]
    code_map = CodeMap("c.sol:C", "runtime", (0,), (2,), ())
    assert find_sites(code_map, b"\x5b" * 3, ranges, {0: text}).lines == {}
