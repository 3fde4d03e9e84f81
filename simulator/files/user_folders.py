"""Folders of this user's files: the one place that knows. On Linux those of the XDG base directory specification."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path, user_state_path

CACHE_VARIABLE = "MONOTREME_CACHE"
_PROGRAM = "monotreme"


def user_cache_folder() -> Path:
    """Return the folder of what can be made again: `MONOTREME_CACHE`, else `monotreme` in `XDG_CACHE_HOME`, else in
    `~/.cache`, or what another system has instead."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return user_cache_path(_PROGRAM, appauthor=False)


def user_data_folder() -> Path:
    """Return the folder of what the user may want to keep: `monotreme` in `XDG_DATA_HOME`, else in `~/.local/share`,
    or what another system has instead."""
    return user_data_path(_PROGRAM, appauthor=False)


def user_state_folder() -> Path:
    """Return the folder of what outlives a program: `monotreme` in `XDG_STATE_HOME`, else in `~/.local/state`, or what
    another system has instead."""
    return user_state_path(_PROGRAM, appauthor=False)
