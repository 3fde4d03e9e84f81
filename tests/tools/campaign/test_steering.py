"""Contract 004, the other tools that control, and those beyond it, over a running campaign with fake workers."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from tests.support.campaign_bench import PATIENT, TOKEN, Bench, campaign_bench, with_tools
from tests.support.fake_worker import FakeScript
from tests.support.idle_clock import jump_when_idle
from tests.support.patience import PATIENCE, until
from tools.caller import Caller
from tools.campaign.contract import contract
from tools.campaign.extensions.lifecycle import StartedResult
from tools.command_file import COMMANDS_FILE
from tools.deadlines import Deadlines


def logged(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / COMMANDS_FILE).read_text().splitlines()]


# --- prioritize_function, clear_priorities ----------------------------------------------------------------------------


@pytest.mark.requirement("004-29", "004-30", "004-32", "004-33", "004-D15")
async def test_priorities_are_a_set(bench: Bench):
    """Earlier members stay, twice is once, the newest stands first; clearing tells how many there were."""
    first = await bench.ask("prioritize_function", functionSignature="approve(address,uint256)")
    jsonschema.validate(first, contract()["prioritize_function"]["output"])
    assert first["prioritizedFunctions"] == ["approve(address,uint256)"]
    answer = await bench.ask("prioritize_function", functionSignature="transfer(address,uint256)")
    assert answer == {
        "success": True,
        "message": "Prioritized function 'transfer(address,uint256)'",
        "prioritizedFunctions": ["transfer(address,uint256)", "approve(address,uint256)"],
    }
    again = await bench.ask("prioritize_function", functionSignature="approve(address,uint256)")
    assert sorted(again["prioritizedFunctions"]) == ["approve(address,uint256)", "transfer(address,uint256)"]
    cleared = await bench.ask("clear_priorities")
    jsonschema.validate(cleared, contract()["clear_priorities"]["output"])
    assert (cleared["success"], cleared["clearedCount"]) == (True, 2)
    assert (await bench.ask("clear_priorities"))["clearedCount"] == 0


@pytest.mark.requirement("004-S8")
async def test_an_unknown_function_is_accepted_and_said_to_have_no_effect(bench: Bench):
    """Contracts that are created later may have it."""
    answer = await bench.ask("prioritize_function", functionSignature="later(uint256)")
    assert answer["success"] is True
    assert "no such function" in answer["message"]


@pytest.mark.requirement("004-29", "004-35", "004-D3", "004-D16", "004-6")
@pytest.mark.parametrize(
    ("signature", "part"),
    [
        ("transfer(address, uint256)", "transfer(address,uint256)"),
        ("mint(uint)", "mint(uint256)"),
        ("onlyOwner", "must match pattern ^[a-zA-Z_]"),
        ("transfer", "must match pattern ^[a-zA-Z_]"),
        ("f((uint256,address))", "must match pattern"),
        ("transfer(address,uint256)\n", "must match pattern"),
        ("transfer(IERC20)", "canonical ABI signature"),
        (5, "functionSignature"),
    ],
)
async def test_signatures_must_be_canonical(bench: Bench, signature: object, part: str):
    """The message offers the canonical form where there is one."""
    error = await bench.error("prioritize_function", functionSignature=signature)
    assert error["code"] == "INVALID_INPUT"
    assert part in error["message"]


# --- errors, log, clients ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("004-S1", "004-D2", "004-D21", "004-S7")
async def test_every_command_is_logged_with_its_normalised_arguments(bench: Bench, tmp_path: Path):
    """Successes and failures, in the form of the contract's sibling; looking leaves no line."""
    await bench.ask("inject_transaction", sequence=["deposit()"], sender="0x" + "AB" * 20)
    await bench.error("inject_transaction", sequence=["unknown()"])
    await bench.ask("prioritize_function", functionSignature="deposit()")
    await bench.error("prioritize_function", functionSignature="deposit")
    await bench.ask("clear_priorities")
    await bench.ask("get_corpus_size")
    lines = logged(tmp_path)
    assert [(line["tool"], line["result"]) for line in lines] == [
        ("inject_transaction", "success"),
        ("inject_transaction", "failure"),
        ("prioritize_function", "success"),
        ("prioritize_function", "failure"),
        ("clear_priorities", "success"),
    ]
    assert lines[0]["args"] == {"sequence": ["deposit()"], "sender": "0x" + "ab" * 20, "value": "0"}
    assert lines[0]["timestamp"].endswith("Z")
    assert "unknown" in lines[1]["message"]
    assert lines[4]["args"] == {}


