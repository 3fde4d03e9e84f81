"""Storage variables by name, as solc lays them out: places, and what they hold in a deployed contract."""

from __future__ import annotations

import pytest

from simulator.errors import AbiError
from simulator.storage.layout import StorageLayout, packed_layout, read_layout
from simulator.storage.places import place_of
from simulator.storage.values import StorageReader

pytestmark = pytest.mark.integration

SOURCE = """
type Price is uint128;
interface IThing { function x() external; }
contract Base { uint256 private hidden = 5; bool internal flag = true; }
contract Stored is Base {
    enum State { Off, On, Late }
    struct Fee { uint64 rate; address to; }
    struct Config { Fee fee; uint8[3] steps; string name; mapping(uint256 => bool) seen; }
    address private owner = address(0xBEEF);
    int16 private low = -3;
    State private state = State.Late;
    bytes4 private mark = 0x01020304;
    Price private price = Price.wrap(77);
    IThing private thing = IThing(address(0x1234));
    uint256 public constant LIMIT = 9;
    mapping(address => uint256) private balances;
    mapping(address => mapping(uint256 => Fee[])) private orders;
    mapping(string => int256) private named;
    mapping(bytes32 => bool) private marks;
    uint16[] private small;
    uint256[2][] private pairs;
    string private long = "0123456789012345678901234567890123456789";
    string private short_ = "h\\"i";
    bytes private raw = hex"00ff";
    Config private config;
    uint256[40] private many;
    constructor() {
        balances[address(0x10000)] = 42;
        orders[address(0x1)][7].push(Fee(3, address(0x9)));
        orders[address(0x1)][7].push(Fee(4, address(0xA)));
        named["a]b"] = -8;
        marks[bytes32(uint256(6) << 248)] = true;
        for (uint16 i = 0; i < 20; i++) small.push(i * 3);
        pairs.push([uint256(1), 2]);
        pairs.push([uint256(3), 4]);
        config.fee = Fee(11, address(0x12));
        config.steps = [1, 2, 250];
        config.name = "cfg";
        config.seen[4] = true;
        many[39] = 1;
    }
    function f() public {}
    function echidna_true() public pure returns (bool) { return true; }
}
"""


def held(worker, layout: StorageLayout, expression: str) -> tuple[str, int]:
    """What the deployed contract holds, and in how many turns that was read."""
    address = int.from_bytes(worker.settings.contract_address, "big")
    place, known, turns = place_of(layout, expression), {}, 0
    while True:
        reader = StorageReader(layout, known)
        text, turns = reader.text(place), turns + 1
        if not reader.missing:
            return text, turns
        known |= {slot: worker.machine.get_storage(address, slot) for slot in reader.missing}


@pytest.fixture
def stored(make_worker):
    worker = make_worker(SOURCE, contract="Stored")
    contract = next(each.contract for each in worker.deployment.contracts if each.contract.name == "Stored")
    return worker, read_layout(contract.storage)


def test_variables_of_every_kind_are_read(stored):
    """Packed ones, private ones of bases, mappings, arrays, structs, strings of both forms."""
    worker, layout = stored
    expected = {
        "hidden": "5",
        "flag": "true",
        "owner": "0xbeef",
        "low": "-3",
        "state": "2",
        "mark": "0x01020304",
        "price": "77",
        "thing": "0x1234",
        "balances[0x10000]": "42",
        " balances [ 0x99 ] ": "0",
        "orders[0x1][7]": "[{rate: 3, to: 0x9}, {rate: 4, to: 0xa}]",
        "orders[0x1][7][1].to": "0xa",
        "orders[0x1][7].length": "2",
        "orders[0x2][7]": "[]",
        'named["a]b"]': "-8",
        f"marks[0x06{'00' * 31}]": "true",
        "small[19]": "57",
        "pairs": "[[1, 2], [3, 4]]",
        "pairs[1][0]": "3",
        "long": '"0123456789012345678901234567890123456789"',
        "short_": '"h\\"i"',
        "raw": "0x00ff",
        "config.fee.rate": "11",
        "config.steps[2]": "250",
        "config": '{fee: {rate: 11, to: 0x12}, steps: [1, 2, 250], name: "cfg", seen: mapping(uint256 => bool)}',
        "config.seen[4]": "true",
        "many[39]": "1",
    }
    assert {expression: held(worker, layout, expression)[0] for expression in expected} == expected
    assert held(worker, layout, "small")[0] == f"[{', '.join(str(3 * each) for each in range(20))}]"
    assert held(worker, layout, "many")[0].endswith(", 0, ... 8 more]")
    assert held(worker, layout, "long")[1] == 3


