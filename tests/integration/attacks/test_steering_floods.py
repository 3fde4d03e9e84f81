"""Commands that never end: whatever an agent may give a campaign more of has a bound, which is told when it is met."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from actors.campaign import pool as pool
from actors.campaign import worker_steering
from actors.priorities import manager as priority_manager
from actors.runtime.errors import CommandRejected
from actors.steering import injections, steered_words
from actors.steering import templates as sequence_templates
from actors.steering.commands import (
    AddDictionaryValues,
    AddTemplate,
    CallRequest,
    Command,
    DictionaryValue,
    DumpReports,
    ExcludeFunction,
    InjectSequence,
    PrioritizeFunction,
    SetWorkers,
    WeighFunction,
)
from actors.steering.dictionary_reader import read_values
from actors.steering.steered_words import SteeredWords
from simulator.fuzz.generation.dictionary import MAX_BLOB, Dictionary
from simulator.fuzz.loop.engine import FuzzEngine
from tests.support.campaign_bench import Bench, campaign_bench
from tests.support.patience import until
from tools import command_file, command_log
from tools.command_entry import MAX_REFUSED_LENGTH, CommandEntry

pytestmark = pytest.mark.integration

MORE_THAN_ANYBODY_GIVES = 200


@pytest.fixture
async def bench(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    async with campaign_bench(tmp_path) as made:
        yield made


async def flood(bench: Bench, make: Callable[[int], Command[object]], most: int = MORE_THAN_ANYBODY_GIVES) -> str:
    """Give a command again and again; returns what the refusal says."""
    for number in range(most):
        try:
            await bench.parts.campaign.ask(make(number), 60)
        except CommandRejected as error:
            return str(error)
    raise AssertionError(f"{most} commands were taken")


# --- the dictionary --------------------------------------------------------------------------------------------------


def numbers(start: int, count: int) -> list[dict[str, str]]:
    """Numbers that are nobody's neighbours."""
    return [{"value": str(10**6 + 100 * (start + number))} for number in range(count)]


async def test_the_dictionary_takes_so_many_values_and_no_more(bench: Bench) -> None:
    """A call is taken whole or not at all; what is known already takes no room; the campaign continues."""
    added = 0
    while True:
        rendered = await bench.dispatcher.call("add_dictionary_values", {"values": numbers(added, 1_000)})
        if rendered.is_error:
            break
        added += 1_000
        assert added < 20_000
    assert added == 10_000
    error = await bench.error("add_dictionary_values", values=numbers(added, 1))
    assert error["code"] == "INVALID_INPUT"
    assert "takes 150000 words from its users" in error["message"]
    assert await bench.ask("add_dictionary_values", values=numbers(0, 1_000)) == {"added": 1_000}
    statistics = bench.parts.campaign.statistics().steering
    assert statistics.words <= steered_words.MAX_WORDS
    assert len(bench.parts.campaign.steering.state().dictionary_additions) == 1
    calls = bench.parts.campaign.status().calls
    await until(lambda: bench.parts.campaign.status().calls > calls)


@pytest.mark.parametrize("value", ['"' + "a" * (MAX_BLOB + 1) + '"', "0x" + "ab" * (MAX_BLOB + 1)])
async def test_a_value_is_so_long_and_no_longer(bench: Bench, value: str) -> None:
    """Longer ones are refused; a cut would go unnoticed."""
    error = await bench.error("add_dictionary_values", values=[{"value": value}])
    assert f"value 1: a value has at most {MAX_BLOB} bytes, not {MAX_BLOB + 1}" in error["message"]


def test_texts_count_by_their_bytes() -> None:
    """A thousand texts take more room than a thousand numbers."""
    taught = SteeredWords()
    rng = random.Random(1)
    texts = [read_values([DictionaryValue("0x" + rng.randbytes(MAX_BLOB).hex())]) for _ in range(1_025)]
    for text in texts[:1_024]:
        taught.add(text)
    with pytest.raises(CommandRejected, match="takes 1048576 bytes of byte strings and texts"):
        taught.add(texts[1_024])
    assert sum(map(len, taught.addition().blobs)) <= steered_words.MAX_BYTES


