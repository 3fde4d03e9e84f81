"""Folders of this user's files, as the XDG base directory specification says: the one place that knows."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "MONOTREME_CACHE"
_PROGRAM = "monotreme"


def user_cache_folder() -> Path:
    """Return the folder of what can be made again: `MONOTREME_CACHE`, else `monotreme` in `XDG_CACHE_HOME`, else in
    `~/.cache`."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return _base("XDG_CACHE_HOME", ".cache")


def user_data_folder() -> Path:
    """Return the folder of what the user may want to keep: `monotreme` in `XDG_DATA_HOME`, else in `~/.local/share`."""
    return _base("XDG_DATA_HOME", ".local/share")


def user_state_folder() -> Path:
    """Return the folder of what outlives a program: `monotreme` in `XDG_STATE_HOME`, else in `~/.local/state`."""
    return _base("XDG_STATE_HOME", ".local/state")


def _base(variable: str, below_home: str) -> Path:
    """The specification has relative paths ignored."""
    given = os.environ.get(variable, "")
    return (Path(given) if os.path.isabs(given) else Path.home() / below_home) / _PROGRAM
