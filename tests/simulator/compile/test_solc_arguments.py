"""Echidna's `solcArgs` are understood, and what is not is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.compile.options import CompilerSettings
from simulator.compile.solc_arguments import parse_solc_arguments
from simulator.compile.sources.remappings import Remapping
from simulator.errors import CompileError


def test_a_text_of_several_arguments_is_split_like_a_shell_does(tmp_path: Path) -> None:
    """Values may follow after a blank or after `=`."""
    found = parse_solc_arguments(
        [
            "--optimize --optimize-runs=50 --via-ir --evm-version paris a/=b/ --allow-paths '.,/x y'",
            "--remap",
            "ctx:c/=d/",
            f"--libraries src/L.sol:L=0x{'11' * 20}",
            "--include-path inc --base-path .",
        ],
        tmp_path,
    )
    assert found.settings == CompilerSettings(
        optimizer=True,
        optimizer_runs=50,
        via_ir=True,
        evm_version="paris",
        libraries={"src/L.sol:L": b"\x11" * 20},
    )
    assert found.remappings == (Remapping("a/", "b/"), Remapping("c/", "d/", "ctx"))
    assert found.allow_paths == (tmp_path.resolve(), Path("/x y"))
    assert found.include_paths == (tmp_path.resolve() / "inc",)
    assert found.base_path == tmp_path.resolve()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--frobnicate", r"--frobnicate is not understood; allowed are .*--optimize"),
        ("--optimize=1", "is not understood"),
        ("--optimize-runs many", "--optimize-runs many is not a number"),
        ("--optimize-runs", "needs a value"),
        ("--evm-version future", "not one of homestead, .*osaka"),
        ("--libraries L=12", "not of the form"),
        ("--remap x", "not of the form prefix=target"),
        ("contract.sol", "neither an option nor a remapping"),
        ("'open", "unbalanced quote"),
    ],
)
def test_what_is_not_understood_is_an_error(tmp_path: Path, arguments: str, message: str) -> None:
    """The message names the argument and what is allowed."""
    with pytest.raises(CompileError, match=message):
        parse_solc_arguments([arguments], tmp_path)


def test_settings_given_by_hand_win() -> None:
    """Those of the project fill the gaps."""
    given = CompilerSettings(optimizer=False, libraries={"a:A": b"1"})
    project = CompilerSettings(optimizer=True, optimizer_runs=3, libraries={"a:A": b"2", "b:B": b"3"})
    assert given.over(project) == CompilerSettings(
        optimizer=False, optimizer_runs=3, libraries={"a:A": b"1", "b:B": b"3"}
    )
