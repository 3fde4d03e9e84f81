"""Calls by name: lookup, checks, deadlines, errors, and the command log around control commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trio
import trio.testing

from actors.runtime.errors import AskTimeout, MailboxClosed
from tests.support.tool_set import EchoInput, NoInput, echo, make_tool, refuse, stick
from tools.caller import Caller, current_caller
from tools.command_file import COMMANDS_FILE
from tools.command_log import CommandLog
from tools.deadlines import Deadlines
from tools.dispatcher import MAX_CALLS, QUICK_CALLS, Dispatcher
from tools.registry import ToolRegistry
from tools.rendering import Rendered
from tools.tool import Answer, Deadline, Family, Scope


def error_of(rendered: Rendered) -> dict:
    assert rendered.is_error
    body = json.loads(rendered.text)
    assert body["success"] is False
    return body["error"]


async def test_a_tool_answers_under_its_name_and_its_alias(dispatcher: Dispatcher):
    """Dotted spellings are aliases."""
    for name in ("echo", "demo.echo"):
        rendered = await dispatcher.call(name, {"text": "a"})
        assert rendered == Rendered('{"text":"a"}', {"text": "a"})


@pytest.mark.requirement("004-36")
async def test_unknown_tools_are_named_in_the_error(dispatcher: Dispatcher):
    """Text and code are those of the contract; a huge name is cut."""
    error = error_of(await dispatcher.call("unknown_tool", {}))
    assert error == {"code": "TOOL_NOT_FOUND", "message": "Tool 'unknown_tool' not found"}
    assert len(error_of(await dispatcher.call("x" * 10_000, {}))["message"]) < 200


@pytest.mark.requirement("004-37")
async def test_a_stuck_tool_costs_its_deadline(dispatcher: Dispatcher, autojump_clock):
    """The text of the contract, and the next call is answered."""
    began = trio.current_time()
    error = error_of(await dispatcher.call("stick", {}))
    assert error == {"code": "EXECUTION_TIMEOUT", "message": "Tool stick exceeded 100ms"}
    assert trio.current_time() - began == pytest.approx(0.1)
    assert not (await dispatcher.call("echo", {"text": "a"})).is_error


async def test_a_timed_out_command_says_that_it_may_have_taken_effect(dispatcher: Dispatcher, autojump_clock):
    """Reading tools need no such word."""
    error = error_of(await dispatcher.call("steer_stuck", {}))
    assert error["details"] == {"mayHaveTakenEffect": True}


@pytest.mark.requirement("004-38")
async def test_a_bug_costs_one_call_and_is_told_on_stderr(dispatcher: Dispatcher, capsys):
    """The client gets the kind of error, the log the traceback; the server keeps serving."""
    error = error_of(await dispatcher.call("crash", {}))
    assert error["code"] == "INTERNAL_ERROR"
    assert "ZeroDivisionError" in error["message"]
    assert "Traceback" not in error["message"]
    printed = capsys.readouterr()
    assert "ZeroDivisionError" in printed.out + printed.err
    assert not (await dispatcher.call("echo", {"text": "a"})).is_error


async def test_deadlines_come_from_the_configuration(registry: ToolRegistry, autojump_clock):
    """Each class has its own."""
    dispatcher = Dispatcher(registry, Deadlines(campaign=250))
    assert error_of(await dispatcher.call("stick", {}))["message"] == "Tool stick exceeded 250ms"


async def test_an_actors_own_timeout_is_a_timeout_of_the_tool():
    """An actor that has ended is the end of the campaign."""

    async def too_slow(_: NoInput) -> Answer:
        raise AskTimeout("corpus keeper did not answer")

    async def gone(_: NoInput) -> Answer:
        raise MailboxClosed("campaign has ended")

    async def wrapped(_: NoInput) -> Answer:
        raise ExceptionGroup("", [MailboxClosed("campaign has ended")])

    calls = {"too_slow": too_slow, "gone": gone, "wrapped": wrapped}
    dispatcher = Dispatcher(ToolRegistry([make_tool(name, call) for name, call in calls.items()]))
    assert error_of(await dispatcher.call("too_slow", {}))["message"] == "Tool too_slow exceeded 100ms"
    for name in ("gone", "wrapped"):
        assert error_of(await dispatcher.call(name, {}))["details"] == {"reason": "CAMPAIGN_TERMINATED"}


async def test_tokens_without_control_may_only_read(dispatcher: Dispatcher):
    """The refusal names the scope."""
    reader = Caller("reader", frozenset({Scope.READ}))
    assert not (await dispatcher.call("echo", {"text": "a"}, reader)).is_error
    error = error_of(await dispatcher.call("steer", {"text": "a"}, reader))
    assert error["details"] == {"reason": "FORBIDDEN"}
    assert "control" in error["message"]


async def test_tools_know_their_caller():
    """Through the context, which is the callers' own."""
    seen = []

    async def who(_: NoInput) -> Answer:
        seen.append(current_caller().identity)
        return Answer({})

    await Dispatcher(ToolRegistry([make_tool("who", who)])).call("who", {}, Caller("ann"))
    assert seen == ["ann"]
    assert current_caller().identity == "local"