@pytest.mark.requirement("004-S8", "004-D12")
async def test_a_campaign_that_has_ended_takes_no_commands_and_still_answers(tmp_path: Path):
    """Its corpus and logs can be read; commands say that it is over, and are logged as failures."""
    async with campaign_bench(tmp_path, call_limit=5_000, pace=0) as bench:
        with trio.fail_after(PATIENCE):
            await bench.over.wait()
        for tool, arguments in (
            ("inject_transaction", {"sequence": ["deposit()"]}),
            ("prioritize_function", {"functionSignature": "deposit()"}),
            ("clear_priorities", {}),
            ("pause_campaign", {}),
        ):
            error = await bench.error(tool, **arguments)
            assert error["code"] == "INTERNAL_ERROR"
            assert error["details"]["reason"] == "CAMPAIGN_TERMINATED"
        assert (await bench.ask("get_corpus_size"))["size"] > 0
        assert (await bench.ask("read_logs"))["totalCount"] > 0
        status = await bench.ask("status")
        assert (status["running"], status["phase"]) == (False, "finished")
    assert {line["result"] for line in logged(tmp_path)} == {"failure"}


@pytest.mark.nightly
@pytest.mark.requirement("004-S7")
async def test_a_hundred_campaigns_begin_and_end(tmp_path: Path):
    """Each with a command and in good order; no command is missing from the log."""
    for _ in range(100):
        async with campaign_bench(tmp_path, workers=2, pace=0) as bench:
            await bench.ask("inject_transaction", sequence=["deposit()"])
            await bench.ask("stop_campaign")
            with trio.fail_after(PATIENCE):
                await bench.over.wait()
    assert len(logged(tmp_path)) == 200


@pytest.mark.requirement("004-37", "004-D13")
async def test_a_stuck_campaign_costs_its_own_tools_only(tmp_path: Path, nursery: trio.Nursery, mock_clock: MockClock):
    """Commands time out and say that they may take effect; tools that look answer all the same."""
    nursery.start_soon(jump_when_idle, mock_clock)
    async with campaign_bench(tmp_path, running=False, deadlines=Deadlines(campaign=100)) as bench:
        error = await bench.error("inject_transaction", sequence=["deposit()"])
        assert error == {
            "code": "EXECUTION_TIMEOUT",
            "message": "Tool inject_transaction exceeded 100ms",
            "details": {"mayHaveTakenEffect": True},
        }
        assert (await bench.dispatcher.call("get_corpus_size", {})).structured == {"size": 0}
    assert [line["result"] for line in logged(tmp_path)] == ["timeout"]


@pytest.mark.requirement("004-S4")
async def test_three_clients_steer_one_campaign(bench: Bench, tmp_path: Path):
    """At once, each with its own answers; nothing is lost and every command is logged."""

    async def work(name: str) -> None:
        caller = Caller(name)
        for turn in range(10):
            await bench.dispatcher.call("inject_transaction", {"sequence": [f"transfer(0x1, {turn})"]}, caller)
            await bench.dispatcher.call("prioritize_function", {"functionSignature": "deposit()"}, caller)
            assert not (await bench.dispatcher.call("status", {}, caller)).is_error
            assert not (await bench.dispatcher.call("read_logs", {"count": 5}, caller)).is_error

    async with trio.open_nursery() as nursery:
        for name in ("ann", "bob", "cem"):
            nursery.start_soon(work, name)
    lines = logged(tmp_path)
    assert len(lines) == 60
    assert {line["result"] for line in lines} == {"success"}
    assert bench.parts.campaign.status().steering.injected == 30


