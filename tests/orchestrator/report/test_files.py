"""Coverage files on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.report.errors import ReportError
from orchestrator.report.files import write_coverage_files, write_report
from orchestrator.report.formats import COVERAGE_FORMATS
from simulator.coverage.file_coverage import FileCoverage


def test_one_file_a_format_in_echidnas_naming(tmp_path: Path, files: tuple[FileCoverage, ...]) -> None:
    """The folder is made; nothing else is left in it."""
    folder = tmp_path / "a" / "coverage"
    paths = write_coverage_files(folder, files, timestamp=1_700_000_000, title="Token", root="/p")
    assert [path.name for path in paths] == [f"covered.1700000000.{name}" for name in COVERAGE_FORMATS]
    assert sorted(folder.iterdir()) == sorted(paths)
    texts = {path.suffix: path.read_text(encoding="utf-8") for path in paths}
    assert texts[".txt"].startswith("/p/src/A.sol\n")
    assert texts[".html"].startswith("<!doctype html>")
    assert "SF:/p/src/A.sol\n" in texts[".lcov"]


def test_formats_can_be_chosen(tmp_path: Path, files: tuple[FileCoverage, ...]) -> None:
    """Only what was asked for is written."""
    paths = write_coverage_files(tmp_path, files, timestamp=7, title="Token", formats=["lcov"])
    assert [path.name for path in tmp_path.iterdir()] == ["covered.7.lcov"] == [path.name for path in paths]


def test_sources_that_are_no_utf8_are_written(tmp_path: Path) -> None:
    """A report must not fail on a strange byte."""
    file = FileCoverage("a.sol", "s = '\udcff';")
    formats = ("txt", "html", "lcov")
    text, page, lcov = write_coverage_files(tmp_path, [file], timestamp=1, title="T", formats=formats)
    assert "s = '\\xff';" in text.read_text(encoding="utf-8")
    assert "s = &#39;\\xff&#39;;" in page.read_text(encoding="utf-8")
    assert "SF:a.sol\n" in lcov.read_text(encoding="utf-8")


def test_a_folder_that_is_a_file_is_a_typed_error(tmp_path: Path, files: tuple[FileCoverage, ...]) -> None:
    """The message names the file that could not be written."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReportError, match=r"cannot write .*covered\.1\.txt: "):
        write_coverage_files(tmp_path / "file", files, timestamp=1, title="T")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither half a report nor its temporary file."""

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ReportError, match=r"cannot write .*: No space left on device"):
        write_report(tmp_path / "report.txt", "text")
    assert list(tmp_path.iterdir()) == []


def test_an_older_report_is_replaced_whole(tmp_path: Path) -> None:
    """Readers see the old or the new file, never a mixture; a link is not followed."""
    outside = tmp_path / "outside"
    outside.write_text("keep")
    link = tmp_path / "report.txt"
    link.symlink_to(outside)
    write_report(link, "fresh")
    assert (link.read_text(), link.is_symlink(), outside.read_text()) == ("fresh", False, "keep")
