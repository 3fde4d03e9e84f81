"""Shared parts of the three JavaScript package installers: arguments that callers may not pass."""

from __future__ import annotations

from tools.builds.plugin import Refusal

OUTSIDE = Refusal(
    ("--global", "-g", "--location", "--prefix", "--dir", "-C", "--cwd", "--globalconfig", "--userconfig"),
    "it leads out of the working folder; use cwd",
    abbreviated=True,
)
ENVIRONMENT = {
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "npm_config_progress": "false",
    "npm_config_color": "false",
    "ADBLOCK": "1",
    "DISABLE_OPENCOLLECTIVE": "1",
}
