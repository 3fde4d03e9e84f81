"""solc's compressed source maps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.coverage.source_map import SourceRange, align, instruction_offsets, parse_source_map
from simulator.errors import CompileError

entries = st.lists(
    st.builds(SourceRange, st.integers(0, 10**7), st.integers(0, 10**5), st.integers(-1, 50), st.sampled_from("io-")),
    min_size=1,
    max_size=40,
)


def compress(ranges: list[SourceRange]) -> str:
    """Like solc: fields that repeat are empty, trailing empty fields are left out."""
    texts, last = [], ["", "", "", ""]
    for entry in ranges:
        fields = [str(entry.start), str(entry.length), str(entry.file), entry.jump]
        shown = ["" if field == before else field for field, before in zip(fields, last, strict=True)]
        texts.append(":".join(shown).rstrip(":"))
        last = fields
    return ";".join(texts)


def test_empty_fields_repeat_the_entry_before() -> None:
    """The format of Solidity's documentation: `1:2:1;:9;2:1:2;;` means five entries."""
    ranges = parse_source_map("1:2:1;:9;2:1:2;;")
    assert [tuple(entry) for entry in ranges] == [
        (1, 2, 1, "-"),
        (1, 9, 1, "-"),
        (2, 1, 2, "-"),
        (2, 1, 2, "-"),
        (2, 1, 2, "-"),
    ]


def test_modifier_depth_is_accepted_and_not_kept() -> None:
    """Compilers from 0.6 on write a fifth field."""
    assert parse_source_map("10:5:0:i:3;::-1:-:4") == [SourceRange(10, 5, 0, "i"), SourceRange(10, 5, -1, "-")]


def test_an_empty_map_has_no_entries() -> None:
    """Interfaces have no code and no map."""
    assert parse_source_map("") == []


@given(entries)
def test_compressed_maps_are_read_back(ranges: list[SourceRange]) -> None:
    """Whatever a compiler can express comes back entry by entry."""
    assert parse_source_map(compress(ranges)) == ranges


@pytest.mark.parametrize("text", ["1:2:3:-:0:9", "a:1:0", "1:2:0;:x"])
def test_a_malformed_entry_is_named(text: str) -> None:
    """The error says which entry is wrong and what form it has."""
    with pytest.raises(CompileError, match=r"source map entry \d is .*; expected start:length:file"):
        parse_source_map(text)


def test_push_data_is_no_instruction() -> None:
    """PUSH2 0x5b5b is one instruction, whatever its data look like; a PUSH cut off at the end is one too."""
    assert list(instruction_offsets(bytes.fromhex("615b5b005f60"))) == [0, 3, 4, 5]


def test_code_behind_the_map_has_no_ranges() -> None:
    """Metadata follows the code without entries of its own."""
    assert align(bytes.fromhex("600100fefe"), "1:2:0:-;3:4") == [
        (0, SourceRange(1, 2, 0, "-")),
        (2, SourceRange(3, 4, 0, "-")),
    ]
