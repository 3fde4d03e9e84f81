"""Reading revert data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi
from simulator.abi.reasons import ERROR_SELECTOR, PANIC_SELECTOR, ReasonKind, decode_reason, index_errors
from simulator.abi.types import String, UInt

ERRORS = index_errors(
    [ContractAbi.from_json([{"type": "error", "name": "Broke", "inputs": [{"type": "uint256"}, {"type": "string"}]}])]
)
BROKE = next(iter(ERRORS.values()))


def error(text: str) -> bytes:
    return ERROR_SELECTOR + encode((String(),), (text,))


def panic(code: int) -> bytes:
    return PANIC_SELECTOR + encode((UInt(256),), (code,))


def test_a_require_text_is_the_reason() -> None:
    """The text is shown without control characters; the message keeps them."""
    reason = decode_reason(error("no\x1bway"))
    assert (reason.kind, reason.text, reason.message) == (ReasonKind.ERROR, "no\\x1bway", "no\x1bway")


@pytest.mark.parametrize(
    ("code", "text"),
    [(1, "Panic(0x01): assertion failed"), (0x11, "Panic(0x11): arithmetic underflow"), (0x99, "unknown code")],
)
def test_a_panic_has_solcs_meaning(code: int, text: str) -> None:
    """The code is a number for oracles, the meaning is for people."""
    reason = decode_reason(panic(code))
    assert (reason.kind, reason.panic_code) == (ReasonKind.PANIC, code)
    assert text in reason.text


def test_a_custom_error_is_shown_like_a_call() -> None:
    """Errors of known contracts are decoded."""
    reason = decode_reason(BROKE.selector + encode(BROKE.inputs.members, (5, "x")), ERRORS)
    assert (reason.kind, reason.text, reason.error) == (ReasonKind.CUSTOM, 'Broke(5,"x")', "Broke")


@pytest.mark.parametrize(
    "data", [b"\x01", b"abcd", ERROR_SELECTOR, ERROR_SELECTOR + b"\xff" * 60, PANIC_SELECTOR + b"\1", BROKE.selector]
)
def test_what_does_not_decode_is_shown_raw(data: bytes) -> None:
    """Unknown selectors and truncated data are hex."""
    reason = decode_reason(data, ERRORS)
    assert (reason.kind, reason.text) == (ReasonKind.RAW, f"unknown error 0x{data.hex()}")


def test_the_length_is_bounded() -> None:
    """A megabyte of reason or of unknown data stays one line."""
    for data in (error("x" * 10**6), bytes(10**6), BROKE.selector + encode(BROKE.inputs.members, (1, "y" * 10**6))):
        assert len(decode_reason(data, ERRORS).text) < 1100


def test_no_data_is_no_reason() -> None:
    """A bare revert says so."""
    assert decode_reason(b"").kind is ReasonKind.EMPTY


@given(st.sampled_from([ERROR_SELECTOR, PANIC_SELECTOR, BROKE.selector, b""]), st.binary(max_size=200))
def test_any_data_has_a_printable_reason(selector: bytes, data: bytes) -> None:
    """Nothing is raised, and the text fits on a line."""
    assert decode_reason(selector + data, ERRORS).text.isprintable()
