"""The pages of the live view that a key opens, as rows of text that are cut at the width of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from rich.text import Text

from orchestrator.live_rows import row, worker_rows
from orchestrator.snapshot import CampaignSnapshot, FindingSnapshot
from orchestrator.terminal.controls import HELP, Page
from simulator.coverage.summary import ContractCoverage
from simulator.printable import one_line, shortened

_NAME = 32


def page_rows(page: Page, snapshot: CampaignSnapshot, findings: Sequence[FindingSnapshot], rows: int) -> list[Text]:
    """At most `rows` of a page; none of the overview, which is the live view itself."""
    match page:
        case "overview":
            return []
        case "findings":
            return _cut(_finding_rows(findings), rows)
        case "coverage":
            return _cut(_coverage_rows(snapshot.contracts), rows)
        case "workers":
            return worker_rows(snapshot, rows)
        case "help":
            return _cut([row((f"{keys:>8}  ", "bold"), meaning) for keys, meaning in HELP], rows)
        case _:
            assert_never(page)


def _cut(lines: list[Text], rows: int) -> list[Text]:
    if len(lines) <= rows:
        return lines
    return [*lines[: max(0, rows - 1)], row((f"  … {len(lines) - rows + 1} more", "dim"))] if rows > 0 else []


def _finding_rows(findings: Sequence[FindingSnapshot]) -> list[Text]:
    lines = []
    for finding in findings:
        place = f" at {one_line(finding.site)}" if finding.site else ""
        lines.append(row(("✗ ", "bold red"), (one_line(finding.test), "bold"), (place, "dim")))
        lines.append(row(f"    {one_line(finding.reason)}"))
        lines += [row(("    ", ""), (one_line(call), "dim")) for call in finding.calls]
    return lines or [row(("nothing was found so far", "dim"))]


def _coverage_rows(contracts: Sequence[ContractCoverage]) -> list[Text]:
    lines = []
    for each in sorted(contracts, key=lambda each: (each.line_coverage, each.path, each.name)):
        style = "green" if each.lines_hit == each.lines_found else "red" if not each.lines_hit else "yellow"
        branches = f"{each.branches_hit}/{each.branches_found} branches" if each.branches_found else ""
        lines.append(
            row(
                f"{shortened(one_line(each.name), _NAME):<{_NAME}} ",
                (f"{each.line_coverage:>5.1f}%", style),
                f" {f'{each.lines_hit}/{each.lines_found} lines':<18} ",
                (f"{branches:<20}", "dim"),
                (one_line(each.path), "dim"),
            )
        )
    return lines or [row(("no source was measured so far", "dim"))]
