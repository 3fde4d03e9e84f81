"""What the plugins of forge have in common."""

from __future__ import annotations

from tools.builds.plugin import Refusal

ENVIRONMENT = {"FOUNDRY_DISABLE_NIGHTLY_WARNING": "1", "COLUMNS": "400"}
REFUSED = (
    Refusal(("--root", "-C", "--config-path"), "it leads out of the working folder; use cwd"),
    Refusal(("--use", "--ffi"), "it runs a program of the caller's choice; put it into foundry.toml"),
)