def test_processes_hear_what_is_new_and_later_ones_all_of_it() -> None:
    """In the order in which it was given, each word once."""
    taught = SteeredWords()
    first, second = (read_values([DictionaryValue(text)]) for text in ("1000", "1001"))
    assert taught.add(first) == first
    fresh = taught.add(second)
    assert 0 < len(fresh.numbers) < len(second.numbers)
    assert taught.addition().numbers == first.numbers + fresh.numbers
    assert not any(getattr(taught.add(first), field) for field in first.__struct_fields__)


def test_a_checkpoint_is_taken_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is dropped is said."""
    monkeypatch.setattr(steered_words, "MAX_WORDS", 20)
    services = SimpleNamespace(priorities=priority_manager.PriorityManager(), log=None, quarantine=None)
    steering = worker_steering.WorkerSteering(SimpleNamespace(contracts=()), services, None, None, lambda: 0)
    dictionary_additions = tuple(read_values([DictionaryValue(text)]) for text in ("1000000", "2000000"))
    problems = steering.restore(worker_steering.SteeringState(dictionary_additions=dictionary_additions))
    assert len(problems) == 1
    assert problems[0].startswith("dictionary values are dropped: the dictionary of a campaign takes")
    assert steering.statistics().words == 15


def test_workers_write_their_tables_once_for_many_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of small commands costs a worker one pass over its dictionary, not one each."""
    written: list[int] = []

    class Context:
        def write_dictionary(self, dictionary: Dictionary) -> None:
            written.append(len(dictionary.numbers))

    engine = FuzzEngine.__new__(FuzzEngine)
    engine._dictionary, engine._context, engine._targets, engine._has_learned = Dictionary(), Context(), [], False
    for number in range(100):
        engine.learn(Dictionary({number: None}))
    assert written == []
    engine._take_up_words()
    engine._take_up_words()
    assert written == [100]


# --- everything else that accumulates --------------------------------------------------------------------------------


