"""Contract 004, `inject_transaction`, over a running campaign with fake workers."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from actors.campaign.worker_steering import INSTANCES
from simulator.transaction import Sequence, address_bytes
from simulator.worker.commands import Inject
from tests.support.campaign_bench import TOKEN, Bench, call, campaign_bench
from tests.support.fake_worker import FakeScript
from tests.support.patience import until
from tools.campaign.contract import contract


async def injected(bench: Bench) -> list[Inject]:
    """The injections that each worker got, once all of them have some."""

    def got() -> list[list[Inject]]:
        return [[each for each in brain.commands if isinstance(each, Inject)] for brain in bench.spawner.brains]

    await until(lambda: all(got()))
    return [each for ones in got() for each in ones]


@pytest.mark.requirement("004-25", "004-26", "004-27", "004-28", "004-S10", "004-D5", "004-D7")
async def test_a_sequence_goes_to_all_workers_in_order(bench: Bench):
    """The contract's example with its elided addresses; default sender, value with each call, one count for all."""
    answer = await bench.ask(
        "inject_transaction",
        sequence=[
            "approve(0x1234567890abcdef1234567890abcdef12345678, 1000000)",
            "transferFrom(0xabcd..., 0xdcba..., 500000)",
        ],
        value="7",
    )
    jsonschema.validate(answer, contract()["inject_transaction"]["output"])
    assert answer == {"success": True, "message": "Injected 2 transactions to 2 workers", "injectedCount": 2}
    one = (await injected(bench))[0].sequence
    assert [each.data[:4] for each in one] == [
        call("approve", 1, 1).data[:4],
        call("transferFrom", 1, 1, 1).data[:4],
    ]
    assert {(each.sender, each.to, each.wei) for each in one} == {(address_bytes(0x10000), TOKEN, 7)}


@pytest.mark.requirement("004-D5", "004-28")
async def test_wildcards_are_filled_in_several_ways_that_become_entries(bench: Bench):
    """Each instance goes to every worker and into the corpus; no template is left behind, and the count is the
    contract's."""
    answer = await bench.ask("inject_transaction", sequence=["transfer(?, ?)", "deposit()"])
    assert answer["injectedCount"] == 2
    await until(lambda: bench.parts.keeper.statistics().kept_always == INSTANCES)
    steering = await bench.ask("list_steering")
    assert (steering["templates"], steering["injectedSequences"]) == ([], INSTANCES)

    def got() -> list[list[Sequence]]:
        return [
            [each.sequence for each in brain.commands if isinstance(each, Inject)] for brain in bench.spawner.brains
        ]

    await until(lambda: [len(set(each)) for each in got()] == [INSTANCES, INSTANCES])
    one, other = got()
    assert one == other


async def test_what_steers_is_listed_with_shares_that_add_up(bench: Bench):
    """Priorities keep nine tenths beside templates, which then share a tenth; alone they get what was asked for."""
    first = await bench.ask("inject_template", sequence=[{"call": "deposit()"}], share=0.6)
    second = await bench.ask("inject_template", sequence=[{"call": "transfer(?, 5)"}], share=0.6)
    assert (first["effectiveShare"], second["effectiveShare"]) == (0.6, 0.45)
    alone = await bench.ask("list_steering")
    assert alone["shares"] == {"templates": 0.9, "prioritized": 0, "others": 0.1}
    await bench.ask("prioritize_function", functionSignature="deposit()")
    await bench.ask("exclude_function", function="note")
    await bench.ask("add_dictionary_values", values=[{"value": "77"}])
    both = await bench.ask("list_steering")
    assert both["shares"] == {"templates": 0.1, "prioritized": 0.9, "others": 0}
    assert [(each["id"], each["calls"], each["effectiveShare"]) for each in both["templates"]] == [
        (first["id"], "deposit()", 0.05),
        (second["id"], "transfer(?, 5)", 0.05),
    ]
    assert (both["prioritized"], both["excluded"]) == (["deposit()"], ["note"])
    assert both["dictionaryWords"] > 0
    await bench.ask("clear_priorities")
    assert (await bench.ask("list_steering"))["shares"] == alone["shares"]


