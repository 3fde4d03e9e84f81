"""Verdicts of the real forge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from simulator.compile import CompileOptions, run_process
from simulator.compile.solc.providers import CompilerChoice
from tests.differential.verdicts import FAILED, PASSED, SKIPPED, Verdicts

SOLC = (0, 8, 30)
_STATUS = {"Success": PASSED, "Failure": FAILED, "Skipped": SKIPPED}
# forge asks for a native compiler; where only the npm build is there, this stands in for one.
_WRAPPER = """#!{python}
import os, sys
if "--version" in sys.argv:
    print("solc, the solidity compiler commandline interface\\nVersion: {version}")
else:
    command = {command!r}
    os.execv(command[0], command)
"""


def find_forge() -> Path | None:
    """The binary at `FORGE`, or on PATH."""
    named = os.environ.get("FORGE") or shutil.which("forge")
    return Path(named) if named and Path(named).is_file() else None


def forge_version(forge: Path) -> str:
    """The first line of what it says of itself."""
    return subprocess.run([str(forge), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def run_forge(forge: Path, project: Path, match: str | None = None) -> dict[str, Verdicts]:
    """Run all tests of a project, or of contracts that match. Verdicts by contract. Raises `RuntimeError` with forge's
    words when it could not run them."""
    arguments = ["test", "--json", *(("--match-contract", match) if match else ())]
    environment = {**os.environ, "FOUNDRY_SOLC": str(_native_solc(project)), "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1"}
    result = subprocess.run(
        [str(forge), *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    # Progress of invariants stands in lines of its own before the report.
    report = result.stdout[result.stdout.find('{"test/') :]
    if not report.startswith("{"):
        raise RuntimeError(f"forge test: {(result.stderr or result.stdout).strip()[-2000:]}")
    suites = msgspec.json.decode(report)
    return {
        name.partition(":")[2]: {test: _STATUS[each["status"]] for test, each in suite["test_results"].items()}
        for name, suite in suites.items()
    }


def _native_solc(folder: Path) -> Path:
    compiler = CompilerChoice(CompileOptions(), run_process, lambda _: None).find(SOLC)
    if compiler.command[1:] == ("--standard-json",):
        return Path(compiler.command[0])
    file = folder / "solc"
    version = ".".join(map(str, compiler.version))
    file.write_text(_WRAPPER.format(python=sys.executable, version=version, command=list(compiler.command)))
    file.chmod(0o755)
    return file