async def test_calls_beyond_the_cap_queue_within_their_deadline(autojump_clock):
    """Overload is answered in time, never with silence, and passes."""
    dispatcher = Dispatcher(ToolRegistry([make_tool("stick", stick), make_tool("echo", echo, EchoInput)]))
    answers: list[Rendered] = []

    async def call() -> None:
        answers.append(await dispatcher.call("stick", {}))

    async with trio.open_nursery() as nursery:
        for _ in range(QUICK_CALLS):
            nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        error = error_of(await dispatcher.call("echo", {"text": "a"}))
        assert error["code"] == "EXECUTION_TIMEOUT"
    assert len(answers) == QUICK_CALLS
    assert not (await dispatcher.call("echo", {"text": "a"})).is_error


async def test_waiting_tools_do_not_hold_up_quick_ones(autojump_clock):
    """They have places of their own."""
    waiting = make_tool("wait", stick, deadline=Deadline.WAIT)
    dispatcher = Dispatcher(ToolRegistry([waiting, make_tool("echo", echo, EchoInput)]))
    async with trio.open_nursery() as nursery:
        for _ in range(QUICK_CALLS * 2):
            nursery.start_soon(dispatcher.call, "wait", {})
        await trio.testing.wait_all_tasks_blocked()
        assert not (await dispatcher.call("echo", {"text": "a"})).is_error
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (
            Family.CAMPAIGN,
            '{"success":false,"error":{"code":"INVALID_INPUT","message":"no such thing","details":{"place":"here"}}}',
        ),
        (Family.COVERAGE, "Error: no such thing"),
        (
            Family.BUILDS,
            '{"success":false,"errors":[{"tool":"refuse","severity":"error","message":"no such thing",'
            '"code":"INVALID_INPUT","logRange":{"startLine":0,"endLine":0},"byteOffsets":{"start":0,"end":0}}],'
            '"warnings":[],"runId":""}',
        ),
        (Family.ANALYSIS, '{"success":false,"error":"no such thing","duration":0}'),
        (
            Family.CODEBASE,
            '{"error":{"code":"INVALID_INPUT","message":"no such thing","data":{"place":"here"}}}',
        ),
    ],
)
@pytest.mark.requirement("004-34")
async def test_each_family_prints_errors_in_its_own_form(family: Family, text: str, autojump_clock):
    """As its seed does."""
    dispatcher = Dispatcher(ToolRegistry([make_tool("refuse", refuse, family=family)]))
    assert await dispatcher.call("refuse", {}) == Rendered(text, is_error=True)


async def test_answers_with_bytes_that_are_no_text_are_mended():
    """Contracts may hold any bytes in their strings."""

    async def odd(_: NoInput) -> Answer:
        return Answer({"text": b"a\xff".decode("utf-8", "surrogateescape")})

    rendered = await Dispatcher(ToolRegistry([make_tool("odd", odd, output_schema={"type": "object"})])).call("odd", {})
    assert rendered == Rendered('{"text":"a\\\\xff"}', {"text": "a\\xff"})


async def test_calls_are_remembered(dispatcher: Dispatcher):
    """With duration and error code, newest last."""
    await dispatcher.call("echo", {"text": "a"})
    await dispatcher.call("none", {})
    first, second = dispatcher.executions
    assert (first.number, first.tool, first.error) == (1, "echo", None)
    assert (second.number, second.tool, second.error) == (2, "none", "TOOL_NOT_FOUND")


