"""Pragmas and imports are found where the compiler sees them, and nowhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.compile.sources.scan import scan_directives

SOURCE = """// import "commented.sol";
/* pragma solidity ^0.1.0; */ pragma solidity /* why */ ^0.8.0;
pragma abicoder v2;
import "./a.sol";
import './b.sol' as B;
  import * as C from "c/c.sol";
import {
    X as Y, // 'quoted' here
    Z
} from "@scope/d.sol";
contract T { string s = "import \\"no.sol\\"; pragma solidity 0.4.0;"; string t = 'import "x";'; }
"""


def test_every_form_of_import_is_found() -> None:
    """Paths come in their order, without those in comments and strings."""
    found = [each.text for each in scan_directives(SOURCE) if each.kind == "import"]
    assert found == ["./a.sol", "./b.sol", "c/c.sol", "@scope/d.sol"]


def test_a_pragma_is_found_without_its_comment() -> None:
    """Only `pragma solidity` counts."""
    found = [each.text for each in scan_directives(SOURCE) if each.kind == "pragma"]
    assert found == ["^0.8.0"]


def test_places_are_one_based_and_point_at_the_path() -> None:
    """Line and column are those of the quote that opens the path."""
    third = [each for each in scan_directives(SOURCE) if each.kind == "import"][2]
    assert (third.line, third.column) == (6, 22)


@given(st.text(alphabet="import pragma solidity\"'/*\\\n;{}.^08", max_size=200))
def test_no_text_breaks_the_scanner(text: str) -> None:
    """What cannot be read is left to the compiler."""
    for each in scan_directives(text):
        assert each.line >= 1
        assert each.column >= 1
