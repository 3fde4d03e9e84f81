"""`--dashboard` on the command line: what is asked for, what is said, and what stands in its way."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import trio

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.page import serve_page, serve_page_if_possible
from orchestrator.agents.server_settings import server_settings
from orchestrator.command_line.entry import run
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.resolve import resolve
from orchestrator.dashboard.visitors import Visitors
from tests.support.patience import PATIENCE
from tools.serving.http import CannotListen


def configuration(folder: Path, **values: object) -> Configuration:
    keys = {"mcpTokenFile": str(folder / "tokens.json"), "codebaseMemory": str(folder / "code.sqlite"), **values}
    return resolve([flag_layer({key: (key, value) for key, value in keys.items()})]).configuration


@pytest.mark.parametrize(("values", "has"), [({}, False), ({"dashboard": True}, True), ({"dashboardPort": 0}, True)])
def test_a_port_is_a_wish_for_the_page_too(tmp_path: Path, values: dict[str, object], has: bool):
    assert configuration(tmp_path, **values).has_page is has


def test_a_folder_without_a_campaign_is_told_as_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["show", str(tmp_path), "--dashboard"]) == 2
    assert "checkpoint" in capsys.readouterr().err


def test_the_page_goes_without_reports_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["show", str(tmp_path), "--dashboard", "--format", "json"]) == 2
    assert "--dashboard serves a page" in capsys.readouterr().err
    assert run(["show", str(tmp_path), "--dashboard-port", "99999"]) == 2
    assert "--dashboard-port" in capsys.readouterr().err


async def test_where_the_port_is_taken_a_server_continues_without_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """`fuzz --dashboard` refuses to begin, as the page was asked for."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        keys = configuration(tmp_path, dashboardPort=taken.getsockname()[1])
        server = Server(server_settings(keys, tmp_path))
        with trio.fail_after(PATIENCE):
            async with server.open(None) as facade:
                await serve_page_if_possible(server, facade, keys, Visitors())
                with pytest.raises(CannotListen, match="--dashboard-port chooses another port"):
                    await serve_page(server, facade, keys, Visitors())
    assert capsys.readouterr().err.startswith("note: no dashboard: ")


async def test_the_link_is_printed_with_what_comes_after_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    keys = configuration(tmp_path, dashboardPort=0)
    server = Server(server_settings(keys, tmp_path))
    with trio.fail_after(PATIENCE):
        async with server.open(None) as facade, trio.open_nursery() as nursery:
            await nursery.start(serve_page, server, facade, keys, Visitors())
            nursery.cancel_scope.cancel()
    link, later = capsys.readouterr().err.splitlines()[:2]
    assert link.startswith("dashboard: http://127.0.0.1:")
    assert "#ticket=" in link
    assert str(tmp_path / "tokens.json") in later
