"""`clamps` of a configuration: what YAML and flags may write, and what is refused."""

from __future__ import annotations

import pytest

from orchestrator.configuration.clamps import parse_clamp
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.resolve import resolve

SENDER = f"0x{0x10000:040x}"


def clamps_of(value: object) -> tuple:
    return Configuration.model_validate({"clamps": value}).clamps


def test_a_line_of_text_is_the_same_clamp_as_an_object() -> None:
    (line,) = clamps_of(["deposit assets=1..1e24 receiver=0x10000,0x20000 @0x10000"])
    limits = [
        {"argument": "assets", "min": "1", "max": "1e24"},
        {"argument": "receiver", "values": ["0x10000", "0x20000"]},
    ]
    (clamp,) = clamps_of([{"function": "deposit", "arguments": limits, "senders": [0x10000]}])
    assert line == clamp
    assert clamp.senders == (SENDER,)


def test_numbers_of_yaml_are_values() -> None:
    """YAML reads 0x10000, 1.0e+3 and true as what they are."""
    limits = [{"argument": "0", "values": [0x10000, 1e3, True, -5]}, {"argument": "1", "min": 1}]
    (clamp,) = clamps_of([{"function": "f", "arguments": limits}])
    assert clamp.arguments[0].values == ("0x10000", "1000", "true", "-5")
    assert (clamp.arguments[1].min, clamp.arguments[1].max) == ("0x1", None)
    assert clamp.command().arguments[1].minimum == "0x1"


@pytest.mark.parametrize("text", ["", "f", "f assets", "f =1..2", "f @"])
def test_a_line_that_binds_nothing_is_refused(text: str) -> None:
    with pytest.raises((ValueError, ConfigurationError)):
        resolve([flag_layer({"clamps": ("--clamp", (text,))})])


@pytest.mark.parametrize(
    "value",
    [
        7,
        [7],
        [{"function": "f", "senders": ["0xzz"]}],
        [{"function": "f", "arguments": [{"argument": "a", "min": "1", "values": ["2"]}]}],
        [{"function": "f", "arguments": [{"argument": "a"}]}],
        [{"function": "f", "surprise": 1}],
        [{"arguments": []}],
        [f"f a={n}" for n in range(257)],
        "f a=" + "1," * 1_001,
    ],
)
def test_what_is_no_clamp_is_refused_with_the_allowed_form(value: object) -> None:
    with pytest.raises(ConfigurationError, match="expected a list of clamps"):
        resolve([flag_layer({"clamps": ("--clamp", value)})])


def test_a_range_may_leave_out_an_end() -> None:
    assert parse_clamp("f a=..5")["arguments"] == [{"argument": "a", "max": "5"}]
    assert parse_clamp("f a=5..")["arguments"] == [{"argument": "a", "min": "5"}]