# --- beyond the contract ----------------------------------------------------------------------------------------------


async def test_status_tells_each_client_what_has_changed(bench: Bench):
    """Since that client's own last call."""
    ann, bob = Caller("ann"), Caller("bob")
    first = (await bench.dispatcher.call("status", {}, ann)).structured
    assert first["running"] is True
    assert first["sinceLastCall"]["calls"] == first["calls"]
    await until(lambda: bench.parts.campaign.status().calls > first["calls"])
    second = (await bench.dispatcher.call("status", {}, ann)).structured
    assert second["sinceLastCall"]["calls"] == second["calls"] - first["calls"] > 0
    other = (await bench.dispatcher.call("status", {}, bob)).structured
    assert other["sinceLastCall"]["calls"] == other["calls"]
    assert len(second["workers"]) == 2


async def test_target_names_what_can_be_called(bench: Bench):
    """Contracts, functions and how they are focused, tests, senders."""
    await bench.ask("prioritize_function", functionSignature="deposit()")
    await bench.ask("exclude_function", function="approve")
    target = await bench.ask("target")
    (token,) = target["contracts"]
    assert (token["name"], token["address"]) == ("Token", "0x" + TOKEN.hex())
    functions = {each["signature"]: each for each in token["functions"]}
    assert functions["deposit()"] == {
        "signature": "deposit()",
        "payable": True,
        "prioritized": True,
        "excluded": False,
    }
    assert functions["approve(address,uint256)"]["excluded"] is True
    assert target["tests"][0]["id"] == "Fake.echidna_first"


async def test_what_grows_with_the_target_is_paged(bench: Bench):
    """Each page names the next one, and all of them together are everything."""
    for tool, key in (("function_statistics", "functions"), ("list_findings", "findings")):
        given = {"includePassed": True} if tool == "list_findings" else {}
        whole = await bench.ask(tool, **given)
        assert (whole["total"], whole["nextOffset"]) == (len(whole[key]), None)
        first = await bench.ask(tool, limit=1, **given)
        assert (len(first[key]), first["nextOffset"], first["total"]) == (1, 1, whole["total"])
        rest = await bench.ask(tool, offset=first["nextOffset"], **given)
        names = [each.get("id") or each["signature"] for page in (first, rest) for each in page[key]]
        assert names == [each.get("id") or each["signature"] for each in whole[key]]
        assert (await bench.ask(tool, offset=10_000, **given))[key] == []


async def test_a_page_of_the_target_holds_functions_and_tests(bench: Bench):
    """So many of each, until both have ended."""
    whole = await bench.ask("target")
    functions, tests, offset = [], [], 0
    while offset is not None:
        page = await bench.ask("target", offset=offset, limit=2)
        assert (page["functionsTotal"], page["testsTotal"]) == (whole["functionsTotal"], whole["testsTotal"])
        assert len(page["tests"]) <= 2
        functions += [each["signature"] for contract in page["contracts"] for each in contract["functions"]]
        tests += [each["id"] for each in page["tests"]]
        offset = page["nextOffset"]
    assert functions == [each["signature"] for each in whole["contracts"][0]["functions"]]
    assert tests == [each["id"] for each in whole["tests"]]
    assert (len(functions), len(tests)) == (whole["functionsTotal"], whole["testsTotal"])


async def test_evaluate_takes_the_id_of_a_campaign_as_other_tools_do(bench: Bench):
    """An agent that names one everywhere is not refused."""
    given = {"expression": "1 ether"}
    assert await bench.ask("evaluate", **given, campaignId="c1") == await bench.ask("evaluate", **given)


