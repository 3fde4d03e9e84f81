"""Reports of whole campaigns: files that were asked for, baselines, and commands that read reports again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.command_line.entry import run
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

PROGRAM = Path(__file__).parents[2] / "support" / "campaign_program.py"


def campaign(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A campaign of fake workers that finds two failing tests."""
    limits = ("--seed", "1", "--test-limit", "20000", "--workers", "1")
    command = [sys.executable, str(PROGRAM), "{}", *limits, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def monotreme(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "orchestrator", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.nightly
def test_known_findings_fail_no_run_and_reports_are_written_and_read_again(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus", tmp_path / "out"
    files = {name: out / f"report.{name}" for name in ("json", "sarif", "junit", "html")}
    requests = [f"--report={name}={path}" for name, path in files.items()]
    first = campaign("--corpus-dir", str(corpus), *requests, "--report", "github=-")
    assert first.returncode == 1, first.stderr
    lines = first.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::error", "::notice"]
    assert all(path.stat().st_size for path in files.values())
    assert json.loads((corpus / "report.json").read_text())["tests"] == json.loads(files["json"].read_text())["tests"]

    second = campaign("--baseline", str(files["json"]), "--format", "json")
    assert second.returncode == 0, second.stderr
    document = json.loads(second.stdout)
    assert [each["status"] for each in document["tests"]] == ["falsified", "falsified", "passed"]
    assert all(finding["known"] for test in document["tests"] for finding in test.get("findings", []))

    # A baseline that lacks one of the findings.
    known = json.loads(files["json"].read_text())
    known["tests"] = known["tests"][1:]
    files["json"].write_text(json.dumps(known))
    third = campaign("--baseline", str(files["json"]), "--corpus-dir", str(tmp_path / "third"))
    assert third.returncode == 1
    assert "(1 of the findings known)" in third.stdout

    compared = monotreme("compare", str(files["json"]), str(tmp_path / "third"))
    assert (compared.returncode, "New findings: 1" in compared.stdout) == (1, True)
    assert "2 of 3 tests failed" in monotreme("show", str(corpus)).stdout


def test_what_cannot_be_done_with_reports_is_said_before_the_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text("{}")
    for arguments, message in (
        (("--report", "odt=x"), "error: --report odt=x: the format is none of json"),
        (("--report", "json=-", "--format", "text"), "standard output already takes the report of --format text"),
        (("--baseline", str(tmp_path)), "not a JSON report of schema 1"),
        (("--baseline", str(tmp_path / "nothing")), "there is no such report"),
    ):
        code = run(["fuzz", __file__, *arguments])
        errors = capsys.readouterr().err
        assert (code, message in errors) == (2, True), errors
