"""Contract 004, the tools that look, over a campaign with fake workers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema
import pytest

from actors.events.types import (
    CAMPAIGN,
    CoverageIncreased,
    PhaseChanged,
    PropertyFalsified,
    Steered,
    TransactionExecuted,
    Warned,
    WorkerStarted,
)
from tests.support.campaign_bench import Bench, call, campaign_bench
from tests.support.patience import PATIENCE, until
from tools.campaign.contract import contract

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ALICE = bytes.fromhex("ab" * 20)


@pytest.fixture
async def bench(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    """A campaign that has not begun: what is in it is what a test puts in."""
    async with campaign_bench(tmp_path, running=False) as made:
        yield made


@pytest.fixture
async def stocked(bench: Bench) -> Bench:
    """With three sequences in the corpus, five transactions in all."""
    entries = bench.parts.keeper.entries
    entries.add(0, (call("transfer", 1, 5), call("deposit", value=10**18)), "coverage")
    entries.add(0, (call("transfer", 2, 7, sender=ALICE),), "coverage")
    entries.add(1, (call("approve", 3, 9), call("transferFrom", 1, 2, 3, sender=ALICE)), "coverage")
    return bench


def increased(number: int) -> CoverageIncreased:
    return CoverageIncreased(number, 1, number, number)


async def answer_of(bench: Bench, tool: str, **arguments: object) -> dict:
    """Also checked against the contract's own schema."""
    answer = await bench.ask(tool, **arguments)
    jsonschema.validate(answer, contract()[tool]["output"], format_checker=jsonschema.FormatChecker())
    return answer


# --- read_logs --------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("004-3", "004-10", "004-11", "004-D1")
async def test_events_come_newest_first_with_time_zone(bench: Bench):
    """Later appends first where times are equal; totalCount counts the buffer, not the answer."""
    for number in range(5):
        bench.parts.log.append(0, increased(number))
    answer = await answer_of(bench, "read_logs", count=3)
    assert [event["data"]["points"] for event in answer["events"]] == [4, 3, 2]
    assert answer["totalCount"] == 5
    assert all(RFC3339.fullmatch(event["timestamp"]) for event in answer["events"])
    assert answer["events"][0]["timestamp"] == "2025-12-20T10:30:45.500Z"


@pytest.mark.requirement("004-12", "004-D14")
async def test_the_buffer_holds_2500_events(bench: Bench):
    """The 2501st drops the oldest, and telemetry cannot drop a falsification."""
    bench.parts.log.append(0, PropertyFalsified(0, "p", "property", "C", "false", ()))
    for number in range(1_900):
        bench.parts.log.append(0, increased(number))
    for _ in range(3_000):
        bench.parts.log.append(1, TransactionExecuted(1_000, 1))
    answer = await answer_of(bench, "read_logs", count=2_500)
    assert (len(answer["events"]), answer["totalCount"]) == (2_500, 2_500)
    assert len((await answer_of(bench, "read_logs", eventType="PropertyFalsified"))["events"]) == 1
    for number in range(2_501):
        bench.parts.log.append(0, increased(number))
    answer = await answer_of(bench, "read_logs", count=2_500, eventType="CoverageIncreased")
    assert answer["totalCount"] == 2_500
    assert answer["events"][0]["data"]["points"] == 2_500


@pytest.mark.requirement("004-8", "004-9", "004-D18")
async def test_filters_combine_and_count_applies_after_them(bench: Bench):
    """The newest that match, however many others came since."""
    bench.parts.log.append(CAMPAIGN, PhaseChanged("fuzzing"))
    for number in range(200):
        bench.parts.log.append(number % 2, increased(number))
    bench.parts.log.append(1, WorkerStarted(2**60, 3))
    answer = await answer_of(bench, "read_logs", count=2, eventType="CoverageIncreased", workerId=0)
    assert [event["data"]["points"] for event in answer["events"]] == [198, 196]
    (started,) = (await answer_of(bench, "read_logs", eventType="WorkerStarted"))["events"]
    assert (started["workerId"], started["data"]) == (1, {"incarnation": 3, "seed": str(2**60)})
    assert (await answer_of(bench, "read_logs", workerId=7))["events"] == []
    everything = await answer_of(bench, "read_logs", count=2_500)
    assert (len(everything["events"]), everything["totalCount"]) == (201, 201)


async def test_a_worker_that_started_on_a_cluster_names_its_node(bench: Bench):
    bench.parts.log.append(2, WorkerStarted(5, 0, "10.0.0.2"))
    (started,) = (await answer_of(bench, "read_logs"))["events"]
    assert started["data"] == {"incarnation": 0, "node": "10.0.0.2", "seed": "5"}


async def test_events_of_the_campaign_do_not_hide_those_of_workers(bench: Bench):
    """However many there are: the contract's events have a worker."""
    bench.parts.log.append(0, increased(7))
    for _ in range(5):
        bench.parts.log.append(CAMPAIGN, PhaseChanged("fuzzing"))
    answer = await answer_of(bench, "read_logs", count=1)
    assert [event["data"]["points"] for event in answer["events"]] == [7]
    assert answer["totalCount"] == 1


