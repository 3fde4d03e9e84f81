"""Places at which a test fails: each is told once, with a sequence that fails there."""

from __future__ import annotations

import pytest

from simulator.fuzz.sites.failure_sites import MAX_SITES
from simulator.transaction import Transaction
from simulator.worker.commands import Replay, Shrink
from simulator.worker.reports import Falsified, Shrunk, Warn
from simulator.worker.session import Session
from simulator.worker.setup import Worker

pytestmark = pytest.mark.integration

HARNESS = """
contract Inner {
    function put(uint256 x) external pure { assert(x != 1); assert(x != 2); }
}
contract Asserts {
    event Log(string);
    event Compared(string);
    event AssertionFailed(string);
    function t(bool b, string memory reason) internal { if (!b) { emit Log(reason); assert(false); } }
    function soft(bool b, string memory reason) internal { if (!b) { emit AssertionFailed(reason); } }
    function digits(uint256 v) internal pure returns (string memory) {
        if (v < 10) return string(bytes.concat(bytes1(uint8(48 + v))));
        return string(bytes.concat(bytes(digits(v / 10)), bytes1(uint8(48 + v % 10))));
    }
    function same(uint256 a, string memory reason) internal {
        if (a != 5) { emit Compared(string.concat("Invalid: ", digits(a), "!=5, reason: ", reason)); assert(false); }
    }
}
contract Harness is Asserts {
    Inner inner = new Inner();
    bool armed;
    function arm() public { armed = true; }
    function three(uint256 x) public {
        assert(x != 1);
        if (x == 2) assert(false);
        if (armed) { assert(x != 3); }
    }
    function named(uint256 x) public { t(x != 1, "INV-01"); t(x != 2, "INV-02"); }
    function events(uint256 x) public {
        soft(x == 0, "P1");
        soft(x != 2, "P2");
        if (x == 3) emit AssertionFailed("P1");
    }
    function values(uint256 x) public { same(x, "first"); same(x + 1, "second"); }
    function nested(uint256 x) public { inner.put(x); }
    function caught(uint256 x, uint256 y) public {
        try inner.put(x) {} catch { assert(y != 1); assert(y != 2); }
    }
    function numbered(uint256 x) public { t(false, string.concat("P", digits(x))); }
    function many(uint256 x) public {
        if (x < 100) emit AssertionFailed(string(bytes.concat(bytes1(uint8(65 + x % 50)))));
    }
}
"""


class Ear:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.frames: list[object] = []

    def send(self, frame: object) -> None:
        self.frames.append(frame)

    def is_interrupted(self) -> bool:
        return False

    def has_steering(self) -> bool:
        return False

    def take_steering(self) -> list[object]:
        return []

    def end_work(self) -> None:
        pass


class Bench:
    """A session on a harness, and what it says of the sequences that it is given."""

    def __init__(self, worker: Worker, ear: Ear) -> None:
        self.worker = worker
        self.ear = ear
        self.session = Session(worker, ear)  # type: ignore[arg-type]
        self.session.ready()

    def call(self, name: str, *values: object) -> Transaction:
        target = next(t for t in self.worker.functions if t.function.name == name)
        return Transaction(
            self.worker.settings.senders[0], self.worker.settings.contract_address, target.function.encode_call(values)
        )

    def oracle(self, name: str) -> int:
        return next(o.id for o in self.worker.oracles if o.name.partition("(")[0] == name)

    def failures(self, name: str, *sequences: tuple[Transaction, ...]) -> list[Falsified]:
        """What is told of a test when these sequences are executed."""
        self.ear.frames.clear()
        self.session.replay(Replay(sequences))
        wanted = self.oracle(name)
        return [frame for frame in self.ear.frames if isinstance(frame, Falsified) and frame.test == wanted]

    def sites(self, name: str, *arguments: int) -> list[str]:
        """Places told of a function that is called with each of these arguments."""
        return [each.site for each in self.failures(name, *((self.call(name, value),) for value in arguments))]

    def warnings(self) -> list[str]:
        return [frame.message for frame in self.ear.frames if isinstance(frame, Warn)]


