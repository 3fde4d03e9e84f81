"""Names that errors offer."""

from __future__ import annotations

from simulator.known_names import known_names


def test_the_best_match_comes_first_and_the_rest_is_counted() -> None:
    """By likeness, whatever the case; then by the alphabet."""
    names = [f"name{number:02}" for number in range(30)]
    listed = known_names("NAME17", names)
    assert listed.startswith("name17, ")
    assert listed.endswith(" and 20 more")
    assert known_names("transfer", ["approve", "safeTransferFrom", "burn"]).startswith("safeTransferFrom, ")


def test_few_names_are_listed_without_a_count() -> None:
    """Each once; none is said to be none."""
    assert known_names("", ["b", "a", "b"]) == "a, b"
    assert known_names("x", []) == "none"
    assert known_names("x", map(str, range(100_000))).endswith(" and 99990 more")
