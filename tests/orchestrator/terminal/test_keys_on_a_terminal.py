"""The keys of the live view, pressed on a real terminal."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import psutil
import pytest

from tests.support.patience import wait_for
from tests.support.terminal_program import campaign_on_terminal

pytestmark = pytest.mark.integration


@pytest.mark.nightly
def test_keys_choose_pages_and_command_the_campaign_which_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with campaign_on_terminal("--workers", "1", "--corpus-dir", str(tmp_path)) as terminal:
        wait_for(lambda: terminal.takes_keys, "the modes of the terminal")
        terminal.press_and_see("?", "pause, and continue", "one worker more, one fewer")
        terminal.press_and_see("c", "no source was measured so far")
        terminal.press_and_see("c", "workers ─", "p pause  s stop")
        terminal.press_and_see("p", "paused: p continues", "paused   ")
        terminal.press_and_see("p", "continuing")
        terminal.press_and_see("+", "workers wanted: 2")
        terminal.press_and_see("w", "  1 ")
        terminal.press_and_see("\x1b[Af", "echidna_first", "Fake.")
        terminal.press_and_see("\x1b", "events ─")
        terminal.press("s")
        code = terminal.end()
        assert (code, terminal.modes) == (1, terminal.before)
        assert terminal.raw.rindex("\x1b[?25h") > terminal.raw.rindex("\x1b[?25l")
    assert b"echidna_first: failed!" in terminal.output
    events = [json.loads(line)["event"] for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    steered = [event["command"] for event in events if event["type"] == "Steered"]
    assert steered == ["pause", "resume", "workers", "stop"]


@pytest.mark.nightly
def test_another_size_of_the_terminal_is_a_picture_of_that_size_on_an_empty_screen() -> None:
    with campaign_on_terminal("--workers", "1") as terminal:
        start = len(terminal.raw)
        terminal.resize(24, 60)
        os.kill(terminal.process.pid, signal.SIGWINCH)
        wait_for(lambda: "\x1b[2J" in terminal.raw[start:], "an empty screen")
        start = terminal.raw.rindex("\x1b[2J")
        wait_for(lambda: terminal.text(start).count("╯") > 1, "whole pictures")
        rows = [row for row in re.split(r"\r|\n", terminal.text(start)) if row.startswith("│")]
        assert {len(row) for row in rows} == {60}


@pytest.mark.nightly
def test_ctrl_z_gives_the_terminal_back_and_going_on_takes_it_again() -> None:
    with campaign_on_terminal("--workers", "1") as terminal:
        wait_for(lambda: terminal.takes_keys, "the modes of the terminal")
        terminal.press("\x1a")
        process = psutil.Process(terminal.process.pid)
        wait_for(lambda: process.status() == psutil.STATUS_STOPPED, "the stop")
        assert terminal.modes == terminal.before
        process.send_signal(signal.SIGCONT)
        wait_for(lambda: terminal.takes_keys, "the modes of the terminal")
        terminal.press_and_see("?", "pause, and continue")


@pytest.mark.nightly
def test_a_program_that_ends_at_once_leaves_the_terminal_as_it_was() -> None:
    with campaign_on_terminal("--workers", "1") as terminal:
        wait_for(lambda: terminal.takes_keys, "the modes of the terminal")
        while terminal.process.poll() is None:
            terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() in (0, 1, 130)
        assert terminal.modes == terminal.before


@pytest.mark.nightly
def test_a_terminal_without_colours_gets_none() -> None:
    with campaign_on_terminal("--workers", "1", "--no-color") as terminal:
        terminal.press_and_see("?", "pause, and continue")
        assert "\x1b[3" not in terminal.raw
        assert "\x1b[1;" not in terminal.raw
