"""Snapshots lie in a folder that everybody may write to, so theirs must be this user's alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.coverage.report import LineReport
from tools.coverage.snapshots import SnapshotStore
from tools.errors import ToolError


def test_snapshots_of_a_folder_that_others_can_enter_are_none(tmp_path: Path) -> None:
    """Neither read nor added to: somebody else may have put them there."""
    store = SnapshotStore(tmp_path / "snapshots")
    kept = store.save(LineReport({}), "lcov.info", tmp_path, 1)
    assert store.load(kept.snapshot_id) == kept
    (tmp_path / "snapshots").chmod(0o777)
    with pytest.raises(ToolError, match="Snapshot not found"):
        store.load(kept.snapshot_id)
    with pytest.raises(ToolError, match="Cannot create snapshot"):
        store.save(LineReport({}), "lcov.info", tmp_path, 1)
