"""Paths that callers name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.roots import AllowedRoots, PathRefused


@pytest.mark.parametrize("name", ["x" * 256, "circle/x", "a\0b", ""])
def test_what_the_file_system_cannot_take_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(PathRefused):
        AllowedRoots([tmp_path], tmp_path).resolve(name)


def test_nothing_needs_to_exist_at_a_path(tmp_path: Path) -> None:
    assert AllowedRoots([tmp_path], tmp_path).resolve("a/b") == tmp_path.resolve() / "a" / "b"
