"""Configurations of other fuzzers that lie in a project: used only when `--config` names them, and never in silence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from simulator.printable import shown_path

NAMES: Final = (
    *("echidna.yaml", "echidna.yml", "echidna.config.yaml", "echidna.config.yml", "echidna-config.yaml"),
    *("medusa.json", "medusa-config.json"),
)


def unused_configurations(paths: Sequence[Path]) -> str | None:
    """One line that names the configurations beside these targets and how to use one; None when there is none."""
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    found = [folder / name for folder in folders for name in NAMES if (folder / name).is_file()]
    if not found:
        return None
    shown = ", ".join(map(shown_path, found))
    return (
        f"{shown}: not used, as no --config names {'it' if len(found) == 1 else 'one'}: --config {shown_path(found[0])}"
    )
