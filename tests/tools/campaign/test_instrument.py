"""Tools beyond the contract: sources, executions, the corpus by sequence, waiting for conditions, idle campaigns."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio

from actors.coverage.report import CoverageReport
from actors.events.types import CAMPAIGN, Warned
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.worker.commands import Execute, Inject
from tests.support.campaign_bench import Bench, call, campaign_bench
from tests.support.fake_worker import FakeScript
from tests.support.patience import until
from tools.caller import Caller
from tools.tool import Scope

VAULT = """\
contract Vault {
    function open(uint256 n) public {
        if (n == 7) {
            revert("no");
        }
    }

    function never() public {}
}
"""
FILES = (
    FileCoverage(
        "src/Vault.sol",
        VAULT,
        (LineCount(3, 5, "Vault"), LineCount(4, 0, "Vault"), LineCount(8, 0, "Vault")),
        (BranchCount(3, "if", "Vault", (0, 5)),),
        (FunctionCount(2, 6, "Vault.open", 5), FunctionCount(8, 8, "Vault.never", 0)),
    ),
    FileCoverage("src/Other.sol", "contract Other {}\n", (), (), (FunctionCount(1, 1, "Other.x", 0),)),
)


@pytest.fixture
async def covered(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    """A campaign that stands still, with a report of coverage."""
    async with campaign_bench(tmp_path, running=False) as made:
        made.parts.coverage._latest = CoverageReport(0, files=FILES)
        yield made


# --- sources ----------------------------------------------------------------------------------------------------------


async def test_a_function_is_read_with_what_was_executed_of_it(covered: Bench):
    """Counts, sides never taken, lines never executed, and nothing beyond the function."""
    text = await covered.ask("read_source", function="Vault.open")
    lines = text.splitlines()
    assert lines[0] == "src/Vault.sol:2 Vault.open: entered 5 times"
    assert len(lines) == 6
    assert "if (n == 7)" in lines[2]
    assert "if never true" in lines[2]
    assert lines[3].endswith("// never executed")
    assert await covered.ask("read_source", function="open") == text
    error = await covered.error("read_source", function="opne")
    assert "known are: Vault.open" in error["message"]


async def test_a_function_without_source_is_told_from_an_unknown_one(bench: Bench):
    """Getters of public variables can be called, and stand nowhere."""
    for name in ("deposit", "Token.deposit", "Token.deposit()"):
        error = await bench.error("read_source", function=name)
        assert "Token.deposit() has no source of its own" in error["message"]
    assert "there is no function" in (await bench.error("read_source", function="depsoit"))["message"]


async def test_lines_of_a_file_are_read_in_pages(covered: Bench):
    """With the place to continue from; a file is named by its end as well."""
    page = await covered.ask("read_source", file="Vault.sol", startLine=2, limit=2)
    assert [line.partition("|")[0].strip() for line in page.splitlines()[1:3]] == ["2", "3"]
    assert page.splitlines()[-1] == "(7 more lines; startLine 4 continues)"
    assert "known are: src/Vault.sol" in (await covered.error("read_source", file="vault.so"))["message"]
    for wrong in ({}, {"file": "x", "function": "y"}):
        assert "either function or file" in (await covered.error("read_source", **wrong))["message"]


async def test_what_was_never_reached_comes_first(covered: Bench):
    """Contracts of which nothing was entered, then functions of the others."""
    found = await covered.ask("explain_uncovered")
    assert found["unreachedContracts"] == ["Other"]
    assert [(each["function"], each["line"]) for each in found["unreached"]] == [("Vault.never", 8)]
    assert found["unreachedTotal"] == 1


# --- executions -------------------------------------------------------------------------------------------------------


async def test_a_sequence_is_executed_behind_an_entry_and_tells_what_is_watched(bench: Bench):
    """A token that only reads may do it. The entry's own outcomes are left out."""
    bench.parts.keeper.entries.add(0, (call("deposit", value=5), call("transfer", 1, 5)), "coverage")
    entry = (await bench.ask("search_corpus", function="deposit"))["transactions"][0]["entry"]
    reader = Caller("reader", frozenset({Scope.READ}))
    arguments = {
        "sequence": [{"call": "transfer(0x1, 9)"}],
        "after": entry,
        "watch": ["approve(0x1, 2)"],
        "trace": True,
        "traceDepth": 2,
    }
    rendered = await bench.dispatcher.call("execute_sequence", arguments, reader)
    assert not rendered.is_error, rendered.text
    done = json.loads(rendered.text)
    assert [each["call"] for each in done["outcomes"]] == ["transfer(0x1, 9)"]
    assert done["callsBefore"] == 2
    assert [each["expression"] for each in done["watched"]] == ["approve(0x1, 2)"]
    executed = [each for brain in bench.spawner.brains for each in brain.commands if isinstance(each, Execute)]
    assert sorted(len(each.sequence) for each in executed) == [3, 4]
    assert {each.depth for each in executed if each.trace} == {2}
    alone = await bench.ask("execute_sequence", after=entry)
    assert (alone["outcomes"], alone["callsBefore"]) == ([], 2)
    assert "at least one call" in (await bench.error("execute_sequence"))["message"]
    assert "findings are" in (await bench.error("execute_sequence", after="no.such"))["message"]


# --- coverage --------------------------------------------------------------------------------------------------------


async def test_new_coverage_names_the_function_and_the_entry_that_brought_it(bench: Bench):
    """The id is that of the corpus, which other tools take."""
    found = await bench.ask("wait_for_event", eventType="CoverageIncreased", cursor=0)
    event = found["events"][0]["data"]
    assert event["function"].startswith("Token.")
    entry = await bench.ask("get_corpus_entry", id=event["entry"])
    assert entry["id"] == event["entry"]
    assert entry["sequence"]