@pytest.fixture
def bench(make_worker) -> Bench:
    ear = Ear()
    worker = make_worker(HARNESS, "Harness", warn=lambda text: ear.send(Warn(text)), test_mode="assertion")
    return Bench(worker, ear)


def line_of(text: str) -> int:
    """Line of a text in the harness, behind the two lines that the fixture writes."""
    return HARNESS[: HARNESS.index(text)].count("\n") + 3


def lines(sites: list[str]) -> list[int]:
    return [int(site.split(":")[1]) for site in sites]


def test_each_assert_is_a_site(bench: Bench) -> None:
    """Three asserts of a function are three findings, each told once, at its line."""
    arm = bench.call("arm")
    told = bench.failures("three", *((arm, bench.call("three", value)) for value in (1, 1, 2, 3, 2, 4)))
    assert lines([each.site for each in told]) == [
        line_of("assert(x != 1);\n"),
        line_of("if (x == 2)"),
        line_of("if (armed)"),
    ]
    assert bench.worker.engine.oracles.is_open(bench.oracle("three"))


@pytest.mark.parametrize(
    "arguments", [(), ("--optimize",), ("--via-ir", "--optimize")], ids=["plain", "optimized", "via IR"]
)
def test_the_compiler_does_not_matter(make_worker, arguments: tuple[str, ...]) -> None:
    """Optimizers join the code behind failed asserts."""
    ear = Ear()
    bench = Bench(make_worker(HARNESS, "Harness", solc_args=arguments, test_mode="assertion"), ear)
    arm = bench.call("arm")
    told = bench.failures("three", *((arm, bench.call("three", value)) for value in (1, 2, 3)))
    assert len({each.site for each in told}) == 3
    assert len(bench.sites("nested", 1, 2)) == 2
    assert len(bench.sites("named", 1, 2)) == 2


def test_messages_tell_asserts_of_a_helper_apart(bench: Bench) -> None:
    """As in harnesses whose helpers log why they fail; a number in a name belongs to it."""
    assert [site.partition(" ")[2] for site in bench.sites("named", 1, 2, 1)] == ['"INV-01"', '"INV-02"']


def test_values_in_messages_do_not_count(bench: Bench) -> None:
    """Otherwise each value would be a finding."""
    told = [site.partition(" ")[2] for site in bench.sites("values", 7, 8, 123, 5, 1 << 200)]
    assert told == ['"Invalid: #!=#, reason: first"', '"Invalid: #!=#, reason: second"']


def test_all_events_of_a_call_are_told(bench: Bench) -> None:
    """The first event of every call does not hide the others."""
    told = bench.sites("events", 2, 3)
    assert [site.partition(" ")[2] for site in told] == ['"P1"', '"P2"', '"P1"']
    assert len(set(told)) == 3


def test_the_global_test_tells_of_events_once(bench: Bench) -> None:
    """Where a function has its own test, the rest are that one's findings."""
    sequences = [(bench.call("events", value),) for value in (1, 2, 3)]
    assert len(bench.failures("AssertionFailed", *sequences)) == 1


def test_a_failure_that_is_passed_on_keeps_its_place(bench: Bench) -> None:
    """The assert that failed, not the call of its contract."""
    inner = line_of("function put")
    assert lines(bench.sites("nested", 1, 2)) == [inner, inner]


def test_a_failure_after_a_caught_one_has_its_own_place(bench: Bench) -> None:
    """Both are Panic(1), and only one of them was passed on."""
    sequences = [(bench.call("caught", *values),) for values in ((1, 1), (1, 2), (2, 1), (2, 2))]
    told = [each.site for each in bench.failures("caught", *sequences)]
    assert len(told) == len(set(told)) == 2
    assert set(lines(told)) == {line_of("try inner.put")}


def test_a_site_that_is_settled_elsewhere_is_not_told(make_worker) -> None:
    """Another worker found it first; its neighbours are still told."""
    first, second = (Bench(make_worker(HARNESS, "Harness", test_mode="assertion"), Ear()) for _ in range(2))
    places = first.sites("three", 1, 2)
    second.session.close_test(second.oracle("three"), places[0])
    assert second.sites("three", 1, 2) == places[1:]