REFUSED = (
    ("onwer", "no storage variable 'onwer'; known are owner, "),
    ("LIMIT", "constants and immutables are no storage"),
    ("balances.x", "is of type mapping.* and has no members; name a key, as balances"),
    ("balances[true]", "the key of balances: at position 0: address"),
    ("balances[?]", "a wildcard is no key"),
    ("balances[0x1", "the bracket is never closed"),
    ("owner[1]", "owner is of type address and has no elements"),
    ("config.fee.rat", "has no member 'rat'; known are rate, to"),
    ("config.steps[3]", "has 3 elements, so that its index is 0..2"),
    ("small.size", "name an element, as small\\[0\\], or small.length"),
    ("owner owner", "'.member' or '\\[key\\]' expected; write a variable with keys and members"),
    ("3", "names no variable; write a variable"),
)


def test_what_is_no_variable_is_refused_with_the_form(stored):
    """The names that are most alike come first."""
    for expression, message in REFUSED:
        with pytest.raises(AbiError, match=message):
            place_of(stored[1], expression)


def test_a_mapping_alone_is_no_value(stored):
    """It has no beginning and no end."""
    with pytest.raises(AbiError, match="name a key"):
        held(*stored, "balances")


def test_a_layout_that_is_none_is_left_out():
    """Of old releases, and of whatever a hostile file brings."""
    for given in (None, {}, [], {"storage": 3}, {"storage": [{"label": "x"}]}, {"storage": []}):
        assert packed_layout(given) == b""
    assert read_layout(b"") == StorageLayout()


def hostile(**changes: object) -> dict[str, object]:
    """A layout whose one type contains itself."""
    kind = {"encoding": "inplace", "label": "t[32]", "numberOfBytes": "1", "base": "t"} | changes
    return {"storage": [{"label": "x", "slot": "0", "offset": 0, "type": "t"}], "types": {"t": kind}}


def test_a_layout_that_never_ends_is_read_to_a_bound():
    """As a file of somebody else may hold one; what is no number is no layout."""
    layout = read_layout(packed_layout(hostile()))
    reader = StorageReader(layout, {})
    assert "..." in reader.text(place_of(layout, "x"))
    assert not reader.missing
    for changes in ({"numberOfBytes": "x"}, {"numberOfBytes": "9" * 100}, {"members": [{"label": "y"}]}):
        assert packed_layout(hostile(**changes)) == b""


def test_a_layout_of_a_file_may_name_any_slot():
    """Slots wrap around, as those of members do; no number of a layout ends what reads it."""
    beyond = "9" * 78
    types = {
        "text": {"encoding": "bytes", "label": "string", "numberOfBytes": beyond},
        "self": {"encoding": "dynamic_array", "label": "self[]", "numberOfBytes": "32", "base": "self"},
    }
    variables = [{"label": name, "slot": beyond, "offset": 31, "type": name} for name in types]
    layout = read_layout(packed_layout({"storage": variables, "types": types}))
    for name in types:
        place = place_of(layout, name)
        assert place.slot == int(beyond) % 2**256
        slots: dict[int, int] = {}
        for _ in range(3):
            reader = StorageReader(layout, slots)
            assert reader.text(place)
            slots |= dict.fromkeys(reader.missing, 2**256 - 1)
