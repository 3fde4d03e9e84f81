"""Typed data (EIP-712). The digests are those of forge 1.7.1 and of the EIP's example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.abi.codec import encode
from simulator.abi.hashing import keccak256
from simulator.abi.types import Value, parse_type_text
from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

MAIL = (
    "Mail(Person from,Person[] to,string contents,bytes data,uint256[2] pair,int8 small,bool flag,bytes4 sel)"
    "Person(string name,address wallet)"
)
VALUES = (
    ("me", 3),
    (("x", 1), ("yy", 2)),
    "hello",
    b"\1\2",
    (1, 2),
    -3,
    True,
    b"\1\2\3\4",
)
TYPE = "((string,address),(string,address)[],string,bytes,uint256[2],int8,bool,bytes4)"
DOCUMENT = (
    '{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"}],"Person":'
    '[{"name":"name","type":"string"},{"name":"wallet","type":"address"}],"Mail":[{"name":"from","type":"Person"},'
    '{"name":"to","type":"Person[]"},{"name":"contents","type":"string"},{"name":"amount","type":"uint256"}]},'
    '"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":"0x1"},"message":{"from":{"name":"Cow","wallet":'
    '"0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},"to":[{"name":"Bob","wallet":'
    '"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"}],"contents":"Hello, Bob!","amount":"1000"}}'
)
EXAMPLE = (
    '{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId",'
    '"type":"uint256"},{"name":"verifyingContract","type":"address"}],"Person":[{"name":"name","type":"string"},'
    '{"name":"wallet","type":"address"}],"Mail":[{"name":"from","type":"Person"},{"name":"to","type":"Person"},'
    '{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","version":"1",'
    '"chainId":1,"verifyingContract":"0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"},"message":{"from":{"name":"Cow",'
    '"wallet":"0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},"to":{"name":"Bob","wallet":'
    '"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},"contents":"Hello, Bob!"}}'
)


@pytest.mark.parametrize(
    ("signature", "arguments", "digest"),
    [
        (
            "eip712HashType(string)",
            (MAIL,),
            "6cdaf156549e34fcfc54f6b984e8eac4c0348fa35fd30575b491cea6e08e790e",
        ),
        (
            "eip712HashType(string)",
            ("Person(string name, address wallet) Mail(Person from)",),
            "35334f6bcc4689871994da5f5f77de738795bf68f9bd4aec6ad7f7afd8256a6b",
        ),
        (
            "eip712HashStruct(string,bytes)",
            (MAIL, encode((parse_type_text(TYPE),), (VALUES,))),
            "5d30a54ddf6979779c36c5bafb87bc3bbf399288cd844c1dad5715dc7977c769",
        ),
        (
            "eip712HashTypedData(string)",
            (DOCUMENT,),
            "a5361da870e3e10addad2242163ac97cabed421893a5ba42b9612a8b2306d4ed",
        ),
        (
            "eip712HashTypedData(string)",
            (EXAMPLE,),
            "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2",
        ),
    ],
)
def test_typed_data_is_hashed(bench: Bench, signature: str, arguments: tuple[Value, ...], digest: str) -> None:
    """Types in canonical form, structs, arrays, and whole documents."""
    found = bench.vm(signature, *arguments)
    assert isinstance(found, bytes)
    assert found.hex() == digest


def test_names_are_looked_up_in_the_bindings(make_bench: Callable[..., Any], tmp_path: Path) -> None:
    """In the file that `forge bind-json` writes, or in another one."""
    (tmp_path / "foundry.toml").write_text('[profile.default]\nfs_permissions = [{ access = "read", path = "./" }]\n')
    text = '    string constant schema_Person = "Person(string name,address wallet)";\n'
    for folder in ("utils", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "JsonBindings.sol").write_text(f"library JsonBindings {{\n{text}}}\n")
    bench: Bench = make_bench(Project(str(tmp_path), ()))
    expected = keccak256(b"Person(string name,address wallet)")
    assert bench.vm("eip712HashType(string)", "Person") == expected
    assert bench.vm("eip712HashType(string,string)", "other/JsonBindings.sol", "Person") == expected
    data = encode((parse_type_text("(string,address)"),), (("a", 1),))
    by_name = bench.vm("eip712HashStruct(string,string,bytes)", "other/JsonBindings.sol", "Person", data)
    assert by_name == bench.vm("eip712HashStruct(string,bytes)", "Person(string name,address wallet)", data)
    assert "'Nobody' not found" in reason(bench.raw("eip712HashType(string)", "Nobody"))


@pytest.mark.parametrize(
    ("signature", "arguments"),
    [
        ("eip712HashType(string)", ("A(B b)B(A a)",)),
        ("eip712HashType(string)", ("A(uint256 x)B(uint256 y)",)),
        ("eip712HashType(string)", ("A(unknown x)",)),
        ("eip712HashType(string)", ("A(uint256)",)),
        ("eip712HashType(string)", ("A(uint256 x",)),
        ("eip712HashType(string)", ("A(uint256 x)" * 400,)),
        ("eip712HashStruct(string,bytes)", ("A(uint256 x)", b"\0")),
        ("eip712HashTypedData(string)", ("[]",)),
        ("eip712HashTypedData(string)", ("{}",)),
        ("eip712HashTypedData(string)", ('{"types":{"A":[{"name":"x"}]},"primaryType":"A","domain":{}}',)),
        ("eip712HashTypedData(string)", ('{"types":{"A":5},"primaryType":"A","domain":{}}',)),
        ("eip712HashTypedData(string)", ('{"types":{"A":[]},"primaryType":"B","domain":{}}',)),
        ("eip712HashTypedData(string)", (DOCUMENT.replace('"amount":"1000"', '"other":1'),)),
        ("eip712HashTypedData(string)", (DOCUMENT.replace('"Ether Mail"', "[]"),)),
    ],
)
def test_what_is_no_typed_data_is_refused(bench: Bench, signature: str, arguments: tuple[Value, ...]) -> None:
    """With a reason, and nothing breaks."""
    result = bench.raw(signature, *arguments)
    assert not result.success
    assert reason(result).isprintable()
