"""Libraries are deployed before what needs them, and their addresses stand where they belong."""

from __future__ import annotations

import pytest

from simulator.compile.projects.linking import LinkError, libraries_of, link
from simulator.project import Contract, ContractKind, LinkReference, Project, Unit


def contract(name: str, *needs: str, kind: ContractKind = "library", code: bytes = bytes(64)) -> Contract:
    links = tuple(LinkReference(2 + 21 * index, f"A.sol:{need}") for index, need in enumerate(needs))
    return Contract("A.sol", name, kind, (), code, code, links, links)


def project(*contracts: Contract) -> Project:
    return Project("/", (Unit("0.8.30", "prague", (), contracts),))


def test_libraries_come_before_what_needs_them() -> None:
    """Also those that only other libraries need, each once."""
    main = contract("Main", "X", "Y", kind="contract")
    found = libraries_of(main, project(main, contract("X", "Z"), contract("Y", "Z"), contract("Z"), contract("Other")))
    assert [each.name for each in found] == ["Z", "X", "Y"]


def test_libraries_that_need_each_other_are_an_error() -> None:
    """The message shows the circle."""
    main = contract("Main", "X", kind="contract")
    with pytest.raises(LinkError, match=r"A\.sol:X -> A\.sol:Y -> A\.sol:X"):
        libraries_of(main, project(main, contract("X", "Y"), contract("Y", "X")))


def test_a_library_that_is_not_there_is_an_error() -> None:
    """Interfaces and missing code do not count."""
    main = contract("Main", "X", kind="contract")
    for others in ((), (contract("X", code=b""),)):
        with pytest.raises(LinkError, match=r"Main needs the library A\.sol:X"):
            libraries_of(main, project(main, *others))


def test_addresses_are_put_into_the_code() -> None:
    """Exactly the 20 bytes of each hole change."""
    main = contract("Main", "X", "Y", kind="contract")
    addresses = {"A.sol:X": int("11" * 20, 16), "A.sol:Y": 0x22}
    expected = bytes(2) + b"\x11" * 20 + bytes(1) + bytes(19) + b"\x22" + bytes(21)
    assert link(main.creation_code, main.creation_links, addresses) == expected


@pytest.mark.parametrize(("addresses", "message"), [({}, "has no address"), ({"A.sol:X": 1 << 160}, "beyond 160 bits")])
def test_a_missing_or_impossible_address_is_an_error(addresses: dict[str, int], message: str) -> None:
    """The message names the library."""
    main = contract("Main", "X", kind="contract")
    with pytest.raises(LinkError, match=rf"A\.sol:X .*{message}"):
        link(main.creation_code, main.creation_links, addresses)
