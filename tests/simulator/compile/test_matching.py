"""Deployed code is recognised whatever deployment wrote into it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.compile.projects.matching import CodeMatcher, without_metadata
from simulator.project import Contract, ContractKind, LinkReference, Project, Unit

METADATA = bytes.fromhex("a264697066735822") + bytes(34) + bytes.fromhex("64736f6c6343000815")
TAIL = METADATA + len(METADATA).to_bytes(2, "big")
OTHER_TAIL = METADATA.replace(bytes(34), b"\x77" * 34) + len(METADATA).to_bytes(2, "big")


def contract(
    name: str,
    runtime: bytes,
    creation: bytes = b"",
    kind: ContractKind = "contract",
    links: tuple[LinkReference, ...] = (),
    immutables: tuple[tuple[int, int], ...] = (),
) -> Contract:
    return Contract("A.sol", name, kind, (), creation, runtime, links, links, immutables)


def matcher(*contracts: Contract) -> CodeMatcher:
    return CodeMatcher(Project("/", (Unit("0.8.30", "prague", (), contracts),)))


def name_of(found: Contract | None) -> str | None:
    return found.name if found else None


def test_immutables_and_library_addresses_may_differ() -> None:
    """Every other byte counts."""
    code = bytes(range(1, 101))
    found = matcher(contract("A", code, links=(LinkReference(4, "L"),), immutables=((40, 32),)))
    deployed = code[:4] + b"\xaa" * 20 + code[24:40] + b"\xbb" * 32 + code[72:]
    assert name_of(found.match(deployed, creation=False)) == "A"
    assert found.match(b"\x00" + deployed[1:], creation=False) is None
    assert found.match(deployed[:-1] + b"\x00", creation=False) is None
    assert found.match(deployed + b"\x00", creation=False) is None


def test_metadata_may_differ() -> None:
    """Another hash of the sources, or none at all, is the same code."""
    code = b"\x60\x80" * 30
    found = matcher(contract("A", code + TAIL))
    assert name_of(found.match(code + OTHER_TAIL, creation=False)) == "A"
    assert name_of(found.match(code, creation=False)) == "A"
    assert found.match(code[:-2] + TAIL, creation=False) is None


def test_contracts_of_equal_code_are_told_apart_by_their_metadata() -> None:
    """Two mocks may have nothing else that differs. Without it, the first one is meant."""
    code = b"\x60\x80" * 30
    found = matcher(contract("A", code + TAIL, code + TAIL), contract("B", code + OTHER_TAIL, code + OTHER_TAIL))
    for creation in (False, True):
        behind = b"\1" * 32 if creation else b""
        assert name_of(found.match(code + OTHER_TAIL + behind, creation)) == "B"
        assert name_of(found.match(code + TAIL + behind, creation)) == "A"
    assert name_of(found.match(code, creation=False)) == "A"


def test_a_library_knows_its_own_address() -> None:
    """The guard at the beginning of a library is filled in by its deployment."""
    code = b"\x73" + bytes(20) + b"\x30\x14" + b"\x5b" * 40
    deployed = b"\x73" + b"\x99" * 20 + code[21:]
    assert name_of(matcher(contract("L", code, kind="library")).match(deployed, creation=False)) == "L"
    assert matcher(contract("C", code)).match(deployed, creation=False) is None


def test_creation_code_is_followed_by_arguments() -> None:
    """The longest matching beginning wins."""
    short, long = b"\x60" * 40, b"\x60" * 40 + b"\x61" * 20
    found = matcher(contract("Short", b"\x01", short), contract("Long", b"\x02", long))
    assert name_of(found.match(short + bytes(32), creation=True)) == "Short"
    assert name_of(found.match(long + bytes(32), creation=True)) == "Long"
    assert found.match(b"\x62" + short[1:], creation=True) is None
    assert found.match(short[:-1], creation=True) is None


def test_creation_code_with_other_metadata_or_libraries_matches() -> None:
    """Holes are the same as in runtime code."""
    code = b"\x60" * 60
    found = matcher(contract("A", b"\x01", code + TAIL, links=(LinkReference(30, "L"),)))
    linked = code[:30] + b"\x12" * 20 + code[50:]
    assert name_of(found.match(linked + OTHER_TAIL + bytes(64), creation=True)) == "A"


def test_the_first_of_equal_contracts_is_named() -> None:
    """Also when asked again."""
    found = matcher(contract("A", b"\x01" * 9), contract("B", b"\x01" * 9))
    assert [name_of(found.match(b"\x01" * 9, creation=False)) for _ in range(2)] == ["A", "A"]


def test_creation_and_runtime_are_told_apart() -> None:
    """The same bytes mean something else in each role."""
    found = matcher(contract("A", b"\x01" * 40, b"\x02" * 40))
    assert found.match(b"\x02" * 40, creation=False) is None
    assert found.match(b"\x01" * 40, creation=True) is None


@given(st.binary(max_size=80))
def test_any_code_can_be_asked_for(code: bytes) -> None:
    """Nothing that is deployed at run time breaks the look-up."""
    assert code.startswith(without_metadata(code))
    found = matcher(contract("A", b"\x60" * 90, b"\x60" * 90))
    assert found.match(code, creation=False) is None
    assert found.match(code, creation=True) is None
