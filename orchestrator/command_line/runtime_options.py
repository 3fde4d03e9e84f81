"""GHC's runtime options, which Echidna's users have in their scripts: `+RTS -N4 -RTS`."""

from __future__ import annotations

from collections.abc import Sequence


def without_runtime_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments without `+RTS ... -RTS` (or to the end), and what was taken out. As with GHC, nothing is taken
    out after `--RTS` or `--`."""
    kept: list[str] = []
    removed: list[str] = []
    inside = False
    for index, argument in enumerate(arguments):
        if not inside and argument in ("--RTS", "--"):
            kept += arguments[index + (argument == "--RTS") :]
            break
        if argument in ("+RTS", "-RTS"):
            inside = argument == "+RTS"
            removed.append(argument)
        else:
            (removed if inside else kept).append(argument)
    return kept, removed