@pytest.mark.requirement("004-10", "004-12", "004-D14")
async def test_falsifications_outlive_floods(bench: Bench):
    """Of commands, warnings, coverage and telemetry; totalCount counts what can be returned."""
    bench.parts.log.append(0, PropertyFalsified(0, "p", "property", "C", "false", ()))
    for number in range(2_600):
        bench.parts.log.append(CAMPAIGN, Steered("prioritize", str(number)))
        bench.parts.log.append(1, Warned(str(number)))
    answer = await answer_of(bench, "read_logs", count=2_500)
    assert ([event["eventType"] for event in answer["events"]], answer["totalCount"]) == (["PropertyFalsified"], 1)
    for number in range(2_600):
        bench.parts.log.append(1, increased(number))
        bench.parts.log.append(1, TransactionExecuted(1_000, 1))
    answer = await answer_of(bench, "read_logs", count=2_500)
    assert (len(answer["events"]), answer["totalCount"]) == (2_500, 2_500)
    assert len((await answer_of(bench, "read_logs", eventType="PropertyFalsified"))["events"]) == 1


@pytest.mark.requirement("004-13")
async def test_a_falsification_carries_its_counterexample_as_calls(bench: Bench):
    """As in the contract's example."""
    sequence = (call("deposit", value=5), call("transfer", 0x20000, 200))
    bench.parts.log.append(2, PropertyFalsified(0, "echidna_balance", "property", "Token", "was false", sequence))
    (event,) = (await answer_of(bench, "read_logs", count=50, eventType="PropertyFalsified"))["events"]
    assert event["workerId"] == 2
    assert event["data"]["property"] == "echidna_balance"
    assert event["data"]["counterexample"] == [
        "deposit()",
        "transfer(0x20000,200)",
    ]
    assert isinstance(event["data"]["gasUsed"], int)


@pytest.mark.requirement("004-7", "004-8", "004-9", "004-35")
@pytest.mark.parametrize(
    "arguments",
    [
        {"count": 0},
        {"count": 2501},
        {"count": 1.5},
        {"count": "5"},
        {"count": True},
        {"count": None},
        {"eventType": "TestFalsified"},
        {"eventType": ""},
        {"eventType": None},
        {"workerId": -1},
        {"workerId": "0"},
        {"more": 1},
    ],
)
async def test_wrong_arguments_of_read_logs_are_refused(bench: Bench, arguments: dict):
    """With a message that names the argument."""
    error = await bench.error("read_logs", **arguments)
    assert error["code"] == "INVALID_INPUT"
    assert next(iter(arguments)) in error["message"]


# --- corpus -----------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("004-18", "004-20", "004-21", "004-D10", "004-S8")
async def test_the_corpus_is_one_list_of_transactions(stocked: Bench):
    """Over all sequences in the order in which they came; `total` is `get_corpus_size`."""
    assert await answer_of(stocked, "get_corpus_size") == {"size": 5}
    page = await answer_of(stocked, "inspect_corpus_transactions", offset=1, limit=2)
    assert page["total"] == 5
    assert page["transactions"] == [
        {
            "index": 1,
            "call": "deposit()",
            "sender": "0x0000000000000000000000000000000000010000",
            "value": "1000000000000000000",
        },
        {
            "index": 2,
            "call": "transfer(0x2,7)",
            "sender": "0x" + "ab" * 20,
            "value": "0",
        },
    ]
    everything = (await answer_of(stocked, "inspect_corpus_transactions"))["transactions"]
    assert [each["index"] for each in everything] == [0, 1, 2, 3, 4]
    assert await answer_of(stocked, "inspect_corpus_transactions", offset=99) == {"transactions": [], "total": 5}


async def test_an_empty_corpus_is_an_answer(bench: Bench):
    """Not an error."""
    assert await answer_of(bench, "inspect_corpus_transactions") == {"transactions": [], "total": 0}
    assert await answer_of(bench, "find_transaction_in_corpus", minValue="0") == {"matches": [], "count": 0}
    assert await answer_of(bench, "get_corpus_size") == {"size": 0}


@pytest.mark.requirement("004-19", "004-D9")
@pytest.mark.parametrize(
    "arguments", [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"offset": "0"}, {"page": 1}, {"limit": 2.5}]
)
async def test_wrong_pages_are_refused(bench: Bench, arguments: dict):
    """Offset and limit are the seed's."""
    assert (await bench.error("inspect_corpus_transactions", **arguments))["code"] == "INVALID_INPUT"


