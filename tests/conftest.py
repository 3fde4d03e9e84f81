"""Common ground of all tests, however fast the machine is and whatever started the tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings
from mcp.client import stdio

from tests.support.patience import PATIENCE

# A busy machine makes an example slow, not wrong.
settings.register_profile("monotreme", deadline=None)
settings.load_profile("monotreme")


@pytest.fixture(autouse=True, scope="session")
def _signals_as_a_terminal_gives_them() -> None:
    """Under `nohup` a hangup is ignored, by every program that the tests start as well."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def _a_client_waits_for_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seconds after it closed stdin, the SDK's client kills a server that has its files to write."""
    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", PATIENCE)
