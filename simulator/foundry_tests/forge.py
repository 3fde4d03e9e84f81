"""Running exported tests with forge: its command, its home with the campaign's compilers, its answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from simulator.compile.solc.providers import Compiler
from simulator.compile.solc.version import format_version
from simulator.foundry_tests.outcome import ExportOutcome
from simulator.foundry_tests.rendering import FUNCTION

_WRAPPER = """\
#!{python}
import os, sys
if "--version" in sys.argv:
    print("solc, the solidity compiler commandline interface\\nVersion: {version}+commit.00000000.Linux.g++")
else:
    command = {command!r}
    os.execv(command[0], command)
"""


def forge_command(forge: str, folder: Path, *, has_older: bool) -> list[str]:
    """The command that runs the tests of a folder, which has a `foundry.toml`, without the network. With `has_older`,
    tests ask for contracts of older compilers."""
    return [forge, *run_arguments(has_older=has_older), "--root", str(folder), "--json", "--offline"]


def run_arguments(*, has_older: bool) -> list[str]:
    """Return the arguments that run the tests and no others, as far as that is possible: forge that is to run some
    tests compiles nothing that they do not import."""
    return ["test"] if has_older else ["test", "--match-test", FUNCTION]


def write_home(home: Path, compilers: Iterable[Compiler]) -> None:
    """Make a folder the home of a forge that finds just these compilers, and no settings of anybody."""
    for compiler in compilers:
        version = format_version(compiler.version)
        folder = home / ".svm" / version
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"solc-{version}"
        file.write_text(_WRAPPER.format(python=sys.executable, version=version, command=list(compiler.command)))
        file.chmod(0o755)


def forge_environment(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of such a forge."""
    return {**environment, "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "NO_COLOR": "1"}


def read_answer(output: bytes) -> dict[str, ExportOutcome]:
    """Outcomes by the name of the contract. Empty for an output without results, as when nothing was compiled."""
    suites: dict[str, Any] = {}
    for line in output.splitlines():
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            suites.update(document)
    return {
        name.rpartition(":")[2]: outcome
        for name, suite in suites.items()
        if isinstance(suite, dict) and (outcome := _outcome(suite.get("test_results"))) is not None
    }


def _outcome(results: object) -> ExportOutcome | None:
    if not isinstance(results, dict):
        return None
    for name, result in results.items():
        if not isinstance(result, dict):
            continue
        reason = str(result.get("reason") or "")
        if name == f"{FUNCTION}()":
            return ExportOutcome("passed") if result.get("status") == "Success" else ExportOutcome("failed", reason)
        if name == "setUp()":
            return ExportOutcome("stopped", f"setUp() fails: {reason}")
    return None