@pytest.mark.requirement("004-22", "004-23", "004-24", "004-D11")
@pytest.mark.parametrize(
    ("criteria", "indexes"),
    [
        ({"functionSignature": "transfer(address,uint256)"}, [0, 2]),
        ({"functionSignature": "transfer(address, uint)"}, [0, 2]),
        ({"functionSignature": "transfer"}, [0, 2]),
        ({"functionSignature": "Transfer"}, []),
        ({"functionSignature": "transf"}, []),
        ({"functionSignature": "transfer(address)"}, []),
        ({"functionSignature": "hello world"}, []),
        ({"sender": "0x" + "AB" * 20}, [2, 4]),
        ({"minValue": "1"}, [1]),
        ({"minValue": "1000000000000000000"}, [1]),
        ({"minValue": "1000000000000000001"}, []),
        ({"minValue": "0"}, [0, 1, 2, 3, 4]),
        ({"minValue": "000"}, [0, 1, 2, 3, 4]),
        ({"sender": "0x" + "ab" * 20, "functionSignature": "transfer", "minValue": "0"}, [2]),
        ({"sender": "0x" + "ab" * 20, "minValue": "1"}, []),
    ],
)
async def test_searches_meet_all_criteria(stocked: Bench, criteria: dict, indexes: list):
    """Exact canonical signatures or bare names, senders whatever their case, wei as integers and inclusive."""
    found = await answer_of(stocked, "find_transaction_in_corpus", **criteria)
    assert [match["index"] for match in found["matches"]] == indexes
    assert found["count"] == len(indexes)


@pytest.mark.requirement("004-22", "004-D8")
@pytest.mark.parametrize(
    "criteria",
    [
        {},
        {"sender": "0x12"},
        {"sender": "ab" * 20},
        {"sender": "0x" + "ab" * 20 + "\n"},
        {"sender": None},
        {"minValue": 5},
        {"minValue": "-1"},
        {"minValue": "0x10"},
        {"minValue": "1e18"},
        {"minValue": ""},
        {"minValue": "9" * 100_000},
        {"functionSignature": 1},
        {"limit": 5, "minValue": "0"},
    ],
)
async def test_searches_without_good_criteria_are_refused(stocked: Bench, criteria: dict):
    """One at least is needed."""
    error = await stocked.error("find_transaction_in_corpus", **criteria)
    assert error["code"] == "INVALID_INPUT"
    assert len(error["message"]) < 1_000


@pytest.mark.requirement("004-4", "004-5", "004-6")
async def test_texts_are_in_their_normal_form(stocked: Bench):
    """Addresses lower-case hex, values decimal wei texts, calls without spaces."""
    for each in (await answer_of(stocked, "inspect_corpus_transactions"))["transactions"]:
        assert re.fullmatch(r"0x[0-9a-f]{40}", each["sender"])
        assert re.fullmatch(r"[0-9]+", each["value"])
        assert " " not in each["call"]


@pytest.mark.requirement("004-D11")
async def test_at_most_two_hundred_matches_are_listed(bench: Bench):
    """The count is the true one."""
    bench.parts.keeper.entries.add(0, tuple(call("transfer", 1, number) for number in range(1_500)), "coverage")
    found = await answer_of(bench, "find_transaction_in_corpus", functionSignature="transfer")
    assert (len(found["matches"]), found["count"]) == (200, 1_500)


async def test_percentages_are_those_of_one_report_or_not_there(tmp_path: Path):
    """Before the first report nobody claims that nothing is covered; afterwards every tool tells the same, and how old
    it is."""
    async with campaign_bench(tmp_path, running=False) as bench:
        nothing = {"points": 0, "lineCoverage": None, "branchCoverage": None, "reportAge": None}
        assert (await bench.ask("status"))["coverage"] == nothing
        assert "nothing is known yet" in (await bench.dispatcher.call("show_coverage", {})).warning
    async with campaign_bench(tmp_path) as bench:
        await until(lambda: bench.parts.coverage.latest.frames > 0)
        await bench.ask("pause_campaign")
        await until(lambda: all(not worker.work for worker in bench.parts.campaign.status().workers))
        await bench.parts.coverage.fresh(PATIENCE)
        told, shown = await bench.ask("status"), await bench.dispatcher.call("show_coverage", {})
        assert told["coverage"]["lineCoverage"] == shown.structured["overallCoverage"]
        assert (told["coverage"]["reportAge"], shown.warning) == (0, "")
        assert {told["age"], *(worker["age"] for worker in told["workers"])} == {0}


async def test_an_old_report_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In a response's metadata, where the contract of a tool has no place for it."""
    async with campaign_bench(tmp_path) as bench:
        await until(lambda: bench.parts.coverage.latest.frames > 0)
        monkeypatch.setattr(type(bench.parts.coverage), "age", lambda reader, report: 75.0)
        assert "coverage of 75.0 s ago" in (await bench.dispatcher.call("show_coverage", {})).warning
        assert "coverage of 75.0 s ago" in (await bench.dispatcher.call("dump_lcov", {})).warning
        assert (await bench.ask("status"))["coverage"]["reportAge"] == 75.0
