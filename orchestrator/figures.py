"""Readable figures: numbers, durations, sizes and sparklines, the same in every view."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
_SIZES = ("B", "kB", "MB", "GB", "TB")


def count(number: float) -> str:
    """`1,234,567`; fractions are cut."""
    return f"{int(number):,}"


def percent(part: int, whole: int) -> str:
    """`71 %`, cut rather than rounded, so that 100 % means all."""
    return f"{part * 100 // whole} %" if whole else "-"


def duration(seconds: float) -> str:
    """`45s`, `3m 05s`, `1h 02m 03s`, `2d 03h 04m`; fractions are cut."""
    whole = max(0, int(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d {hour:02}h {minute:02}m"
    if hours:
        return f"{hours}h {minute:02}m {second:02}s"
    return f"{minutes}m {second:02}s" if minutes else f"{whole}s"


def size(byte_count: int) -> str:
    """`143 MB`, in decimal units."""
    amount, unit = float(byte_count), 0
    while amount >= 1000 and unit < len(_SIZES) - 1:
        amount, unit = amount / 1000, unit + 1
    digits = 1 if amount < 10 and unit >= 2 else 0
    return f"{amount:.{digits}f} {_SIZES[unit]}"


def sparkline(values: Sequence[float], width: int, floor: float | None = None) -> str:
    """The last `width` values as bars from `floor` (by default the smallest value) to the largest. Equal values are
    drawn low."""
    shown = list(values[-width:]) if width > 0 else []
    if not shown:
        return ""
    low = min(shown) if floor is None else floor
    reach = max(shown) - low
    if reach <= 0:
        return _BARS[0] * len(shown)
    top = len(_BARS) - 1
    return "".join(_BARS[max(0, min(top, round((value - low) / reach * top)))] for value in shown)