# --- the command log --------------------------------------------------------------------------------------------------


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / COMMANDS_FILE).read_text().splitlines()]


# The real clock, as threads write: no deadline may be near, however busy the machine.
PATIENT = Deadlines(campaign=30_000)


def make_log() -> CommandLog:
    return CommandLog(lambda: 1_766_226_645.5)


@pytest.mark.requirement("004-S1")
async def test_every_command_is_on_disk_before_its_answer(registry: ToolRegistry, tmp_path: Path):
    """Successes, refusals and timeouts, in order, with what was asked; reading tools leave no line."""
    log = make_log()
    dispatcher = Dispatcher(registry, PATIENT, log)
    async with log.writing_to(tmp_path):
        await dispatcher.call("steer", {"text": "a"})
        assert lines(tmp_path) == [
            {
                "timestamp": "2025-12-20T10:30:45.500Z",
                "tool": "steer",
                "args": {"text": "a", "times": 1},
                "result": "success",
            }
        ]
        await dispatcher.call("steer", {"text": 5})
        await Dispatcher(registry, Deadlines(campaign=50), log).call("steer_stuck", {})
        await dispatcher.call("echo", {"text": "a"})
        assert [(line["tool"], line["result"]) for line in lines(tmp_path)] == [
            ("steer", "success"),
            ("steer", "failure"),
            ("steer_stuck", "timeout"),
        ]
        assert lines(tmp_path)[1]["args"] == {"text": 5}
        assert lines(tmp_path)[1]["message"] == "text must be a valid string"


async def test_a_command_is_on_disk_before_it_takes_effect(tmp_path: Path):
    """A program that is killed in its midst leaves a line that says so."""
    log = make_log()
    seen = []

    async def look(_: NoInput) -> Answer:
        seen.extend(lines(tmp_path))
        return Answer({})

    dispatcher = Dispatcher(ToolRegistry([make_tool("look", look, scope=Scope.CONTROL)]), PATIENT, log)
    async with log.writing_to(tmp_path):
        await dispatcher.call("look", {})
    assert [line["result"] for line in seen] == ["started"]


async def test_a_caller_that_goes_away_leaves_a_dropped_command(tmp_path: Path):
    """It may have taken effect."""
    log = make_log()

    async def leave(_: NoInput) -> Answer:
        scope.cancel()
        await trio.lowlevel.checkpoint()
        raise AssertionError

    dispatcher = Dispatcher(ToolRegistry([make_tool("leave", leave, scope=Scope.CONTROL)]), PATIENT, log)
    async with log.writing_to(tmp_path):
        with trio.CancelScope() as scope:
            await dispatcher.call("leave", {})
    assert [line["result"] for line in lines(tmp_path)] == ["dropped"]


async def test_commands_take_turns(tmp_path: Path):
    """Their order in the file is that of their effects, whatever the number of clients."""
    log, effects = make_log(), []

    async def act(inputs: EchoInput) -> Answer:
        await trio.lowlevel.checkpoint()
        effects.append(inputs.text)
        return Answer({})

    dispatcher = Dispatcher(ToolRegistry([make_tool("act", act, EchoInput, scope=Scope.CONTROL)]), PATIENT, log)
    async with log.writing_to(tmp_path), trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(dispatcher.call, "act", {"text": str(number)})
    assert [line["args"]["text"] for line in lines(tmp_path)] == effects
    assert {line["result"] for line in lines(tmp_path)} == {"success"}


async def test_a_command_that_waited_for_its_turn_in_vain_had_no_effect(registry: ToolRegistry, autojump_clock):
    """And says so, so that it can be tried again."""
    log, errors = make_log(), []
    dispatcher = Dispatcher(registry, Deadlines(campaign=100), log)

    async def call(name: str, delay: float) -> None:
        await trio.sleep(delay)
        errors.append(error_of(await dispatcher.call(name, {"text": "a"} if name == "steer" else {})))

    slow = Dispatcher(registry, Deadlines(campaign=1_000), log)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(slow.call, "steer_stuck", {})
        nursery.start_soon(call, "steer", 0.01)
    assert errors[0]["details"] == {"mayHaveTakenEffect": False}
    assert [(entry.tool, entry.result, entry.message) for entry in log.newest] == [
        ("steer_stuck", "timeout", ""),
        ("steer", "timeout", "it never began"),
    ]


