"""Cheatcodes that compute: keys, conversion, text, environment variables, random values, programs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.abi.hashing import keccak256, selector
from simulator.cheatcodes.core.registry import interface
from simulator.cheatcodes.handlers import supported
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED
from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

# The first account of the mnemonic that every development chain begins with.
KEY = 0xAC0974BEC39A17E36BA4A6B4D238FF944BACB478CBED5EFCAE784D7BF4F2FF80
ADDRESS = 0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266
CHECKSUMMED = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


@pytest.mark.parametrize(
    ("signature", "arguments", "value"),
    [
        ("addr(uint256)", (KEY,), ADDRESS),
        ("toString(address)", (ADDRESS,), CHECKSUMMED),
        ("toString(int256)", (-5,), "-5"),
        ("toString(bool)", (True,), "true"),
        ("toString(bytes)", (b"\1\2",), "0x0102"),
        ("parseUint(string)", ("0xff",), 255),
        ("parseInt(string)", ("-12",), -12),
        ("parseAddress(string)", (CHECKSUMMED,), ADDRESS),
        ("parseBool(string)", ("true",), True),
        ("parseBytes(string)", ("0x0a0b",), b"\x0a\x0b"),
        ("toLowercase(string)", ("AbC",), "abc"),
        ("trim(string)", ("  a ",), "a"),
        ("replace(string,string,string)", ("aXb", "X", "--"), "a--b"),
        ("split(string,string)", ("a,b", ","), ("a", "b")),
        ("indexOf(string,string)", ("hello", "l"), 2),
        ("indexOf(string,string)", ("hello", "z"), (1 << 256) - 1),
        ("contains(string,string)", ("hello", "ell"), True),
        ("toBase64(string)", ("hi?>",), "aGk/Pg=="),
        ("toBase64URL(bytes)", (b"hi?>",), "aGk_Pg=="),
        ("envOr(string,uint256)", ("MONOTREME_NOT_SET", 4), 4),
        ("envExists(string)", ("MONOTREME_NOT_SET",), False),
        ("bound(uint256,uint256,uint256)", (5, 5, 6), 6),
        ("bound(int256,int256,int256)", (-4, -5, -4), -5),
        ("randomUint(uint256)", (0,), 0),
        ("randomInt(uint256)", (0,), 0),
        (
            "computeCreate2Address(bytes32,bytes32,address)",
            (bytes(32), keccak256(b"\0"), 0),
            0x4D1A2E2BB4F88F0250F26FFFF098B0B30B26BF38,
        ),
        ("ensNamehash(string)", ("",), bytes(32)),
    ],
)
def test_a_cheatcode_computes(bench: Bench, signature: str, arguments: tuple[Any, ...], value: object) -> None:
    """Values known from elsewhere: development accounts, EIP-55, EIP-1014, EIP-137."""
    assert bench.vm(signature, *arguments) == value


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("parseUint(string)", "-1"),
        ("parseUint(string)", str(1 << 256)),
        ("parseAddress(string)", "0x12"),
        ("parseBool(string)", "maybe"),
        ("parseBytes(string)", "0x1"),
        ("parseBytes32(string)", "0x12"),
    ],
)
def test_what_does_not_parse_is_named(bench: Bench, signature: str, text: str) -> None:
    """The reason repeats the text and names the type."""
    assert f'failed parsing "{text}" as type' in reason(bench.raw(signature, text))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(value=st.integers(-(1 << 255), (1 << 255) - 1))
def test_numbers_survive_text(bench: Bench, value: int) -> None:
    """parseInt undoes toString."""
    assert bench.vm("parseInt(string)", bench.vm("toString(int256)", value)) == value  # type: ignore[arg-type]


def test_environment_variables_are_read_and_set(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set ones hide the process's own, lists are split, and a rollback forgets."""
    monkeypatch.setenv("MONOTREME_TEST", "1, 2,3")
    assert bench.vm("envUint(string,string)", "MONOTREME_TEST", ",") == (1, 2, 3)
    mark = bench.machine.mark()
    bench.vm("setEnv(string,string)", "MONOTREME_TEST", "9")
    assert bench.vm("envUint(string)", "MONOTREME_TEST") == 9
    bench.machine.rollback(mark)
    assert bench.vm("envString(string)", "MONOTREME_TEST") == "1, 2,3"
    assert "not found" in reason(bench.raw("envBool(string)", "MONOTREME_NOT_SET"))


