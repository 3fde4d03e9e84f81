"""console.log."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.codec import encode
from simulator.abi.hashing import selector
from simulator.cheatcodes import console_text
from simulator.cheatcodes.core.registry import members_of
from simulator.cheatcodes.core.rules import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules
from simulator.evm.addresses import CONSOLE_ADDRESS
from simulator.project import Project
from simulator.trace.render import console_message
from tests.support.cheatcode_bench import Bench


def call(signature: str, *arguments: object) -> bytes:
    """Calldata of an overload."""
    types = members_of(signature[signature.index("(") :])
    return selector(signature) + encode(types, arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (call("log()"), ""),
        (call("log(string)", "100% sure"), "100% sure"),
        (call("log(uint256)", 7), "7"),
        (call("logInt(int256)", -7), "-7"),
        (call("log(string,uint256)", "x =", 7), "x = 7"),
        (call("log(string,uint256)", "x = %d!", 7), "x = 7!"),
        (call("log(string,uint256,bool)", "%s and", 7, True), "7 and true"),
        (call("log(string,uint256)", "%x %%", 255), "0xff %"),
        (call("log(string,uint256)", "%18e", 15 * 10**17), "1.5"),
        (call("log(string,uint256)", "%e", 1500), "1.5e3"),
        (call("log(string,bool)", "%d", True), "1"),
        (call("log(string,bool)", "%i", True), "NaN"),
        (call("log(string,string)", "%o", "a"), "'a'"),
        (call("log(string,string)", "%s %s", "a"), "a %s"),
        (call("log(string,address)", "%o", 1), f"'{1:#042x}'"),
        (call("log(string,int256)", "%x", -16), "0x" + 63 * "f" + "0"),
        (
            call("log(address,bool)", 0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266, False),
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 false",
        ),
        (call("log(uint256,uint256,uint256,uint256)", 1, 2, 3, 4), "1 2 3 4"),
        (call("logBytes(bytes)", b"\1\2"), "0x0102"),
        (call("logBytes4(bytes4)", b"\1\2\3\4"), "0x01020304"),
        *((call(f"log(bytes{size})", bytes(size)), "0x" + "00" * size) for size in range(1, 33)),
    ],
)
def test_a_line_reads_as_forge_prints_it(data: bytes, text: str) -> None:
    """Directives take the values behind the string, the rest follows with spaces."""
    assert console_text(data) == text


def test_hardhats_first_selectors_are_known() -> None:
    """They were made from `uint` as it stands."""
    assert console_text(selector("log(uint)") + (5).to_bytes(32, "big")) == "5"


@given(
    st.text(st.characters(exclude_characters="%", codec="utf-8"), max_size=40), st.integers(0, 2**256 - 1), st.data()
)
def test_whole_calldata_is_a_line_and_a_part_of_it_is_none(text: str, number: int, data: st.DataObject) -> None:
    """Of its arguments, all that is there is shown, and nothing where some of it is cut off."""
    whole = call("log(string,uint256)", text, number)
    assert console_text(whole) == f"{text} {number}"
    needed = len(whole) - (-len(text.encode()) % 32)
    assert console_text(whole[: data.draw(st.integers(4, needed - 1))]) is None


@given(st.binary(max_size=200))
def test_calldata_of_no_overload_is_no_line(data: bytes) -> None:
    """Whatever stands behind the selector; hostile arguments of a known one raise nothing."""
    assert console_text(b"\xff\xff\xff\xff" + data) is None
    console_text(selector("log(string,uint256)") + data)


@pytest.mark.parametrize("rules", [ECHIDNA_RULES, FORGE_RULES], ids=["Echidna", "forge"])
@pytest.mark.parametrize(
    ("data", "is_log"),
    [
        (call("log()"), True),
        (call("log(string,int256)", "a", -1), True),
        (call("log(bytes4)", b"abcd"), True),
        (b"", False),
        (b"\x12\x34\x56\x78", False),
        (call("log(uint256)", 1)[:-1], False),
        (call("logUint(uint256)", 1), False),
        (selector("log(uint)") + bytes(32), False),
    ],
    ids=lambda value: value[:4].hex() if isinstance(value, bytes) else "",
)
def test_forge_reverts_what_is_no_log(
    make_bench: Callable[..., Bench], rules: CheatcodeRules, data: bytes, is_log: bool
) -> None:
    """So that an account that cannot take wei is one; in Echidna's modes every call succeeds."""
    bench = make_bench(Project("/", ()), rules=rules)
    result = bench.machine.transact(sender=1, to=CONSOLE_ADDRESS, data=data, gas=1_000_000)
    assert result.success == (is_log or rules is ECHIDNA_RULES)


def test_a_trace_shows_the_lines(deployed: Callable[[str], Bench]) -> None:
    """A call to the console address stands in the call tree as its text."""
    bench = deployed("Talkative")
    assert bench.call("talk", trace=True).success
    assert [console_message(node) for node in bench.trace.roots[0].children] == ["the value is 42"]