async def test_findings_have_ids_and_reproducers(tmp_path: Path):
    """By id or plain name; what is unknown is answered with what is known."""
    async with campaign_bench(tmp_path, script=FakeScript(falsify={0: 500}), pace=0.0001) as bench:
        await bench.until("TestDecided")
        (found,) = (await bench.ask("list_findings"))["findings"]
        assert (found["id"], found["status"], found["calls"]) == ("Fake.echidna_first", "solved", 2)
        assert len((await bench.ask("list_findings", includePassed=True))["findings"]) == 3
        for name in ("Fake.echidna_first", "echidna_first"):
            reproducer = await bench.ask("get_reproducer", id=name)
            assert [each["contract"] for each in reproducer["sequence"]] == ["Token", "Token"]
            assert reproducer["sequence"][0]["call"].startswith("transfer(0x20000,")
            assert reproducer["foundryTest"] == "// echidna_first\n"
            assert reproducer["unshrunkCalls"] == 4
        error = await bench.error("get_reproducer", id="nothing")
        assert "Fake.echidna_first" in error["message"]
        text = await bench.facade.read("campaign://findings/Fake.echidna_first")
        assert json.loads(text.text)["id"] == "Fake.echidna_first"
        status = json.loads((await bench.facade.read("campaign://status")).text)
        assert status["findings"] == ["Fake.echidna_first"]


async def test_sequences_can_be_tried_and_templates_added(bench: Bench):
    """With sender, value and delay of each call."""
    done = await bench.ask(
        "execute_sequence",
        sequence=[{"call": "deposit()", "value": "5", "delaySeconds": 10}, {"call": "Token.transfer(0x1, 1)"}],
        trace=True,
    )
    assert [(each["call"], each["success"]) for each in done["outcomes"]] == [
        ("deposit()", True),
        ("Token.transfer(0x1, 1)", True),
    ]
    error = await bench.error("execute_sequence", sequence=[{"call": "transfer(?, 1)"}])
    assert error["details"]["reason"] == "PARSE_ERROR"
    template = await bench.ask("inject_template", sequence=[{"call": "transfer(?, ?)"}], share=0.5)
    assert (template["calls"], template["share"]) == (1, 0.5)
    assert await bench.ask("remove_templates", ids=[template["id"]]) == {"removed": 1}


async def test_an_answer_to_steering_stays_small(bench: Bench):
    """However many functions are excluded; list_steering tells all of them."""
    for start in (0, 100):
        weights = [{"function": f"f{number}", "weight": 2.0} for number in range(start, start + 100)]
        changed = await bench.ask("set_function_weights", weights=weights)
    assert len(changed["weights"]) == 50
    assert len((await bench.ask("list_steering"))["weights"]) == 200


async def test_functions_and_dictionary_can_be_steered(bench: Bench):
    """Weights in one go, values with or without type."""
    weights = [{"function": "deposit", "weight": 4.0}, {"function": "Token.note(string,uint256[],bool)", "weight": 0.5}]
    changed = await bench.ask("set_function_weights", weights=weights)
    assert changed["weights"] == {"deposit": 4.0, "Token.note(string,uint256[],bool)": 0.5}
    assert (
        await bench.ask("add_dictionary_values", values=[{"value": "1e18"}, {"value": '"x"', "type": "string"}])
    ) == {"added": 2}
    functions = (await bench.ask("function_statistics", contract="Token"))["functions"]
    assert {each["signature"]: each["weight"] for each in functions}["deposit()"] == 4.0
    for tool in ("function_statistics", "explain_uncovered"):
        assert "contracts are: Token" in (await bench.error(tool, contract="None"))["message"]
    assert await bench.ask("reset_functions") == {"takenBack": 2}


