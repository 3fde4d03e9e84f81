"""Compiler versions: what a `pragma solidity` expression allows and which release to take."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from simulator.errors import CompileError

Version = tuple[int, int, int]

OLDEST: Version = (0, 4, 25)
_LAST_PATCH = {(0, 4): 26, (0, 5): 17, (0, 6): 12, (0, 7): 6, (0, 8): 37}
_FIRST_PATCH = {(0, 4): OLDEST[2]}

KNOWN_RELEASES: tuple[Version, ...] = tuple(
    (major, minor, patch)
    for (major, minor), last in _LAST_PATCH.items()
    for patch in range(_FIRST_PATCH.get((major, minor), 0), last + 1)
)
"""Published releases in ascending order, from the oldest that is supported."""

_ZERO: Version = (0, 0, 0)
_END: Version = (1 << 30, 0, 0)
_PARTIAL = r"v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+][0-9A-Za-z.+-]*)?"
_COMPARATOR = re.compile(rf"\s*(\^|~|>=|<=|>|<|=)?\s*{_PARTIAL}")
_HYPHEN = re.compile(rf"\s*{_PARTIAL}\s+-\s+{_PARTIAL}\s*")
_EXACT = re.compile(r"v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})")


class VersionError(CompileError):
    """A version or a version expression is malformed, or no release fits."""


class VersionRange(msgspec.Struct, frozen=True):
    """A union of half-open intervals: allowed is every version v with `low <= v < high` for one of them."""

    intervals: tuple[tuple[Version, Version], ...]

    def allows(self, version: Version) -> bool:
        return any(low <= version < high for low, high in self.intervals)


def parse_version(text: str) -> Version:
    """The first `X.Y.Z` in a text such as `v0.8.30+commit.73712a01`. Raises `VersionError` when there is none."""
    if not (match := _EXACT.search(text)):
        raise VersionError(f"'{text[:80]}' names no compiler version; write it like 0.8.30")
    return int(match[1]), int(match[2]), int(match[3])


def format_version(version: Version) -> str:
    return ".".join(map(str, version))


def parse_range(expression: str) -> VersionRange:
    """Parse the range after `pragma solidity`: comparators, `^`, `~`, wildcards, hyphen ranges, joined by blanks
    (and) and `||` (or), as solc reads them. Raises `VersionError` for anything else."""
    text = expression.replace('"', "").replace("'", "")
    return VersionRange(tuple(_alternative(part, expression) for part in text.split("||")))


def _alternative(text: str, expression: str) -> tuple[Version, Version]:
    if hyphen := _HYPHEN.fullmatch(text):
        parts = hyphen.groups()
        return _wildcard(parts[:3])[0], _wildcard(parts[3:])[1]
    low, high = _ZERO, _END
    position, end = 0, len(text.rstrip())
    while position < end:
        if not (match := _COMPARATOR.match(text, position)):
            raise VersionError(
                f"'{expression.strip()[:80]}' is not a version expression such as ^0.8.0 or >=0.6.0 <0.9.0"
            )
        lower, upper = _comparator(match[1] or "=", match.groups()[1:])
        low, high = max(low, lower), min(high, upper)
        position = match.end()
    return low, high


def _comparator(operator: str, parts: tuple[str | None, ...]) -> tuple[Version, Version]:
    low, high = _wildcard(parts)
    match operator:
        case "=":
            return low, high
        case ">=":
            return low, _END
        case ">":
            return high, _END
        case "<":
            return _ZERO, low
        case "<=":
            return _ZERO, high
        case "~":
            return low, max(high, (low[0], low[1] + 1, 0))
        case _:
            return low, max(high, _caret_end(low))


def _caret_end(low: Version) -> Version:
    """The first version that changes the leftmost non-zero part, which is what `^` excludes."""
    major, minor, patch = low
    if major:
        return major + 1, 0, 0
    return (0, minor + 1, 0) if minor else (0, 0, patch + 1)


def _wildcard(parts: Iterable[str | None]) -> tuple[Version, Version]:
    """The versions that a possibly partial version such as `0.8` or `0.8.*` stands for."""
    numbers: list[int] = []
    for part in parts:
        if part is None or part in "xX*":
            break
        numbers.append(int(part))
    match numbers:
        case []:
            return _ZERO, _END
        case [major]:
            return (major, 0, 0), (major + 1, 0, 0)
        case [major, minor]:
            return (major, minor, 0), (major, minor + 1, 0)
        case _:
            return (numbers[0], numbers[1], numbers[2]), (numbers[0], numbers[1], numbers[2] + 1)


def allowed_releases(ranges: Iterable[VersionRange], releases: Iterable[Version]) -> tuple[Version, ...]:
    """The supported releases that satisfy every range, newest first."""
    wanted = tuple(ranges)
    fitting = {v for v in releases if v >= OLDEST and all(each.allows(v) for each in wanted)}
    return tuple(sorted(fitting, reverse=True))
