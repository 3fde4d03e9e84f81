"""Names and ABIs of accounts."""

from __future__ import annotations

from simulator.abi.hashing import selector
from simulator.evm.tracer import CallKind, CallNode
from simulator.project import Contract, Project, Unit
from simulator.trace.address_book import AddressBook
from simulator.trace.render import render_trace
from simulator.transaction import address_int

ACCOUNT, SENDER = b"\xaa" * 20, b"\x01" * 20
FUNCTION = {"type": "function", "name": "f", "inputs": [], "outputs": []}
CONTRACT = Contract(
    "src/a.sol", "A", "contract", ({**FUNCTION}, {"type": "error", "name": "E", "inputs": []}), b"", b""
)
PROJECT = Project("/p", (Unit("0.8.30", "cancun", (), (CONTRACT,)),))


def call(kind: CallKind, to: bytes, code_address: bytes, data: bytes) -> CallNode:
    """From `SENDER`, with a gas of 1."""
    return CallNode(kind, 0, address_int(SENDER), address_int(to), address_int(code_address), 0, data, 1, gas_used=1)


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


def test_accounts_that_calls_create_are_named_by_their_code() -> None:
    """At any depth; constructor arguments follow the code."""
    code = bytes(range(1, 60))
    contract = Contract("src/a.sol", "A", "contract", (), code, b"\1" * 30)
    book = AddressBook.from_project(Project("/p", (Unit("0.8.30", "cancun", (), (contract,)),)), [])
    creation = call("CREATE", ACCOUNT, ACCOUNT, code + b"\0" * 32)
    outer = call("CALL", SENDER, SENDER, b"")
    outer.items += [creation, call("CREATE2", b"\xbb" * 20, b"\xbb" * 20, b"\2" * 60)]
    named = book.with_creations([outer])
    assert (named.name(ACCOUNT), named.is_known(b"\xbb" * 20)) == ("A", False)
    assert render_trace([outer], book)[1] == f"  ├─ [1] → new A@0x{ACCOUNT.hex()} (91 bytes of creation code)"


def test_accounts_created_later_are_added() -> None:
    """The first book is left as it was."""
    book = AddressBook.from_project(PROJECT, [])
    assert book.with_addresses({ACCOUNT: "src/a.sol:A"}).name(ACCOUNT) == "A"
    assert not book.is_known(ACCOUNT)


def test_library_functions_that_take_storage_are_named_in_traces() -> None:
    """JSON ABIs leave them out. Storage is shown as its slot; where a type's form is unknown, the words as they are."""
    signatures = ("insert(Set.Data storage,uint256)", "low(mapping(uint256 => bool) storage,Set.E)")
    library = Contract("src/a.sol", "Set", "library", (), b"", b"", library_signatures=signatures)
    project = Project("/p", (Unit("0.8.30", "cancun", (), (library,)),))
    book = AddressBook.from_project(project, [(ACCOUNT, "src/a.sol:Set")])

    def title(signature: str) -> str:
        data = selector(signature) + (3).to_bytes(32, "big") + (9).to_bytes(32, "big")
        node = call("DELEGATECALL", SENDER, ACCOUNT, data)
        return render_trace([node], book)[0]

    words = "0" * 63 + "3" + "0" * 63 + "9"
    assert "Set::insert(3, 9) [delegatecall]" in title(signatures[0])
    assert f"Set::low(0x{words}) [delegatecall]" in title(signatures[1])
