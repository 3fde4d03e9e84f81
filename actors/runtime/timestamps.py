"""The one written form of a moment: RFC 3339, UTC, `Z`, milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime

_LAST = 253_402_300_799.999


def rfc3339(seconds: float) -> str:
    """Unix seconds as `2026-11-22T01:10:27.042Z`. Cut to milliseconds, not rounded, so that order is kept; what lies
    outside of the years 1970 to 9999 becomes their nearest moment."""
    milliseconds = round(min(max(seconds, 0.0), _LAST) * 1_000_000) // 1000
    whole = datetime.fromtimestamp(milliseconds // 1000, tz=UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def unix_seconds(text: str) -> float:
    """The Unix seconds of such a text. Raises `ValueError` for any other form."""
    if not text.endswith("Z"):
        raise ValueError(f"{text!r}: a time ends with Z")
    return datetime.fromisoformat(text).timestamp()
