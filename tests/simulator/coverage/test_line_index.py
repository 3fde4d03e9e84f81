"""Byte offsets to lines and columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.coverage.source_text import LineIndex


@given(st.text(alphabet=st.sampled_from("aü€😀\n\r"), max_size=60), st.data())
def test_places_agree_with_the_decoded_text(text: str, data: st.DataObject) -> None:
    """Line and column of a character's first byte are those of the character in the text."""
    position = data.draw(st.integers(0, len(text)))
    before = text[:position]
    place = LineIndex(text.encode()).place(len(before.encode()))
    assert place == (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def test_offsets_outside_give_the_nearest_line() -> None:
    """Maps of other sources must not break a report."""
    index = LineIndex(b"one\ntwo\n")
    assert (index.line(-5), index.line(999), index.count) == (1, 3, 3)
