"""Answers to questions about forge's version: `getFoundryVersion`, `foundryVersionAtLeast`, ... The answer is the
version whose cheatcodes these are."""

from __future__ import annotations

import re

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

COMPATIBLE = (1, 7, 1)
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


def _compared(text: str) -> int:
    """-1, 0 or 1 as the version is older than, equal to, or newer than this one."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise CheatcodeError(f"failed to parse version {text[:80]!r}: such as 1.4.2 is the form")
    other = tuple(map(int, match.groups()))
    return int(other < COMPATIBLE) - int(other > COMPATIBLE)


@cheatcode("foundryVersionCmp(string)")
def compare_version(_vm: Session, version: str) -> int:
    return _compared(version)


@cheatcode("foundryVersionAtLeast(string)")
def is_at_least(_vm: Session, version: str) -> bool:
    return _compared(version) >= 0


@cheatcode("getFoundryVersion()")
def version(_vm: Session) -> str:
    """In forge's form: version, commit, build time, profile."""
    return f"{'.'.join(map(str, COMPATIBLE))}+0000000000.0.monotreme"