@pytest.mark.requirement("004-S6", "004-4")
async def test_what_was_injected_is_found_in_the_corpus(bench: Bench):
    """With its sender in lower case and its value as a decimal text."""
    sender = "0x" + "AB" * 20
    await bench.ask("inject_transaction", sequence=["deposit()"], sender=sender, value="0005")
    await until(lambda: bench.parts.corpus.size)
    found = await bench.ask("find_transaction_in_corpus", functionSignature="deposit()")
    (match,) = found["matches"]
    assert (match["call"], match["sender"], match["value"]) == ("deposit()", sender.lower(), "5")


@pytest.mark.requirement("004-25", "004-26", "004-35")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"sequence": []},
        {"sequence": ["deposit()"] * 101},
        {"sequence": "deposit()"},
        {"sequence": [5]},
        {"sequence": ["deposit"]},
        {"sequence": ["deposit()\n"]},
        {"sequence": [" deposit()"]},
        {"sequence": ["deposit()); selfdestruct("]},
        {"sequence": ["f((uint256,address))"]},
        {"sequence": ["deposit()"], "sender": "0x1"},
        {"sequence": ["deposit()"], "value": "-1"},
        {"sequence": ["deposit()"], "value": "1e18"},
        {"sequence": ["deposit()"], "value": 5},
        {"sequence": ["deposit()"], "value": str(2**256)},
        {"sequence": ["deposit()"], "gas": 5},
    ],
)
async def test_wrong_injections_are_refused_before_anybody_hears_of_them(bench: Bench, arguments: dict):
    """By the schema, and by the word size."""
    assert (await bench.error("inject_transaction", **arguments))["code"] == "INVALID_INPUT"


@pytest.mark.requirement("004-D6", "004-D12", "004-S8", "004-D4")
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("transfer(0xZZZ, -100)", "transfer(address,uint256)"),
        ("transfer(0x1, -100)", "uint256"),
        ("transfer(0x1)", "transfer(address,uint256)"),
        ("unknown(1)", "unknown"),
        ("note(hello, [1], true)", "note"),
    ],
)
async def test_one_call_that_does_not_fit_refuses_all(bench: Bench, text: str, part: str):
    """With the reason, and nothing is injected."""
    error = await bench.error("inject_transaction", sequence=["deposit()", text])
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["reason"] == "PARSE_ERROR"
    assert part in error["message"]
    await bench.ask("inject_transaction", sequence=["deposit()"])
    assert [len(each.sequence) for each in await injected(bench)] == [1, 1]


@pytest.mark.requirement("004-D4")
async def test_arguments_of_every_type_are_read(bench: Bench):
    """Strings, arrays, booleans, numbers with units and wildcards, as far as the pattern lets them through."""
    await bench.ask(
        "inject_transaction",
        sequence=['note("hello, world", [1, 1e18, 0xff], true)', "transfer(?, 1 ether)", "note(?, ?, ?)"],
    )
    one, *_ = await injected(bench)
    assert one.sequence[0].data == call("note", "hello, world", [1, 10**18, 255], True).data


@pytest.mark.requirement("004-S8")
async def test_without_active_workers_nothing_is_injected(tmp_path: Path):
    """Dead workers are passed over; when none is left that is an error."""
    async with campaign_bench(tmp_path, script=FakeScript(crash_after=0), running=True) as bench:
        await until(lambda: not any(worker.work for worker in bench.parts.campaign.status().workers))
        error = await bench.error("inject_transaction", sequence=["deposit()"])
        assert error["code"] == "INTERNAL_ERROR"
        assert error["details"]["reason"] in ("NO_ACTIVE_WORKERS", "CAMPAIGN_TERMINATED")