@pytest.mark.requirement("004-S1")
async def test_a_command_without_the_right_is_logged(registry: ToolRegistry, tmp_path: Path):
    """A client that may only look, and tries to steer, leaves a line."""
    log, reader = make_log(), Caller("reader", frozenset({Scope.READ}))
    async with log.writing_to(tmp_path):
        refused = await Dispatcher(registry, PATIENT, log).call("steer", {"text": "a"}, reader)
    assert error_of(refused)["details"] == {"reason": "FORBIDDEN"}
    (line,) = lines(tmp_path)
    assert (line["tool"], line["result"]) == ("steer", "failure")
    assert "scope control" in line["message"]


async def test_results_of_long_commands_replace_in_place(tmp_path: Path):
    """A command of another deadline class does not hold back the others, which end before it."""
    log, proceed = make_log(), trio.Event()

    async def wait(_: NoInput) -> Answer:
        await proceed.wait()
        return Answer({})

    tools = [
        make_tool("long", wait, scope=Scope.CONTROL, deadline=Deadline.ANALYSIS),
        make_tool("steer", echo, EchoInput, scope=Scope.CONTROL),
    ]
    dispatcher = Dispatcher(ToolRegistry(tools), PATIENT, log)
    async with log.writing_to(tmp_path), trio.open_nursery() as nursery:
        nursery.start_soon(dispatcher.call, "long", {})
        await trio.testing.wait_all_tasks_blocked()
        while not log.newest:
            await trio.lowlevel.checkpoint()
        await dispatcher.call("steer", {"text": '"result":"'})
        proceed.set()
    assert [(line["tool"], line["result"]) for line in lines(tmp_path)] == [("long", "success"), ("steer", "success")]


async def test_a_file_that_was_cut_short_is_gone_on_with(registry: ToolRegistry, tmp_path: Path):
    """The cut line stays a line of its own."""
    (tmp_path / COMMANDS_FILE).write_text('{"timestamp":"2025')
    log = make_log()
    async with log.writing_to(tmp_path):
        await Dispatcher(registry, PATIENT, log).call("steer", {"text": "a"})
    first, second = (tmp_path / COMMANDS_FILE).read_text().splitlines()
    assert first == '{"timestamp":"2025'
    assert json.loads(second)["result"] == "success"


async def test_huge_and_impossible_arguments_are_left_out_of_the_log(registry: ToolRegistry, tmp_path: Path):
    """A refused call may not fill the disk."""
    log = make_log()
    dispatcher = Dispatcher(registry, PATIENT, log)
    async with log.writing_to(tmp_path):
        await dispatcher.call("steer", {"text": "x" * 1_000_000})
        await dispatcher.call("steer", {"text": float("nan")})
    assert (tmp_path / COMMANDS_FILE).stat().st_size < 1_000
    assert all("omitted" in line["args"] for line in lines(tmp_path))


async def test_without_a_folder_commands_are_kept_in_memory(registry: ToolRegistry):
    """Up to a bound."""
    log = make_log()
    async with log.writing_to(None):
        await Dispatcher(registry, PATIENT, log).call("steer", {"text": "a"})
    assert [entry.result for entry in log.newest] == ["success"]


async def test_readers_leave_room_for_those_who_control(dispatcher: Dispatcher, autojump_clock):
    """However many calls they have in progress; theirs are refused at once when there are too many."""
    reader = Caller("reader", frozenset({Scope.READ}))
    refused = []

    async def read() -> None:
        if (rendered := await dispatcher.call("stick", {}, reader)).is_error:
            refused.append(error_of(rendered))

    async with trio.open_nursery() as nursery:
        for _ in range(MAX_CALLS + 3):
            nursery.start_soon(read)
        await trio.testing.wait_all_tasks_blocked()
        assert [error["details"]["reason"] for error in refused] == ["TOO_MANY_CALLS"] * 3
        assert not (await dispatcher.call("echo", {"text": "a"})).is_error
        nursery.cancel_scope.cancel()
    assert not (await dispatcher.call("echo", {"text": "a"}, reader)).is_error