async def test_injected_sequences_have_a_bound(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay in the corpus for good."""
    monkeypatch.setattr(injections, "MAX_INJECTIONS", 20)
    refusal = await flood(bench, lambda number: InjectSequence((CallRequest(f"transfer(0x1, {number})"),)))
    assert "a campaign takes 20 injected sequences" in refusal
    await until(lambda: not bench.parts.campaign.statistics().steering.unanswered)
    assert bench.parts.campaign.statistics().steering.injected == 20


async def test_the_bytes_of_injected_sequences_have_a_bound(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few that are long weigh as much as many that are short."""
    monkeypatch.setattr(injections, "MAX_INJECTED_BYTES", 1 << 20)
    text = "a" * 200_000
    refusal = await flood(bench, lambda number: InjectSequence((CallRequest(f'note("{text}{number}", [], true)'),)))
    assert "injected sequences of 1 MiB together" in refusal
    assert bench.parts.campaign.statistics().steering.injected == 5


async def test_injections_wait_for_a_worker_that_does_not_execute_them(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More are refused until it has caught up."""
    monkeypatch.setattr(injections, "MAX_UNANSWERED", 10)
    bench.parts.campaign.steering.injected = lambda worker, frame: None  # nobody ever answers
    refusal = await flood(bench, lambda number: InjectSequence((CallRequest(f"transfer(0x1, {number})"),)))
    assert refusal == "a worker has 10 injected sequences to execute; try again"


async def test_templates_have_a_bound_by_number_and_by_size(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are told, with what there is."""
    assert "takes 64 templates" in await flood(bench, lambda number: AddTemplate((CallRequest("transfer(?, 1)"),)))
    await bench.ask("remove_templates")
    monkeypatch.setattr(sequence_templates, "MAX_CHARACTERS", 10_000)
    text = "a" * 3_000
    refusal = await flood(bench, lambda number: AddTemplate((CallRequest(f'note("{text}", [], ?)'),)))
    assert "templates of 10000 characters together, and has 3" in refusal
    # A sequence with wildcards is injected all the same: it becomes no template.
    assert (await bench.parts.campaign.ask(InjectSequence((CallRequest(f'note("{text}", [], ?)'),)))).calls == 1


@pytest.mark.parametrize(
    "command",
    [PrioritizeFunction, ExcludeFunction, lambda name: WeighFunction(name, 2.0)],
    ids=["prioritize", "exclude", "weigh"],
)
async def test_names_of_functions_have_a_bound(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, command: Callable[[str], Command[object]]
) -> None:
    """Also of those that the target does not have, which may come later."""
    monkeypatch.setattr(priority_manager, "MAX_NAMES", 20)
    assert await flood(bench, lambda number: command(f"unknown{number}()")) == "at most 20 functions can be named"


async def test_workers_that_come_and_go_have_a_bound(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of those that left are kept, so there cannot be any number of them."""
    monkeypatch.setattr(pool, "MAX_HIRED", 12)
    refusal = await flood(bench, lambda number: SetWorkers(4 if number % 2 else 1))
    assert "at most 12 workers in its life" in refusal
    assert len(bench.parts.campaign.workers) <= 12


async def test_reports_are_written_one_at_a_time(bench: Bench) -> None:
    """A second request meanwhile is refused, and no queue grows."""
    begun, release = trio.Event(), trio.Event()

    async def dump(end: object) -> tuple[str, ...]:
        begun.set()
        await release.wait()
        return ("report.json",)

    bench.parts.campaign._control._dump_reports = dump
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bench.parts.campaign.ask, DumpReports(), 60)
        await begun.wait()
        with pytest.raises(CommandRejected, match="under way already"):
            await bench.parts.campaign.ask(DumpReports(), 60)
        release.set()
    assert await bench.parts.campaign.ask(DumpReports(), 60) == ("report.json",)


async def test_the_log_of_commands_has_a_bound_in_memory(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the characters of what was said, too; arguments that were refused are kept only while they are short."""
    monkeypatch.setattr(command_log, "KEPT_CHARACTERS", 100_000)
    for number in range(40):
        await bench.ask("add_dictionary_values", values=[{"value": f'"{number:0>1000}"'} for number in range(10)])
        assert number < 5 or len(bench.command_log.newest) < 12
    await bench.error("add_dictionary_values", values=[{"value": "x" * MAX_REFUSED_LENGTH}])
    assert "omitted" in bench.command_log.newest[-1].arguments or bench.command_log.newest[-1].size < 100_000
    await bench.error("add_dictionary_values", unknown="x" * MAX_REFUSED_LENGTH)
    assert "omitted" in bench.command_log.newest[-1].arguments


def test_the_file_of_commands_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it commands are kept in memory only, as where the disk is full."""
    monkeypatch.setattr(command_file, "LARGEST", 200)
    file = command_file.CommandFile(tmp_path)
    for _ in range(100):
        file.append(CommandEntry("2026-01-01T00:00:00.000Z", "pause_campaign", {}))
    written = (tmp_path / command_file.COMMANDS_FILE).read_bytes()
    assert 200 <= len(written) < 400
    assert written.endswith(b"\n")


# --- the long form ---------------------------------------------------------------------------------------------------


@pytest.mark.nightly
async def test_a_campaign_takes_a_flood_of_everything_and_continues(bench: Bench) -> None:
    """Half a million values, ten thousand injections, templates and names without number: the structures stay within
    their bounds, and fuzzing continues."""
    campaign = bench.parts.campaign
    refused = 0
    for number in range(500):
        values = tuple(DictionaryValue(each["value"]) for each in numbers(1_000 * number, 1_000))
        commands: list[Command[object]] = [AddDictionaryValues(values), ExcludeFunction(f"f{number}()")]
        commands += [InjectSequence((CallRequest(f"transfer(0x1, {number * 40 + each})"),)) for each in range(40)]
        commands.append(AddTemplate((CallRequest(f"transfer(?, {number})"),)))
        for command in commands:
            try:
                await campaign.ask(command, 60)
            except CommandRejected:
                refused += 1
    statistics = campaign.statistics().steering
    assert refused > 0
    assert statistics.words <= steered_words.MAX_WORDS
    assert statistics.injected <= injections.MAX_INJECTIONS
    assert statistics.templates <= sequence_templates.MAX_TEMPLATES
    calls = campaign.status().calls
    await until(lambda: campaign.status().calls > calls)
