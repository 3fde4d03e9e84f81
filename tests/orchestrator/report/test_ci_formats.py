"""Files for other programs: each is what its format's own schema or reader says, whatever the names in it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from lxml import etree
from pycobertura import Cobertura

from orchestrator.command_line.schema import document_schema
from orchestrator.comparison.compare import compare
from orchestrator.comparison.model import Comparison
from orchestrator.comparison.text import render_comparison, render_comparison_json
from orchestrator.report.ci.markdown import MAX_LENGTH
from orchestrator.report.ci.sarif import FINGERPRINT, RULES
from orchestrator.report.formats import FILE_FORMATS
from orchestrator.report.json_report import render_json
from orchestrator.report.model import CampaignReport, SourceLocation, TestStatus
from orchestrator.report.verdicts import VERDICTS
from simulator.fuzz.checking.oracles import TestKind
from simulator.health.model import CampaignHealth, HealthPoint
from simulator.printable import printable
from tests.support.campaign_reports import HOSTILE, PATH, finding, material, report
from tests.support.patience import PATIENCE

SCHEMAS = Path(__file__).parent / "schemas"
RENDERED = [name for name, form in FILE_FORMATS.items() if not form.is_folder]
ALL_TEXTS = pytest.mark.parametrize("text", ["assertion failed", *HOSTILE])


def rendered(name: str, text: str = "assertion failed", *, known: bool = False) -> str:
    return FILE_FORMATS[name].render(material(text, known=known))


@pytest.mark.parametrize("name", RENDERED)
@ALL_TEXTS
def test_a_report_file_holds_no_character_that_controls_what_shows_it(name: str, text: str) -> None:
    shown = rendered(name, text)
    assert printable(shown) == shown
    shown.encode()


@pytest.mark.parametrize("name", RENDERED)
def test_each_finding_is_in_each_report_of_findings(name: str) -> None:
    if FILE_FORMATS[name].needs_sources:
        return
    text = rendered(name)
    assert "f(assertion failed)" in text or "f&#40;assertion failed" in text
    assert rendered(name) == text


def test_a_failed_assertion_of_a_library_is_shown_at_the_test() -> None:
    """Reviewers see their own files; the helper is told beside it."""
    made = material()
    helper = SourceLocation("lib/chimera/src/Asserts.sol", 47, 13)
    failed = msgspec.structs.replace(
        made.report.tests[0],
        findings=(msgspec.structs.replace(finding(), location=helper),),
        location=SourceLocation(PATH, 2, 3),
    )
    made = msgspec.structs.replace(made, report=msgspec.structs.replace(made.report, tests=(failed,)))
    (result,) = json.loads(FILE_FORMATS["sarif"].render(made))["runs"][0]["results"]
    (shown,), (related,) = (
        [each["physicalLocation"] for each in result[name]] for name in ("locations", "relatedLocations")
    )
    assert (shown["region"]["startLine"], related["region"]["startLine"]) == (2, 47)
    assert "line=2,col=3" in FILE_FORMATS["github"].render(made)


@ALL_TEXTS
def test_sarif_is_valid_and_says_where_and_how(text: str) -> None:
    document = json.loads(rendered("sarif", text, known=True))
    Draft7Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())).validate(document)
    first, second = document["runs"][0]["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == PATH.replace(" ", "%20")
    assert (place["region"]["startLine"], place["region"]["startColumn"]) == (3, 1)
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [2, 3]
    assert first["partialFingerprints"][FINGERPRINT] != second["partialFingerprints"][FINGERPRINT]
    assert [each["baselineState"] for each in (first, second)] == ["unchanged", "new"]
    notes = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert "could not be tested" in notes[0]["message"]["text"]


def test_sarif_names_files_from_the_folder_of_the_run_and_others_by_their_whole_path() -> None:
    inside = msgspec.structs.replace(material(), root="/repository/contracts", base="/repository")
    assert inside.uri("src/A.sol") == "contracts/src/A.sol"
    assert msgspec.structs.replace(inside, base="/elsewhere").uri("a b.sol") == "file:///repository/contracts/a%20b.sol"


@ALL_TEXTS
def test_junit_is_valid_and_a_known_finding_fails_nothing(text: str) -> None:
    schema = etree.XMLSchema(etree.parse(str(SCHEMAS / "junit-10.xsd")))
    for known, failures, skipped in ((False, 2, 0), (True, 1, 1)):
        tree = etree.fromstring(rendered("junit", text, known=known).encode())
        schema.assertValid(tree)
        suite = tree.find("testsuite")
        assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
            "5",
            str(failures),
            "1",
            str(skipped),
        ]
        assert len(suite.findall("testcase/failure")) == failures


@ALL_TEXTS
def test_cobertura_has_the_structure_of_the_format(text: str) -> None:
    document = FILE_FORMATS["cobertura"].render(material(name=text))
    tree = etree.fromstring(document.encode())
    with (SCHEMAS / "cobertura.dtd").open() as file:
        dtd = etree.DTD(file)
    assert dtd.validate(tree), dtd.error_log


def test_cobertura_is_read_with_the_same_figures(tmp_path: Path) -> None:
    path = tmp_path / "coverage.xml"
    path.write_text(rendered("cobertura"))
    read = Cobertura(str(path))
    assert read.line_statuses(PATH) == [(3, "partial"), (4, "miss")]
    assert read.line_rate() == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.skipif(shutil.which("genhtml") is None, reason="genhtml (of lcov) is not installed")
def test_genhtml_reads_the_tracefile(tmp_path: Path) -> None:
    (tmp_path / "a.info").write_text(rendered("lcov").replace("/project/", f"{tmp_path}/"))
    for file in material().files or ():
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_text(file.content)
    command = ["genhtml", "--branch-coverage", "--output-directory", str(tmp_path / "out"), str(tmp_path / "a.info")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "66.7%" in done.stdout


@ALL_TEXTS
def test_a_workflow_command_is_one_line_that_no_text_forges(text: str) -> None:
    lines = rendered("github", text, known=True).splitlines()
    commands = [re.match(r"::(error|warning|notice) [^:]*::", line) for line in lines]
    assert [found[1] if found else line for found, line in zip(commands, lines, strict=True)] == [
        *("notice", "error", "warning", "notice")
    ]
    for line in lines:
        properties = dict(each.split("=", 1) for each in line.split(" ", 1)[1].split("::")[0].split(","))
        assert set(properties) <= {"file", "line", "col", "title"}


@ALL_TEXTS
def test_a_comment_has_no_markup_but_its_own(text: str) -> None:
    comment = rendered("markdown", text)
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", comment)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert "forged" not in re.sub(r"<code>.*?</code>", "", outside)
    assert not re.search(r"!\[|@everyone|<script|<tag", outside)
    assert outside.count("<details>") == outside.count("</details>") == 3


def test_a_comment_fits_where_comments_are_kept() -> None:
    many = tuple(finding(number, "x" * 150, calls=90) for number in range(1, 60))
    base = report()
    large = msgspec.structs.replace(base, tests=(msgspec.structs.replace(base.tests[0], findings=many),))
    comment = FILE_FORMATS["markdown"].render(msgspec.structs.replace(material(), report=large))
    assert len(comment) <= MAX_LENGTH + 200
    assert "for which this comment has no room" in comment


def test_each_status_and_kind_of_a_test_has_its_words() -> None:
    assert set(VERDICTS) == set(get_args(TestStatus))
    assert set(RULES) == set(get_args(TestKind))


def validator(name: str, type_: type[msgspec.Struct]) -> Draft202012Validator:
    schema: dict[str, Any] = json.loads(document_schema(name, 1, type_))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@ALL_TEXTS
def test_the_report_and_a_comparison_fit_their_published_schemas(text: str) -> None:
    validator("report", CampaignReport).validate(json.loads(render_json(report(text))))
    comparison = compare(report(text), report(known=True))
    validator("comparison", Comparison).validate(json.loads(render_comparison_json(comparison)))
    assert printable(render_comparison(comparison)) == render_comparison(comparison)


def test_the_schema_refuses_what_is_no_report() -> None:
    document = json.loads(render_json(report()))
    document["tests"][0]["status"] = "maybe"
    assert not validator("report", CampaignReport).is_valid(document)


def test_a_report_that_was_read_back_is_the_same() -> None:
    assert msgspec.json.decode(render_json(report()), type=CampaignReport) == report()


@pytest.mark.parametrize("name", ["html", "markdown"])
@ALL_TEXTS
def test_reviewers_read_the_health_with_the_verdicts(name: str, text: str) -> None:
    """Points that weaken a pass come with their next step; what a project says in them cannot act on the page."""
    point = HealthPoint("never-succeeded", f"f() always reverts: {text}", "let the harness approve", file=PATH, line=2)
    health = CampaignHealth("thin", "1 of 2 functions succeeded", (point,), None, ("all calls",))
    given = material()
    shown = FILE_FORMATS[name].render(
        msgspec.structs.replace(given, report=msgspec.structs.replace(given.report, health=health))
    )
    assert printable(shown) == shown
    for words in ("thin", "1 of 2 functions succeeded", "f() always reverts", "let the harness approve"):
        assert words in shown
    if name == "html":
        assert "<script>alert" not in shown
