"""The program's log on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import structlog

from orchestrator.logging import configure_logging


@pytest.fixture(autouse=True)
def _restore_structlog() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def test_json_lines_carry_event_level_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line, nothing on stdout."""
    configure_logging("json")
    structlog.get_logger().warning("worker restarted", worker=1)
    output, errors = capsys.readouterr()
    record = json.loads(errors)
    assert output == ""
    assert {key: record[key] for key in ("event", "level", "worker")} == {
        "event": "worker restarted",
        "level": "warning",
        "worker": 1,
    }
    assert record["timestamp"].endswith("Z")


def test_text_lines_are_plain_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Readable, without colours."""
    configure_logging()
    structlog.get_logger().error("kernel failed", code="E_KERNEL")
    errors = capsys.readouterr().err
    assert "kernel failed" in errors
    assert "code=E_KERNEL" in errors
    assert "\x1b" not in errors


def test_details_are_shown_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings and worse by default, everything with debug."""
    configure_logging()
    structlog.get_logger().info("quiet")
    assert capsys.readouterr().err == ""
    configure_logging(debug=True)
    structlog.get_logger().debug("loud")
    assert "loud" in capsys.readouterr().err


def test_an_exception_is_part_of_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    """Machines get the traceback as a value, still on one line."""
    configure_logging("json")
    try:
        raise ValueError("a bug")
    except ValueError:
        structlog.get_logger().exception("actor failed")
    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError: a bug" in json.loads(line)["exception"]
