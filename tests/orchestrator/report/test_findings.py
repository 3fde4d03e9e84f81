"""Places of findings in the sources, and fingerprints that other runs know them by."""

from __future__ import annotations

import msgspec
import pytest

from orchestrator.report.findings import findings, new_findings, site_location, with_known, with_places
from orchestrator.report.model import CampaignReport, SourceLocation, TestReport
from orchestrator.report.sources.declared_places import DeclaredPlaces
from simulator.project import Contract, Project, SourceFile, Unit
from tests.support.campaign_reports import call, finding, report

BASE = """\
contract Base is Root {
    function inherited() public {}
    function twice(uint a) public {}
    function twice(address a) public {}
}
abstract contract Root { function deep(uint a) public { assert(a != 7); } }
"""
TARGET = """\
import "./Base.sol";
// contract Target is Nobody {
contract Target is Other("x"), Base {
    uint256 public count;
    function own(uint256 a) public {
        assert(a != 7); /* ä */ assert(a != 8);
    }
}
contract Other { function inherited() public {} }
"""


def project(target: str = TARGET, base: str = BASE, **more: str) -> Project:
    sources = {"src/Target.sol": target, "src/Base.sol": base, **more}
    files = tuple(SourceFile(index, path, text) for index, (path, text) in enumerate(sources.items()))
    names = {"src/Target.sol": ("Target", "Other"), "src/Base.sol": ("Base", "Root")}
    contracts = tuple(
        Contract(path, name, "contract", (), b"", b"") for path in sources for name in names.get(path, ("Target",))
    )
    return Project("/", (Unit("0.8.30", "cancun", files, contracts),))


@pytest.mark.parametrize(
    ("contract", "signature", "place"),
    [
        ("Target", "own(uint256)", ("src/Target.sol", 5)),
        ("src/Target.sol:Target", "own", ("src/Target.sol", 5)),
        ("Target", "inherited()", ("src/Base.sol", 2)),  # the base on the right comes first
        ("Target", "deep(uint256)", ("src/Base.sol", 6)),
        ("Target", "twice(address)", ("src/Base.sol", 4)),
        ("Target", "twice", None),  # two could be meant
        ("Target", "count()", None),
        ("Nobody", "own(uint256)", None),
    ],
)
def test_a_function_is_found_in_its_contract_or_its_bases(
    contract: str, signature: str, place: tuple[str, int] | None
) -> None:
    found = DeclaredPlaces(project()).function(contract, signature)
    assert (found and (found.path, found.line)) == place


def test_a_name_that_several_files_use_is_the_target_or_nobody() -> None:
    twice = project(**{"lib/Target.sol": "contract Target {}"})
    assert DeclaredPlaces(twice).function("Target", "own") is None
    assert DeclaredPlaces(twice, "src/Target.sol:Target").function("Target", "own") is not None


def test_a_source_that_is_no_solidity_has_no_places() -> None:
    for text in ("", "contract Target is", "}{" * 50, "contract Target is Target {" * 30, "\udc80\x00"):
        places = DeclaredPlaces(project(text))
        places.function("Target", "own(uint256)")
        assert places.contract("Target") is not None


@pytest.mark.parametrize(
    ("site", "place"),
    [
        ("src/A.sol:3:9", SourceLocation("src/A.sol", 3, 9)),
        ('src/A.sol:3:9 "x"', SourceLocation("src/A.sol", 3, 9)),
        ('a:1.sol:3:9 "b:1:2 "', SourceLocation("a:1.sol", 3, 9)),
        ("Vault@0x1a2", None),
        ("", None),
    ],
)
def test_a_site_names_its_place(site: str, place: SourceLocation | None) -> None:
    assert site_location(site) == place


def with_sites(*sites: str, source: str = TARGET, **changes: object) -> CampaignReport:
    found = tuple(msgspec.structs.replace(finding(), site=site) for site in sites)
    test = TestReport("own(uint256)", "assertion", "Target", "falsified", "x", True, (), "", findings=found)
    test = msgspec.structs.replace(test, **changes)
    whole = msgspec.structs.replace(report(), tests=(test,))
    return with_places(whole, DeclaredPlaces(project(source)))


def prints(report_: CampaignReport) -> list[str]:
    return [each.fingerprint for _, each in findings(report_)]


def test_a_fingerprint_stays_when_lines_are_added_above() -> None:
    before = prints(with_sites('src/Target.sol:6:9 "m"'))
    assert prints(with_sites('src/Target.sol:8:9 "m"', source="\n\n" + TARGET)) == before
    assert (
        prints(with_sites('src/Target.sol:6:12 "m"', source=TARGET.replace("        assert", "           assert")))
        == before
    )


def test_other_findings_have_other_fingerprints() -> None:
    one = with_sites("src/Target.sol:6:9")
    others = [
        with_sites("src/Target.sol:5:9"),
        with_sites('src/Target.sol:6:9 "m"'),
        with_sites("src/Base.sol:2:5"),
        with_sites(""),
        with_sites("src/Target.sol:6:9", name="other()"),
        with_sites("src/Target.sol:6:9", contract="Base"),
        with_sites("src/Target.sol:6:9", type="property"),
        with_sites("src/Target.sol:6:9", source=TARGET.replace("a != 7", "a != 9")),
    ]
    assert len({*prints(one), *(each for other in others for each in prints(other))}) == 1 + len(others)


def test_two_failures_on_one_line_are_two_findings() -> None:
    both = prints(with_sites("src/Target.sol:6:9", "src/Target.sol:6:33"))
    assert len(set(both)) == 2


def test_a_sequence_that_kills_workers_is_known_by_what_it_calls() -> None:
    def crash(name: str, *calls: str) -> list[str]:
        sequence = tuple(msgspec.structs.replace(call(), function=each) for each in calls)
        whole = with_sites("", name=name, type="crash")
        test = whole.tests[0]
        found = (msgspec.structs.replace(test.findings[0], reproducer=sequence),)
        changed = msgspec.structs.replace(test, findings=found)
        return prints(with_places(msgspec.structs.replace(whole, tests=(changed,)), DeclaredPlaces(project())))

    assert crash("crash_1", "f()") == crash("crash_2", "f()") != crash("crash_1", "g()")


def test_what_the_baseline_has_is_known() -> None:
    whole = with_sites("src/Target.sol:6:9", "src/Target.sol:5:9")
    known = with_known(whole, frozenset(prints(whole)[:1]))
    assert [each.known for _, each in findings(known)] == [True, False]
    assert [each.site for _, each in new_findings(known)] == ["src/Target.sol:5:9"]


def test_calls_and_properties_have_places() -> None:
    whole = with_sites("", reproducer=(msgspec.structs.replace(call(), contract="Target", function="own(uint256)"),))
    assert whole.tests[0].reproducer[0].location == SourceLocation("src/Target.sol", 5, 5)
    assert whole.tests[0].findings[0].location == SourceLocation("src/Target.sol", 5, 5)