def test_signatures_of_p256_verify(bench: Bench) -> None:
    """The public key accepts what the private key signed."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

    digest = keccak256(b"message")
    x, y = bench.vm("publicKeyP256(uint256)", 7)  # type: ignore[misc]
    r, s = bench.vm("signP256(uint256,bytes32)", 7, digest)  # type: ignore[misc]
    key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()  # type: ignore[arg-type]
    signature = encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))  # type: ignore[arg-type]
    key.verify(signature, digest, ec.ECDSA(Prehashed(hashes.SHA256())))


def test_a_key_outside_of_the_curve_is_refused(bench: Bench) -> None:
    """0 is no private key."""
    assert "private key" in reason(bench.raw("addr(uint256)", 0))


def test_programs_run_only_when_allowed(make_bench: Any) -> None:
    """ffi is off: the transaction proves nothing, and the user hears why once."""
    bench = make_bench(Project("/", ()))
    for _ in range(2):
        result = bench.raw("ffi(string[])", ("true",))
        assert "allowFFI" in reason(result)
        assert bench.machine.context.rejected == REJECTED_AS_UNSUPPORTED
    assert len(bench.warnings) == 1


def test_an_allowed_program_hands_over_its_output(make_bench: Any) -> None:
    """Hex becomes bytes, text stays text, a failure is named, tryFfi tells the exit code."""
    bench = make_bench(Project("/", ()), allow_ffi=True)
    assert bench.vm("ffi(string[])", (sys.executable, "-c", "print('0x0102')")) == b"\1\2"
    bench.vm("setEnv(string,string)", "MONOTREME_TEST", "0x0304")
    show = "import os; print(os.environ['MONOTREME_TEST'])"
    assert bench.vm("ffi(string[])", (sys.executable, "-c", show)) == b"\3\4"
    assert bench.vm("envBytes(bytes)", b"MONOTREME_TEST") == b"\3\4"
    assert bench.vm("ffi(string[])", (sys.executable, "-c", "print('text')")) == b"text"
    assert bench.vm("tryFfi(string[])", (sys.executable, "-c", "raise SystemExit(3)"))[0] == 3
    assert "cannot be started" in reason(bench.raw("ffi(string[])", ("/nowhere/program",)))


def test_calldata_that_does_not_decode_is_a_revert(bench: Bench) -> None:
    """Cut-off arguments are named, not an error of the program."""
    from simulator.evm.addresses import CHEATCODE_ADDRESS

    result = bench.machine.transact(sender=1, to=CHEATCODE_ADDRESS, data=selector("warp(uint256)") + b"\1", gas=10**6)
    assert "the data ends" in reason(result)


def test_every_handler_belongs_to_the_interface() -> None:
    """Selectors of supported cheatcodes are those of their signatures, and every assertion is supported."""
    table = supported()
    assert all(selector(each.signature) == key and each.signature in interface() for key, each in table.items())
    assertions = [signature for signature in interface() if signature.startswith("assert")]
    assert all(selector(signature) in table for signature in assertions)
    assert len(assertions) > 100


@pytest.mark.parametrize(
    ("signature", "arguments"),
    [
        ("replace(string,string,string)", ("a" * 5000, "a", "b" * 5000)),
        ("split(string,string)", ("," * 70000, ",")),
        ("randomBytes(uint256)", (1 << 40,)),
        ("randomUint(uint256,uint256)", (2, 1)),
        ("randomUint(uint256)", (257,)),
        ("bound(uint256,uint256,uint256)", (4, 5, 9)),
        ("bound(uint256,uint256,uint256)", (5, 5, 5)),
        ("computeCreateAddress(address,uint256)", (1, 1 << 64)),
        ("etch(address,bytes)", (1, b"\0")),
    ],
)
def test_results_have_limits(bench: Bench, signature: str, arguments: tuple[Any, ...]) -> None:
    """What would take all memory, or means nothing, is a revert."""
    assert not bench.raw(signature, *arguments).success


def test_the_reference_page_names_every_supported_cheatcode() -> None:
    """No more and no fewer than there are handlers."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "cheatcodes.md").read_text()
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    named = set(re.findall(r"`([a-zA-Z0-9]+)`", rows)) - {"delegateCall", "Decimal"}
    assert named == {each.signature.partition("(")[0] for each in supported().values()}
