"""Arguments of `--report`, `--baseline`, `compare` and `show`: what is accepted, and answers to the rest."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from orchestrator.comparison.compare import compare
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.formats import FILE_FORMATS
from orchestrator.report.json_report import render_json
from orchestrator.report.model import CampaignReport
from orchestrator.report.requested import read_requests
from orchestrator.report.saved import REPORT_FILE, read_baseline, read_report, saved_material
from orchestrator.report.sources.source_lines import as_ranges, from_ranges
from tests.support.campaign_reports import report


def test_each_format_is_asked_for_by_its_name(tmp_path: Path) -> None:
    texts = [f"{name}={tmp_path / 'new' / name}" for name in FILE_FORMATS]
    assert [each.format.name for each in read_requests(texts)] == list(FILE_FORMATS)
    assert read_requests(["github=-"])[0].path is None


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["sarif"], "expected FORMAT=FILE"),
        (["sarif="], "expected FORMAT=FILE"),
        (["odt=x"], "the format is none of json, html"),
        (["foundry=-"], "a folder of files"),
        (["json=a", "text=./a"], "another report goes to the same place"),
        (["json=-", "text=-"], "another report goes to the same place"),
        (["json=folder"], "is not a regular file"),
        (["foundry=file"], "is not a folder"),
        (["json=file/x"], "file is not a folder"),
        (["json=pipe"], "is not a regular file; - is standard output"),
        (["json=a\0b"], "no file can have this name"),
        (["json=" + "x" * 5000], "no file can have this name"),
        (["\x1b[2J=x"], r"\\x1b\[2J=x"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReportRequestError, match=message):
        read_requests(texts)


def test_standard_output_takes_one_thing() -> None:
    with pytest.raises(ReportRequestError, match="standard output already takes the report of --format json"):
        read_requests(["sarif=-"], stdout_taken_by="the report of --format json")


def saved(folder: Path, report_: CampaignReport) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / REPORT_FILE).write_text(render_json(report_))
    return folder


def test_a_report_is_read_from_its_folder_or_its_file(tmp_path: Path) -> None:
    folder = saved(tmp_path, report())
    assert read_report(folder) == read_report(folder / REPORT_FILE) == report()
    assert read_baseline(folder) == {"0" * 31 + "1", "0" * 31 + "2"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a JSON report of schema 1"),
        ("[]", "not a JSON report of schema 1"),
        ('{"schema": 2}', "not a JSON report of schema 1"),
        ("[" * 100_000, "not a JSON report of schema 1"),
        (None, "there is no such report; a campaign with --corpus-dir writes it"),
    ],
)
def test_what_is_no_report_is_refused_with_its_name(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / REPORT_FILE).write_text(content)
    with pytest.raises(ReportRequestError, match=message) as refused:
        read_report(tmp_path)
    assert REPORT_FILE in str(refused.value)


def test_a_baseline_without_fingerprints_is_refused(tmp_path: Path) -> None:
    test = report().tests[0]
    bare = tuple(msgspec.structs.replace(each, fingerprint="") for each in test.findings)
    old = msgspec.structs.replace(report(), tests=(msgspec.structs.replace(test, findings=bare),))
    with pytest.raises(ReportRequestError, match="no fingerprints"):
        read_baseline(saved(tmp_path, old))


@pytest.mark.parametrize("name", [name for name, form in FILE_FORMATS.items() if not form.needs_sources])
def test_a_saved_report_becomes_each_format_that_needs_no_sources(name: str) -> None:
    assert "Vault" in FILE_FORMATS[name].render(saved_material(report()))


def test_lines_are_ranges() -> None:
    assert as_ranges([9, 3, 4, 5, 4]) == "3-5,9"
    assert from_ranges("3-5,9") == {3, 4, 5, 9}
    assert as_ranges([]) == ""
    assert from_ranges("") == frozenset()
    for text in ("x", "0", "5-3", "1-99999999999", "1,,x", "-4"):
        with pytest.raises(ValueError, match=r"range|invalid"):
            from_ranges(text)


def lines(report_: CampaignReport, hit: str, **changes: str) -> CampaignReport:
    first, *rest = report_.sources or ()
    return msgspec.structs.replace(report_, sources=(msgspec.structs.replace(first, hit=hit, **changes), *rest))


def test_lines_are_won_and_lost_only_in_a_source_that_is_the_same() -> None:
    found = compare(lines(report(), "3,5"), lines(report(), "3,4"))
    assert [(each.won, each.lost) for each in found.sources] == [("4", "5")]
    assert (found.won_lines, found.lost_lines, found.worse) == (1, 1, False)
    edited = compare(lines(report(), "3,5"), lines(report(), "3,4", digest="other"))
    assert [(each.state, each.won) for each in edited.sources] == [("edited", "")]


def test_a_campaign_is_worse_where_a_test_fails_or_is_gone_or_a_finding_is_new() -> None:
    whole = report()
    failed, passed, unknown, best = whole.tests

    def campaign(*tests: object) -> CampaignReport:
        return msgspec.structs.replace(whole, tests=tests)

    fewer = msgspec.structs.replace(failed, findings=failed.findings[:1])
    broken = msgspec.structs.replace(passed, status="falsified")
    for before, after, worse in (
        (whole, whole, False),
        (whole, campaign(passed, unknown, best), False),
        (campaign(passed), campaign(broken), True),
        (campaign(broken), campaign(passed), False),
        (campaign(passed, best), campaign(passed), True),
        (campaign(passed), campaign(passed, unknown), True),
        (campaign(passed), campaign(passed, best), False),
        (campaign(fewer), campaign(failed), True),
        (campaign(failed), campaign(fewer), False),
    ):
        assert compare(before, after).worse is worse