async def test_a_campaign_can_be_paused_limited_and_stopped(bench: Bench):
    """And says whether that changed anything."""
    assert await bench.ask("pause_campaign") == {"changed": True}
    assert await bench.ask("pause_campaign") == {"changed": False}
    assert (await bench.ask("status"))["paused"] is True
    # What workers were executing at the pause comes into the corpus first.
    await until(lambda: all(not worker.work for worker in bench.parts.campaign.status().workers))
    assert (await bench.ask("reload_corpus"))["sequences"] == 0
    assert await bench.ask("resume_campaign") == {"changed": True}
    limits = await bench.ask("set_limits", callLimit=10_000_000, shrinkLimit=7)
    assert (limits["callLimit"], limits["shrinkLimit"], limits["timeLimit"]) == (10_000_000, 7, None)
    assert (await bench.ask("set_limits", callLimit=None))["callLimit"] is None
    assert await bench.ask("stop_campaign") == {"changed": True}
    with trio.fail_after(PATIENCE):
        await bench.over.wait()


async def test_events_can_be_waited_for(bench: Bench):
    """From a cursor on, or from now; a wait that ends in vain is an empty answer."""
    everything = await bench.ask("wait_for_event", cursor=0, limit=5)
    assert everything["events"][0]["eventType"] == "PhaseChanged"
    assert everything["events"][0]["workerId"] is None
    async with trio.open_nursery() as nursery:

        async def pause_later() -> None:
            await trio.testing.wait_all_tasks_blocked()
            await bench.ask("pause_campaign")

        nursery.start_soon(pause_later)
        answer = await bench.ask("wait_for_event", eventType="Steered", timeoutSeconds=30)
    assert answer["events"][0]["data"]["command"] == "pause"
    nothing = await bench.ask("wait_for_event", eventType="Steered", timeoutSeconds=0)
    assert nothing["events"] == []
    assert nothing["cursor"] >= answer["cursor"]
    assert "one of CampaignResumed" in (await bench.error("wait_for_event", eventType="steered"))["message"]


async def test_waiting_ends_with_the_campaign(bench: Bench):
    """Whatever it waits for, at once, and says that nothing more will come."""
    waits = [{"eventType": "CorpusMinimised", "timeoutSeconds": 50}, {"workerId": 200, "timeoutSeconds": 50}]
    answers = []

    async def wait(arguments: dict) -> None:
        answers.append(await bench.ask("wait_for_event", **arguments))

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            for arguments in waits:
                nursery.start_soon(wait, arguments)
            await bench.ask("stop_campaign")
        answers.append(await bench.ask("wait_for_event", timeoutSeconds=50))
    assert [(answer["events"], answer["over"]) for answer in answers] == [([], True)] * 3
    status = await bench.ask("status")
    assert {worker["callsPerSecond"] for worker in status["workers"]} == {0}
    assert "has ended" in status["nextStep"]


async def test_limits_that_are_taken_away_are_logged_as_such(bench: Bench, tmp_path: Path):
    """A replay must tell null from what was left out."""
    await bench.ask("set_limits", callLimit=None)
    await bench.ask("set_limits", timeLimit=5_000)
    assert [line["args"] for line in logged(tmp_path)] == [{"callLimit": None}, {"timeLimit": 5_000}]


async def test_start_campaign_is_for_servers_without_one(bench: Bench, tmp_path: Path):
    """Where there is a starter it is given what was asked."""
    assert (await bench.error("start_campaign", paths=["."]))["details"]["reason"] == "NOT_AVAILABLE"
    asked = []

    async def start(inputs: object) -> StartedResult:
        asked.append(inputs)
        return StartedResult(True, "fuzzing soon", "c1")

    other = with_tools(None, tmp_path, PATIENT, start, None)
    answer = await other.ask("start_campaign", paths=["Token.sol"], workers=2, testMode="assertion")
    assert answer == {"started": True, "message": "fuzzing soon", "campaignId": "c1"}
    assert (asked[0].paths, asked[0].workers, asked[0].test_mode) == (("Token.sol",), 2, "assertion")