# --- corpus -----------------------------------------------------------------------------------------------------------


async def test_the_corpus_is_paged_and_entries_are_read_by_id(bench: Bench):
    """Every page has the place of the next one; ids are those that other tools take."""
    await bench.ask("pause_campaign")
    sender = "0x" + "12" * 20
    for number in range(7):
        await bench.ask("inject_transaction", sequence=[f"transfer(0x1, {number})"], sender=sender)
    await until(lambda: bench.parts.keeper.statistics().kept_always == 7)
    seen, offset = [], 0
    while offset is not None:
        page = await bench.ask("search_corpus", sender=sender, offset=offset, limit=3)
        assert page["total"] == 7
        seen += [each["call"] for each in page["transactions"]]
        offset = page["nextOffset"]
    assert seen == [f"transfer(0x1,{number})" for number in range(7)]
    entry = await bench.ask("get_corpus_entry", id=page["transactions"][0]["entry"])
    assert (entry["origin"], entry["finder"], entry["superseded"], entry["totalCalls"]) == ("injected", None, False, 1)
    assert entry["sequence"][0]["sender"] == sender
    assert "no corpus entry" in (await bench.error("get_corpus_entry", id="00"))["message"]


async def test_what_is_exported_can_be_imported(bench: Bench):
    """As Echidna's JSON; the same calls go to every worker."""
    bench.parts.keeper.entries.add(0, (call("deposit", value=5),), "coverage")
    entry = (await bench.ask("search_corpus", function="deposit"))["transactions"][0]["entry"]
    content = await bench.ask("export_sequence", id=entry)
    assert json.loads(content)[0]["call"]["contents"][0] == "deposit"
    assert await bench.ask("export_sequence", id=entry, format="foundry") == f"// entry_{entry}: 1 calls\n"
    assert "findings are" in (await bench.error("export_sequence", id="nothing", format="foundry"))["message"]
    assert await bench.ask("import_sequence", content=content) == {"calls": 1, "workers": 2}

    def injected() -> list[Inject]:
        return [each for brain in bench.spawner.brains for each in brain.commands if isinstance(each, Inject)]

    await until(lambda: len(injected()) == 2)
    assert {(each.sequence[0].wei, each.sequence[0].data) for each in injected()} == {(5, call("deposit").data)}
    for wrong in ("[]", "{}", "nonsense"):
        assert (await bench.error("import_sequence", content=wrong))["code"] == "INVALID_INPUT"


async def test_the_corpus_is_minimised_on_request(bench: Bench):
    """The answer is what is left."""
    await bench.ask("pause_campaign")
    done = await bench.ask("minimize_corpus")
    assert 0 <= done["sequences"] <= bench.parts.keeper.statistics().sequences
    assert done["removed"] == bench.parts.keeper.statistics().superseded


async def test_a_function_is_sampled_from_the_corpus(bench: Bench):
    """Its calls alone, each outcome with an entry that shows it."""
    await bench.ask("pause_campaign")
    entries = bench.parts.keeper.entries
    for number in range(3):
        entries.add(0, (call("deposit", value=number), call("approve", 1, number), call("approve", 2, 9)), "injected")
    sampled = await bench.ask("sample_function", function="approve", sequences=2)
    assert (sampled["calls"], sampled["sequences"], sampled["reverted"]) == (4, 2, [])
    (outcome,) = sampled["returned"]
    assert outcome["calls"] == 4
    assert (await bench.ask("get_corpus_entry", id=outcome["entry"]))["totalCalls"] == 3
    assert (await bench.ask("sample_function", function="nothing"))["calls"] == 0


# --- scope -----


async def test_a_campaign_is_confined_to_some_functions(bench: Bench):
    """All others are excluded, in place of what was excluded before; a wrong name changes nothing."""
    await bench.ask("exclude_function", function="deposit")
    changed = await bench.ask("allow_functions", functions=["transfer", "Token.deposit()"])
    assert sorted(each.partition("(")[0] for each in changed["excluded"]) == [
        "Token.approve",
        "Token.note",
        "Token.transferFrom",
    ]
    error = await bench.error("allow_functions", functions=["transfer", "nothing"])
    assert "known are " in error["message"]
    assert (await bench.ask("list_steering"))["excluded"] == changed["excluded"]
    assert (await bench.ask("reset_functions"))["takenBack"] == 3


# --- waiting ----------------------------------------------------------------------------------------------------------


async def test_an_agent_waits_for_a_condition(tmp_path: Path):
    """A finding, coverage, a plateau; one that does not come in time is not met."""
    async with campaign_bench(tmp_path, script=FakeScript(falsify={0: 50_000})) as bench:
        found = await bench.ask("wait_for_event", until="finding", timeoutSeconds=50)
        assert found["met"]
        assert bench.parts.campaign.failed_tests() == 1
        plateau = await bench.ask("wait_for_event", until="plateau", plateauSeconds=0.001, timeoutSeconds=50)
        assert plateau["met"]
        late = await bench.ask("wait_for_event", until="finding", timeoutSeconds=0)
        assert not late["met"]
        bench.parts.log.append(CAMPAIGN, Warned("no finding"))
        error = await bench.error("wait_for_event", until="coverage", function="opne")
        assert "known are: " in error["message"]
        assert "until coverage" in (await bench.error("wait_for_event", function="deposit"))["message"]


async def test_waiting_ends_with_the_campaign(bench: Bench):
    """A condition that can no longer come is not met."""
    answers: list[dict] = []

    async def wait() -> None:
        answers.append(await bench.ask("wait_for_event", until="finding", timeoutSeconds=50))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await bench.ask("stop_campaign")
    assert (answers[0]["met"], answers[0]["over"]) == (False, True)
