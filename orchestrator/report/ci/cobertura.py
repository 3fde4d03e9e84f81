"""Coverage as Cobertura XML: a package for each folder, a class for each contract."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from orchestrator.report.ci.xml_text import child, document, shown
from orchestrator.report.material import ReportMaterial
from simulator.coverage.file_coverage import BranchCount, FileCoverage, LineCount

DOCTYPE = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">'


def render_cobertura(material: ReportMaterial) -> str:
    """The document. Paths of files are relative to the one source folder."""
    files = material.files or ()
    lines = [line for file in files for line in file.lines]
    branches = [branch for file in files for branch in file.branches]
    version = material.report.run.version if material.report.run else ""
    root = Element(
        "coverage",
        shown(
            {
                **_rates(lines, branches),
                "lines_covered": _hit(lines),
                "lines_valid": len(lines),
                "branches_covered": _sides(branches),
                "branches_valid": 2 * len(branches),
                "complexity": 0,
                "version": f"monotreme {version}".strip(),
                "timestamp": material.made,
            }
        ),
    )
    child(child(root, "sources"), "source", material.root)
    packages = child(root, "packages")
    folders: dict[str, list[FileCoverage]] = {}
    for file in files:
        folders.setdefault(PurePosixPath(file.path).parent.as_posix(), []).append(file)
    for folder, members in folders.items():
        _package(packages, folder, members)
    return document(root, DOCTYPE)


def _package(packages: Element, folder: str, files: Sequence[FileCoverage]) -> None:
    lines = [line for file in files for line in file.lines]
    branches = [branch for file in files for branch in file.branches]
    package = child(packages, "package", name=folder, **_rates(lines, branches), complexity=0)
    classes = child(package, "classes")
    for file in files:
        for contract in dict.fromkeys(line.contract for line in file.lines):
            _class(classes, file, contract)


def _class(classes: Element, file: FileCoverage, contract: str) -> None:
    lines = [line for line in file.lines if line.contract == contract]
    branches = [branch for branch in file.branches if branch.contract == contract]
    name = contract or PurePosixPath(file.path).name
    element = child(classes, "class", name=name, filename=file.path, **_rates(lines, branches), complexity=0)
    child(element, "methods")
    listed = child(element, "lines")
    for line in lines:
        _line(listed, line, [branch for branch in branches if branch.line == line.line])


def _line(listed: Element, line: LineCount, branches: Sequence[BranchCount]) -> None:
    if not branches:
        child(listed, "line", number=line.line, hits=line.count, branch="false")
        return
    hit, found = _sides(branches), 2 * len(branches)
    shown_coverage = f"{100 * hit // found}% ({hit}/{found})"
    element = child(listed, "line", number=line.line, hits=line.count, branch="true", condition_coverage=shown_coverage)
    conditions = child(element, "conditions")
    for number, branch in enumerate(branches):
        child(conditions, "condition", number=number, type="jump", coverage=f"{50 * branch.hit}%")


def _rates(lines: Sequence[LineCount], branches: Sequence[BranchCount]) -> dict[str, object]:
    return {
        "line_rate": f"{_hit(lines) / len(lines) if lines else 0:.4f}",
        "branch_rate": f"{_sides(branches) / (2 * len(branches)) if branches else 0:.4f}",
    }


def _hit(lines: Sequence[LineCount]) -> int:
    return sum(line.count > 0 for line in lines)


def _sides(branches: Sequence[BranchCount]) -> int:
    return sum(branch.hit for branch in branches)
