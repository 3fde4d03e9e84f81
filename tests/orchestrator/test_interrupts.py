"""Phases of the program, and what a signal means in each."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from orchestrator import interrupts
from orchestrator.interrupts import MAX_SIGNALS, conclude, handled_signals, install, listening, run_native
from tests.support.patience import PATIENCE


class EndedError(BaseException):
    """In place of the end of this process."""


@pytest.fixture(autouse=True)
def _phases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def end(code: int) -> None:
        raise EndedError(code)

    monkeypatch.setattr(interrupts, "end_at_once", end)
    monkeypatch.setattr(interrupts, "_phases", [interrupts._Phase()])
    before = {number: signal.getsignal(number) for number in interrupts._SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", interrupts._SIGNALS)
def test_before_anything_listens_the_first_signal_ends_the_program(number: signal.Signals) -> None:
    """There is nothing to save."""
    install()
    with pytest.raises(EndedError, match="130"):
        signal.raise_signal(number)


def test_a_listener_gets_some_signals_and_the_next_ends_the_program() -> None:
    """With the code of that moment."""
    heard: list[int] = []
    with listening(lambda: heard.append(1), exit_code=lambda: len(heard)):
        for _ in range(MAX_SIGNALS):
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(EndedError, match=str(MAX_SIGNALS)):
            signal.raise_signal(signal.SIGINT)
    assert len(heard) == MAX_SIGNALS


def test_once_the_code_is_decided_a_signal_is_held_and_the_next_ends_the_program_with_it() -> None:
    """Also one that comes between the end of a block that listened and the end of the program."""
    install()
    with listening(lambda: None):
        conclude(1)
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(EndedError, match="1"):
        signal.raise_signal(signal.SIGINT)


def test_handlers_are_put_back_where_the_program_is_not_ours() -> None:
    """A campaign may be run as a function."""
    before = [signal.getsignal(number) for number in handled_signals()]
    with listening(lambda: None):
        assert signal.getsignal(signal.SIGTERM) is interrupts._handle
    assert [signal.getsignal(number) for number in handled_signals()] == before


def test_an_ignored_hangup_stays_ignored() -> None:
    """`nohup` asks for it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    install()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_other_threads_listen_to_nothing() -> None:
    """Python handles signals in the main thread only; a campaign in another runs all the same."""
    entered: list[bool] = []

    def enter() -> None:
        with listening(lambda: None):
            entered.append(True)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [True]


def test_native_code_returns_what_it_returns_and_raises_what_it_raises() -> None:
    """Though it runs in another thread."""
    assert run_native(lambda: threading.current_thread() is threading.main_thread()) is False
    with pytest.raises(ZeroDivisionError):
        run_native(lambda: 1 // 0)


def test_a_signal_is_handled_while_native_code_runs() -> None:
    """It need not come back to Python first."""
    install()
    release = threading.Event()
    main = threading.main_thread().ident

    def stay() -> None:
        signal.pthread_kill(main, signal.SIGTERM)
        release.wait(PATIENCE)

    with pytest.raises(EndedError):
        run_native(stay)
    release.set()