def test_shrinking_stays_at_its_site(bench: Bench) -> None:
    """Simpler calls fail elsewhere; the sequence is shrunk to one that fails at the same place."""
    sequence = (bench.call("arm"), bench.call("arm"), bench.call("three", 9), bench.call("three", 3))
    (told,) = bench.failures("three", sequence)
    bench.ear.frames.clear()
    bench.session.shrink(Shrink(77, told.sequence, 5_000, site=told.site, oracle=bench.oracle("three")))
    (shrunk,) = [frame for frame in bench.ear.frames if isinstance(frame, Shrunk)]
    assert (shrunk.test, shrunk.sequence) == (77, (bench.call("arm"), bench.call("three", 3)))
    assert bench.sites("three", 3) == []
    assert shrunk.calls[-1].success is False


def test_what_shrinking_finds_elsewhere_is_told(bench: Bench) -> None:
    """An attempt that fails at a place nobody knew is a finding like any other."""
    (told,) = bench.failures("three", (bench.call("arm"), bench.call("three", 3)))
    bench.ear.frames.clear()
    bench.session.shrink(Shrink(0, told.sequence, 5_000, site=told.site, oracle=bench.oracle("three")))
    others = [frame.site for frame in bench.ear.frames if isinstance(frame, Falsified)]
    assert others
    assert set(lines(others)) <= {line_of("assert(x != 1);\n"), line_of("if (x == 2)")}


def test_messages_that_differ_in_numbers_alone_are_one_site_in_the_end(bench: Bench) -> None:
    """Numbers of a few are names, those of many are values."""
    told = [site.partition(" ")[2] for site in bench.sites("numbered", *range(10, 60))]
    assert told == [*(f'"P{number}"' for number in range(10, 18)), '"P#"']


def test_a_test_has_so_many_sites_and_that_is_said(bench: Bench) -> None:
    """It is closed then; a test that fails everywhere would never end otherwise."""
    assert len(bench.sites("many", *range(50))) == MAX_SITES
    assert any(f"many(uint256) fails at {MAX_SITES} places" in text for text in bench.warnings())
    assert not bench.worker.engine.oracles.is_open(bench.oracle("many"))


PROPERTY = """
contract Target {
    uint256 mode;
    function set(uint256 to) public { mode = to; }
    function echidna_whole() public view returns (bool) {
        require(mode != 1, "one");
        require(mode != 2, "two");
        return mode != 3;
    }
}
"""


def test_a_property_has_a_site_for_each_revert_and_is_closed_by_false(make_worker) -> None:
    """What returns false has failed as a whole."""
    ear = Ear()
    bench = Bench(make_worker(PROPERTY), ear)
    sequences = [(bench.call("set", value),) for value in (1, 1, 2, 3)]
    told = [each.site for each in bench.failures("echidna_whole", *sequences)]
    assert [site.partition(" ")[2] for site in told] == ['"one"', '"two"', ""]
    assert told[-1] == ""
    assert not bench.worker.engine.oracles.is_open(bench.oracle("echidna_whole"))


FOUNDRY_TEST = """
contract Fuzzed {
    address private constant CHEATS = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D;
    function test_two(uint256 x) public pure { require(x != 1, "one"); assert(x != 2); }
    function test_stored(uint256 x) public {
        bytes memory store = abi.encodeWithSignature("store(address,bytes32,bytes32)", CHEATS, bytes32("failed"), 1);
        if (x == 3) CHEATS.call(store);
        require(x != 4, "four");
    }
}
"""


def test_a_foundry_test_has_a_site_for_each_revert_and_is_closed_by_a_stored_failure(make_worker) -> None:
    """Forge ends a test at its first failure; here the others are found as well."""
    bench = Bench(make_worker(FOUNDRY_TEST, test_mode="foundry"), Ear())
    assert len(bench.sites("test_two", 1, 2, 1, 2)) == 2
    told = bench.sites("test_stored", 4, 3)
    assert [site.partition(" ")[2] for site in told] == ['"four"', ""]
    assert not bench.worker.engine.oracles.is_open(bench.oracle("test_stored"))
