"""`monotreme fuzz` on several contracts of one target."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest
import trio

from actors.events.types import StopReason
from orchestrator import several_campaigns
from orchestrator.campaign import CampaignOutcome, ProgramPorts
from orchestrator.command_line.entry import run
from orchestrator.command_line.fuzz import Ports
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.formats import REPORT_FORMATS
from orchestrator.report.model import CampaignReport, CampaignSummary, CorpusSummary, TestReport, TestStatus
from orchestrator.several_campaigns import Turn, names_several, turns_of
from simulator.compile import Selection
from simulator.coverage.summary import summarize
from simulator.errors import KernelError, TargetError
from simulator.project import Contract, Project

PIPE = DecisionInputs(cores=2, random_seed=7, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


def outcome_of(*statuses: TestStatus, stop: StopReason = StopReason.TEST_LIMIT, output: str = "") -> CampaignOutcome:
    """The outcome of a campaign whose tests came out like this."""
    tests = tuple(
        TestReport(f"test_{place}", "property", "C", status, None, True, (), "")
        for place, status in enumerate(statuses)
    )
    report = CampaignReport(
        campaign=CampaignSummary("C", "property", 1, 1, 1, 1.0, 1.0, stop.value),
        tests=tests,
        coverage=summarize(()),
        corpus=CorpusSummary(0, 0, None),
    )
    return CampaignOutcome(1 if "falsified" in statuses else 0, output, report)


@dataclass
class FakeTurns:
    """Campaigns that end as they were told; `played` are those that were begun."""

    ends: dict[str, CampaignOutcome | BaseException]
    played: list[str] = field(default_factory=list)

    def __call__(self, request: CampaignRequest) -> Sequence[Turn]:
        return [Turn(name, partial(self._play, name, end, request)) for name, end in self.ends.items()]

    def _play(self, name: str, end: CampaignOutcome | BaseException, request: CampaignRequest) -> CampaignOutcome:
        self.played.append(name)
        if isinstance(end, BaseException):
            raise end
        shown = REPORT_FORMATS[request.format].render(end.report, color=False) if request.format == "json" else name
        return replace(end, output=shown)


Fuzz = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def fuzz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fuzz:
    """Run `monotreme fuzz` on all contracts of A.sol, whose campaigns end as told."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.sol").touch()

    def fuzz(*arguments: str, **ends: CampaignOutcome | BaseException) -> tuple[int, list[str]]:
        turns = FakeTurns(ends)
        code = run(["fuzz", "A.sol", "--contract", "*", *arguments], Ports(surroundings=PIPE, turns=turns))
        return code, turns.played

    return fuzz


PASSED, FAILED = outcome_of("passed", "passed"), outcome_of("passed", "falsified")
INTERRUPTED = outcome_of("passed", stop=StopReason.INTERRUPTED)


def test_each_contract_has_a_report_and_a_line_of_the_summary(fuzz: Fuzz, capfd: pytest.CaptureFixture[str]) -> None:
    """Reports come in the order of the names, as soon as each is there."""
    assert fuzz(A=PASSED, Longer=FAILED) == (1, ["A", "Longer"])
    captured = capfd.readouterr()
    summary = "2 contracts, 1 with failed tests\n  A       2 tests, no failure\n  Longer  1 of 2 tests failed\n"
    assert captured.out == f"A\n\nLonger\n\n{summary}"
    assert captured.err == "2 contracts, one campaign each with all of the limits: A, Longer\n"


def test_reports_in_json_are_one_array(fuzz: Fuzz, capfd: pytest.CaptureFixture[str]) -> None:
    """What stdout holds is one document; the summary goes to stderr."""
    assert fuzz("--format", "json", A=PASSED, B=FAILED)[0] == 1
    captured = capfd.readouterr()
    documents = json.loads(captured.out)
    assert [[test["status"] for test in each["tests"]] for each in documents] == [
        ["passed", "passed"],
        ["passed", "falsified"],
    ]
    assert "2 contracts, 1 with failed tests" in captured.err
    assert fuzz("--format", "json", "--quiet", A=TargetError("none"))[0] == 2
    assert json.loads(capfd.readouterr().out) == []


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ((PASSED, PASSED), 0),
        ((TargetError("no tests"), PASSED), 2),
        ((TargetError("no tests"), KernelError("broken")), 3),
        ((KernelError("broken"), FAILED), 1),
        ((replace(PASSED, exit_code=3, error=KernelError("broken")), PASSED), 3),
        ((ValueError("a bug"), PASSED), 3),
    ],
    ids=["passed", "wrong input", "infrastructure", "findings", "ended by an error", "bug"],
)
def test_the_exit_code_is_the_worst_and_no_failure_stops_the_others(
    fuzz: Fuzz, ends: tuple[CampaignOutcome | BaseException, ...], code: int
) -> None:
    """Findings come first, as in a single campaign."""
    names = [f"C{place}" for place in range(len(ends))]
    assert fuzz(**dict(zip(names, ends, strict=True))) == (code, names)


