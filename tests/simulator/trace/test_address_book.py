"""Names and ABIs of accounts."""

from __future__ import annotations

from simulator.abi.hashing import selector
from simulator.project import Contract, Project, Unit
from simulator.trace.address_book import AddressBook

ACCOUNT = b"\xaa" * 20
FUNCTION = {"type": "function", "name": "f", "inputs": [], "outputs": []}
CONTRACT = Contract(
    "src/a.sol", "A", "contract", ({**FUNCTION}, {"type": "error", "name": "E", "inputs": []}), b"", b""
)
PROJECT = Project("/p", (Unit("0.8.30", "cancun", (), (CONTRACT,)),))


def test_deployed_contracts_have_their_name_and_abi() -> None:
    """Full names are shortened to what people say."""
    book = AddressBook.from_project(PROJECT, [(ACCOUNT, "src/a.sol:A")])
    assert book.name(ACCOUNT) == "A"
    function = book.function(ACCOUNT, selector("f()"))
    assert function is not None
    assert function.signature == "f()"
    assert [error.name for error in book.errors.values()] == ["E"]


def test_plain_labels_are_names_without_an_abi() -> None:
    """Senders and other accounts may be labelled too."""
    book = AddressBook({}, {ACCOUNT: "attacker"})
    assert (book.name(ACCOUNT), book.abi(ACCOUNT), book.is_known(ACCOUNT)) == ("attacker", None, True)


def test_unknown_accounts_are_shown_as_hex() -> None:
    """Forty digits, lower case."""
    book = AddressBook({}, {})
    assert (book.name(ACCOUNT), book.is_known(ACCOUNT)) == ("0x" + "aa" * 20, False)


def test_accounts_of_the_environment_have_names() -> None:
    """Cheatcodes, console and precompiles."""
    book = AddressBook({}, {})
    assert book.name((1).to_bytes(20, "big")) == "ecrecover"
    assert book.name(bytes.fromhex("7109709ecfa91a80626ff3989d68f67f5b1dd12d")) == "VM"


def test_accounts_created_later_are_added() -> None:
    """The first book is left as it was."""
    book = AddressBook.from_project(PROJECT, [])
    assert book.with_addresses({ACCOUNT: "src/a.sol:A"}).name(ACCOUNT) == "A"
    assert not book.is_known(ACCOUNT)
