"""Files in folders that others may write to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.files.regular_file import NotRegularError, TooLargeError, is_regular, open_regular, read_at_most


def test_a_file_is_read(tmp_path: Path) -> None:
    """As `open` does in binary mode."""
    (tmp_path / "a").write_bytes(b"x\r\n")
    with open_regular(tmp_path / "a") as file:
        assert file.read() == b"x\r\n"


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    """Nobody writes to it."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotRegularError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Even to a file beside it."""
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="symbolic links"):
        open_regular(tmp_path / "link")


def test_whatever_the_system_refuses_is_no_regular_file(tmp_path: Path) -> None:
    """Names that are too long, links in a circle, NUL."""
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()
    assert is_regular(tmp_path / "file")
    assert not any(is_regular(tmp_path / name) for name in ("n" * 300, "circle", "a\0b", "missing"))


def test_a_file_is_read_up_to_its_limit_and_not_beyond(tmp_path: Path) -> None:
    """The error says the limit."""
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_at_most(path, 5) == b"12345"
    with pytest.raises(TooLargeError, match="over 4 bytes"):
        read_at_most(path, 4)