@pytest.mark.parametrize(
    ("arguments", "first", "code", "reason"),
    [
        ((), INTERRUPTED, 0, "interrupted"),
        ((), KeyboardInterrupt(), 130, "interrupted"),
        (("--stop-on-fail",), FAILED, 1, "stopOnFail"),
    ],
    ids=["interrupted", "interrupted early", "stop on fail"],
)
def test_what_ends_the_run_leaves_contracts_that_are_named(
    fuzz: Fuzz,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    first: CampaignOutcome | BaseException,
    code: int,
    reason: str,
) -> None:
    """A contract that was not fuzzed must not look like one that passed."""
    assert fuzz(*arguments, A=first, B=PASSED) == (code, ["A"])
    assert f"  B  not fuzzed: {reason}\n" in capfd.readouterr().out


def test_a_single_name_is_one_campaign(tmp_path: Path) -> None:
    """Only several names, or one with a wildcard, are a run of several."""
    request = request_for(tmp_path, "A")
    assert not names_several(request)
    assert names_several(request_for(tmp_path, "A", "B"))
    assert names_several(request_for(tmp_path, "Crytic*"))


def test_campaigns_share_the_compiled_target_and_have_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each campaign gets the request with its contract; nothing is compiled again. Of contracts with one name, the
    folders tell the files."""
    names = ("a/T.sol:TestA", "a/T.sol:TestB", "b/T.sol:TestB")
    selections = tuple(Selection(Contract(*name.split(":"), "contract", (), b"", b"")) for name in names)
    project, begun = Project("/", ()), list[CampaignRequest]()

    async def compiled(*_arguments: object) -> tuple[Project, tuple[Selection, ...]]:
        return project, selections

    def run_one(request: CampaignRequest, *, ports: ProgramPorts) -> CampaignOutcome:
        begun.append(request)
        assert trio.run(ports.prepare, request, str, None) == (project, selections[len(begun) - 1])
        return PASSED

    async def no_kernel(_tell: object) -> None: ...

    monkeypatch.setattr(several_campaigns, "compile_several", compiled)
    monkeypatch.setattr(several_campaigns, "prepare_kernel", no_kernel)
    monkeypatch.setattr(several_campaigns, "run_campaign", run_one)
    request = request_for(tmp_path, "Test*", corpusDir=str(tmp_path / "corpus"))
    turns = turns_of(request, lambda _own: ProgramPorts())
    assert [turn.run() for turn in turns] == [PASSED] * 3
    assert [each.contract for each in begun] == [turn.contract for turn in turns] == list(names)
    folders = [each.corpus_directory for each in begun]
    assert folders == [tmp_path / "corpus" / name for name in ("TestA", "a-T.sol-TestB", "b-T.sol-TestB")]
    assert {(each.seed, each.time_limit) for each in begun} == {(7, 60.0)}


@pytest.mark.parametrize(
    ("contracts", "folders"),
    [
        (["a.sol:A", "a.sol:B"], ["A", "B"]),
        (["a.sol:Token", "b.sol:token"], ["a.sol-Token", "b.sol-token"]),
        (["a/b.sol:T", "a-b.sol:T"], ["a-b.sol-T", "a-b.sol-T-1"]),
        (["x/...vy:..", "a b.vy:a b"], ["contract", "a-b"]),
    ],
)
def test_each_contract_has_a_folder_below_the_corpus(contracts: list[str], folders: list[str]) -> None:
    """Whatever a file is called, and on disks that do not tell capitals from small letters."""
    assert several_campaigns._folder_names(contracts) == folders


def test_one_campaign_refuses_several_names(tmp_path: Path) -> None:
    """Wherever one campaign is asked for, such as by an agent."""
    with pytest.raises(ConfigurationError, match="a campaign is about one contract, not 2"):
        _ = request_for(tmp_path, "A", "B").contract


def request_for(folder: Path, *contracts: str, **keys: str) -> CampaignRequest:
    """The request of a command line that names these contracts of T.sol."""
    configuration = Configuration.model_validate({"contract": list(contracts), **keys})
    return make_request([folder / "T.sol"], configuration, PIPE)
