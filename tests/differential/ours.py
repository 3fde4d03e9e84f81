"""Verdicts of our own program, as the user gets them: one campaign a contract, its report in JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from tests.differential.verdicts import FAILED, PASSED, SKIPPED, Verdicts

_STATUS = {"falsified": FAILED, "skipped": SKIPPED}
CALLS = 20_000


def run_ours(project: Path, contract: str) -> Verdicts:
    """Verdicts of a contract's tests by signature. Raises `RuntimeError` with the program's words when it gave none."""
    result = subprocess.run(
        [
            sys.executable, "-m", "orchestrator", "fuzz", str(project), "--contract", contract,
            "--test-mode", "foundry", "--format", "json", "--workers", "1", "--seed", "1", "--quiet",
            "--test-limit", str(CALLS), "--shrink-limit", "0",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{contract}: {result.stderr.strip()[-2000:]}")
    tests = msgspec.json.decode(result.stdout)["tests"]
    return {test["name"]: _STATUS.get(test["status"], PASSED) for test in tests}
