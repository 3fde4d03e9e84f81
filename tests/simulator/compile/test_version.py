"""Version expressions mean what solc says they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.compile.solc.version import (
    KNOWN_RELEASES,
    OLDEST,
    VersionError,
    allowed_releases,
    format_version,
    parse_range,
    parse_version,
)

VERSIONS = st.tuples(st.just(0), st.integers(4, 9), st.integers(0, 40))


@pytest.mark.parametrize(
    ("expression", "allowed", "refused"),
    [
        ("^0.8.0", [(0, 8, 0), (0, 8, 37)], [(0, 7, 6), (0, 9, 0)]),
        ("0.8.19", [(0, 8, 19)], [(0, 8, 18), (0, 8, 20)]),
        ("=0.8.19", [(0, 8, 19)], [(0, 8, 20)]),
        (">=0.4.22 <0.6.0", [(0, 4, 26), (0, 5, 17)], [(0, 6, 0), (0, 4, 21)]),
        (">= 0.5.0 < 0.7.0", [(0, 5, 0), (0, 6, 12)], [(0, 7, 0)]),
        (">0.8.3 <=0.8.6", [(0, 8, 4), (0, 8, 6)], [(0, 8, 3), (0, 8, 7)]),
        ("^0.5.0 || ^0.6.0", [(0, 5, 3), (0, 6, 3)], [(0, 7, 0), (0, 4, 26)]),
        ("~0.8.4", [(0, 8, 4), (0, 8, 30)], [(0, 8, 3), (0, 9, 0)]),
        ("0.8.*", [(0, 8, 0), (0, 8, 9)], [(0, 7, 6)]),
        ("0.8.x", [(0, 8, 0)], [(0, 9, 0)]),
        ("^0.8", [(0, 8, 0), (0, 8, 30)], [(0, 9, 0)]),
        ("0.6.0 - 0.7.5", [(0, 6, 0), (0, 7, 5)], [(0, 7, 6), (0, 5, 17)]),
        ("0.6 - 0.7", [(0, 6, 0), (0, 7, 6)], [(0, 8, 0)]),
        ("*", [(0, 4, 25), (0, 9, 0)], []),
        ("^0.0.5", [(0, 0, 5)], [(0, 0, 6)]),
        ("^1.2.3", [(1, 9, 0)], [(2, 0, 0), (1, 2, 2)]),
        ('"^0.8.0"', [(0, 8, 1)], [(0, 7, 0)]),
        ("v0.8.1", [(0, 8, 1)], [(0, 8, 2)]),
        (">=0.8.0<0.9.0", [(0, 8, 5)], [(0, 9, 0)]),
    ],
)
def test_an_expression_allows_exactly_its_versions(
    expression: str, allowed: list[tuple[int, int, int]], refused: list[tuple[int, int, int]]
) -> None:
    """Operators, wildcards, ranges, conjunction and disjunction bound versions as in solc."""
    parsed = parse_range(expression)
    assert [v for v in allowed if not parsed.allows(v)] == []
    assert [v for v in refused if parsed.allows(v)] == []


@pytest.mark.parametrize("expression", ["banana", "^", "0.8.0 banana", ">=0.8.0 &&", "0.8.0 ! 0.9.0"])
def test_an_expression_that_is_none_is_an_error(expression: str) -> None:
    """The message shows the allowed form."""
    with pytest.raises(VersionError, match="such as"):
        parse_range(expression)


@given(st.text(max_size=40))
def test_any_text_is_a_range_or_an_error(text: str) -> None:
    """No text makes the parser fail in another way."""
    try:
        parse_range(text)
    except VersionError:
        return


@given(VERSIONS, VERSIONS)
def test_a_caret_allows_what_keeps_the_leftmost_part(base: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    """^0.m.p allows 0.m.q for q >= p and nothing else."""
    expected = other[:2] == base[:2] and other[2] >= base[2]
    assert parse_range("^" + format_version(base)).allows(other) == expected


@given(VERSIONS)
def test_a_version_survives_its_text(version: tuple[int, int, int]) -> None:
    """Formatting and parsing are inverse, also within a long version text."""
    assert parse_version(f"v{format_version(version)}+commit.12345678.Linux.g++") == version


def test_the_newest_fitting_release_comes_first() -> None:
    """Releases older than the oldest supported one are never offered."""
    found = allowed_releases([parse_range(">=0.4.0 <0.5.1")], [*KNOWN_RELEASES, (0, 4, 11)])
    assert found == ((0, 5, 0), (0, 4, 26), OLDEST)


def test_ranges_that_exclude_each_other_leave_no_release() -> None:
    """Every range must hold."""
    assert allowed_releases([parse_range("^0.7.0"), parse_range("^0.8.0")], KNOWN_RELEASES) == ()
