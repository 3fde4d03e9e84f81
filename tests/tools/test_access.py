"""The file of tokens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.serving.access import TokenFileError, tokens_in
from tools.tool import Scope


def test_tokens_are_made_once_and_kept_private(tmp_path: Path):
    """Mode 0600 in a folder of mode 0700, the same tokens ever after."""
    path = tmp_path / "state" / "tokens.json"
    first, second = tokens_in(path), tokens_in(path)
    assert first.made
    assert not second.made
    assert first.tokens == second.tokens
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_scopes_belong_to_tokens(tmp_path: Path):
    """Anything else has none."""
    tokens = tokens_in(tmp_path / "tokens.json").tokens
    assert tokens.scopes_of(tokens.control) == {Scope.READ, Scope.CONTROL}
    assert tokens.scopes_of(tokens.read) == {Scope.READ}
    for token in ("", tokens.read[:-1], tokens.control + "x", "\udcff"):
        assert tokens.scopes_of(token) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"junk",
        b'{"control":"short","read":"short"}',
        b'{"control":"aaaaaaaaaaaaaaaaa","read":"aaaaaaaaaaaaaaaaa"}',
    ],
)
def test_files_without_two_good_tokens_are_refused(tmp_path: Path, content: bytes):
    """Rather than replaced, as somebody made them."""
    path = tmp_path / "tokens.json"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(TokenFileError, match=r"tokens\.json"):
        tokens_in(path)


def test_files_that_others_can_reach_are_refused(tmp_path: Path):
    """A readable file, a link to a file elsewhere, a folder, a pipe, a folder that cannot be written."""
    open_file = tmp_path / "open.json"
    tokens_in(open_file)
    open_file.chmod(0o644)
    link = tmp_path / "link.json"
    tokens_in(tmp_path / "real.json")
    link.symlink_to(tmp_path / "real.json")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    for path in (open_file, link, pipe, tmp_path, tmp_path / "real.json" / "below"):
        with pytest.raises(TokenFileError):
            tokens_in(path)
