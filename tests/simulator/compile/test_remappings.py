"""Remappings work as in solc."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.compile.sources.remappings import (
    Remapping,
    absolute_import,
    apply_remappings,
    parse_remapping,
    read_package_remappings,
    read_remappings,
    rooted,
    unit_name,
)
from simulator.errors import CompileError


def test_the_longest_context_wins_then_the_longest_prefix_then_the_last() -> None:
    """The order is that of the Solidity documentation."""
    remappings = [
        Remapping("a/", "one/"),
        Remapping("a/b/", "two/"),
        Remapping("a/", "three/", "src/"),
        Remapping("z/", "first/"),
        Remapping("z/", "second/"),
    ]
    assert apply_remappings(remappings, "test/T.sol", "a/x.sol") == "one/x.sol"
    assert apply_remappings(remappings, "test/T.sol", "a/b/x.sol") == "two/x.sol"
    assert apply_remappings(remappings, "src/T.sol", "a/b/x.sol") == "three/b/x.sol"
    assert apply_remappings(remappings, "src/T.sol", "z/x.sol") == "second/x.sol"
    assert apply_remappings(remappings, "src/T.sol", "./x.sol") == "./x.sol"


@pytest.mark.parametrize("text", ["no-separator", "=target", "context:=target"])
def test_a_malformed_remapping_names_its_place(text: str) -> None:
    """The message has the place and the allowed form."""
    with pytest.raises(CompileError, match=r"here: .*prefix=target"):
        parse_remapping(text, "here")


def test_a_remapping_may_have_a_context_and_an_empty_target() -> None:
    """Both forms are allowed by solc."""
    assert parse_remapping("ctx:a/=b/", "-") == Remapping("a/", "b/", "ctx")
    assert parse_remapping("a/=", "-") == Remapping("a/", "")
    assert str(parse_remapping("ctx:a/=b/", "-")) == "ctx:a/=b/"


def test_lines_of_a_file_are_read_without_comments(tmp_path: Path) -> None:
    """Blank lines and comments are left out; a missing file has none."""
    file = tmp_path / "remappings.txt"
    assert read_remappings(file) == ()
    file.write_text("# comment\n\na/=b/\n c/=d/ \n")
    assert read_remappings(file) == (Remapping("a/", "b/"), Remapping("c/", "d/"))


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    """File and line are part of the message."""
    file = tmp_path / "remappings.txt"
    file.write_text("a/=b/\nrubbish\n")
    with pytest.raises(CompileError, match=r"remappings\.txt:2"):
        read_remappings(file)


def test_what_a_library_has_malformed_is_left_out(tmp_path: Path) -> None:
    """A library's own files are not the user's to mend."""
    (tmp_path / "remappings.txt").write_text("rubbish\n")
    (tmp_path / "foundry.toml").write_text('[profile.default]\nremappings = ["a/=b/"]\n')
    assert read_package_remappings(tmp_path) == (Remapping("a/", "b/"),)
    (tmp_path / "foundry.toml").write_text("profile = 3")
    assert read_package_remappings(tmp_path) == ()


def test_targets_become_names_from_the_root(tmp_path: Path) -> None:
    """A library's remapping holds inside of it only, and its target starts from the root."""
    assert rooted(Remapping("a/", "./x/../lib/a/"), tmp_path, tmp_path) == Remapping("a/", "lib/a/")
    inner = rooted(Remapping("a/", "src/"), tmp_path / "lib" / "p", tmp_path)
    assert inner == Remapping("a/", "lib/p/src/", "lib/p/")
    assert rooted(Remapping("a/", "/else/where/"), tmp_path, tmp_path).target == "/else/where/"


def test_relative_imports_start_from_the_importing_unit() -> None:
    """Direct ones stay as they are."""
    assert absolute_import("src/sub/A.sol", "../B.sol") == "src/B.sol"
    assert absolute_import("A.sol", "./x/../B.sol") == "B.sol"
    assert absolute_import("src/A.sol", "lib/B.sol") == "lib/B.sol"


def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    """By its bytes; what lies above the root does not matter."""
    strange = os.fsdecode(b"\xff\n")
    assert unit_name(tmp_path / strange / "A.sol", tmp_path / strange) == "A.sol"
    with pytest.raises(CompileError, match=r"\\xff\\n\.sol: a compiler cannot take this name"):
        unit_name(tmp_path / f"{strange}.sol", tmp_path)
