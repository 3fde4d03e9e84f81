"""Names of npm packages: which are possible, and which are a slip away from a well-known one."""

from __future__ import annotations

import json
import re
from pathlib import Path

MAX_NAME_LENGTH = 214
_PART = r"[a-z0-9~][a-z0-9._~-]*"
_NAME = re.compile(rf"(?:@{_PART}/)?{_PART}")
_RESERVED = frozenset(("node_modules", "favicon.ico"))
WELL_KNOWN = frozenset(json.loads(Path(__file__).with_name("well_known_packages.json").read_text("utf-8")))


def is_possible(name: str) -> bool:
    """True if npm would accept a package of this name."""
    return len(name) <= MAX_NAME_LENGTH and name not in _RESERVED and _NAME.fullmatch(name) is not None


def without_version(name: str) -> str | None:
    """The name in `name@version`, None where nothing possible stands before a version, a range or a tag."""
    bare, marked, _ = name[1:].partition("@")
    bare = name[:1] + bare
    return bare if marked and is_possible(bare) else None


def similar_names(name: str) -> tuple[str, ...]:
    """Well-known packages that `name` differs from by one slip: a letter more, less, changed or swapped, or `-._`."""
    if name in WELL_KNOWN:
        return ()
    plain = re.sub(r"[-._]", "", name)
    return tuple(
        sorted(
            known
            for known in WELL_KNOWN
            if (len(known) > 3 and _is_one_slip(name, known))
            or (plain == re.sub(r"[-._]", "", known) and len(plain) > 3)
        )
    )


def _is_one_slip(first: str, second: str) -> bool:
    """True if one edit, or one swap of neighbours, turns one into the other (Damerau-Levenshtein distance 1)."""
    if abs(len(first) - len(second)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    rest, other = first[at:], second[at:]
    if len(rest) == len(other):
        return rest[1:] == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    return rest[1:] == other if len(rest) > len(other) else rest == other[1:]
