"""Invariants: failures in handlers, what handlers leave behind, and how an invariant itself fails."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.failures import FAILURES, PLACES
from tests.differential.families.writing import TestContract, capital, contract, function, set_up

SAMPLE = 14
STRICT = "forge-config: default.invariant.fail-on-revert = true"
LENIENT = "forge-config: default.invariant.fail-on-revert = false"

HANDLER_FIELDS = "uint256 public calls;\nFailures failures = new Failures();\nRelay relay = new Relay();\nCounter counter = new Counter();\n"


def invariant(name: str, body: str, comment: str = "", modifiers: str = "public") -> str:
    return function(f"invariant_{name}", body, comment=comment, modifiers=modifiers)


def handled(name: str, handler: str, invariants: str, *, base: str = "Test", more: str = "") -> TestContract:
    """A test of one handler, which inherits what `Failures` can do without having it called."""
    text = contract(f"{name}Handler", HANDLER_FIELDS, handler, base="Base").text
    test = contract(
        name,
        f"{name}Handler handler;",
        set_up(f"handler = new {name}Handler();\ntargetContract(address(handler));"),
        more,
        invariants,
        base=base,
    )
    return TestContract(name, text + "\n" + test.text)


BOTH = "\n".join(
    (
        invariant("holds", "assertTrue(true);", LENIENT),
        invariant("holdsStrictly", "assertTrue(true);", STRICT),
    )
)


def sampled(random: Random) -> Iterator[TestContract]:
    """Every failure in some place in a handler that counts first."""
    places = [place for place in PLACES if place not in ("inside", "ofThis")]
    pairs = [(failure, "ofAnother") for failure in FAILURES]
    pairs += [(random.choice(list(FAILURES)), random.choice(places)) for _ in range(SAMPLE)]
    for failure, place in dict.fromkeys(pairs):
        body = f"calls++;\n{PLACES[place].format(failure=failure)}"
        invariants = BOTH + invariant("neverCalled", "assertEq(handler.calls(), 0);", LENIENT)
        yield handled(f"On{capital(failure)}{capital(place)}", function("act", body), invariants)


# Name, handler function's body, invariants.
STORIES: dict[str, tuple[str, dict[str, str]]] = {
    "Counts": (
        "calls++;",
        {"reachesThree": "assertTrue(handler.calls() < 3);", "never": "assertTrue(handler.calls() < 100000);"},
    ),
    "Prank": (
        "calls++;\nvm.prank(address(7));\ncounter.set(calls);",
        {"byPranked": "assertTrue(counterOf().lastSender() != address(7));", "never": "assertTrue(true);"},
    ),
    "PrankLeftOpen": (
        "if (calls > 0) vm.assertEq(counter.who(), address(7));\ncalls++;\nvm.startPrank(address(7));",
        {"never": "assertTrue(true);"},
    ),
    "PrankLeftOpenSeen": (
        "if (counter.who() == address(7)) calls++;\nvm.startPrank(address(7));",
        {"neverSeen": "assertEq(handler.calls(), 0);"},
    ),
    "PrankOnceLeftOpen": (
        "if (counter.who() == address(7)) calls++;\nvm.prank(address(7));",
        {"neverSeen": "assertEq(handler.calls(), 0);"},
    ),
    "PrankNeverUsed": ("calls++;\nvm.startPrank(address(7));", {"never": "assertTrue(true);"}),
    "PrankOnceNeverUsed": ("calls++;\nvm.prank(address(7));", {"reachesThree": "assertTrue(handler.calls() < 3);"}),
    "PrankAndRevert": (
        "if (counter.who() == address(7)) calls++;\nif (calls == 0) {\n    vm.startPrank(address(7));\n    revert();\n}",
        {"neverSeen": "assertEq(handler.calls(), 0);"},
    ),
    "DealAndSwallow": (
        "relay.swallow(address(this), abi.encodeCall(this.dealsAndFails, ()));",
        {"poor": "assertEq(address(0xA11CE).balance, 0);"},
    ),
    "Warp": (
        "if (block.timestamp > 1) calls++;\nvm.warp(block.timestamp + 5);",
        {"timeStays": "assertEq(handler.calls(), 0);", "timeSeen": "assertEq(block.timestamp, 1);"},
    ),
    "WarpAndRevert": (
        "vm.warp(block.timestamp + 5);\nrevert();",
        {"timeStays": "assertEq(vm.getBlockTimestamp(), 1);"},
    ),
    "DealAndRevert": (
        "vm.deal(address(0xA11CE), 5);\nrevert();",
        {"poor": "assertEq(address(0xA11CE).balance, 0);"},
    ),
    "StoreAndRevert": (
        "vm.store(address(counter), bytes32(0), bytes32(uint256(5)));\nrevert();",
        {"unset": "assertEq(counterOf().number(), 0);"},
    ),
    "CountAndRevert": ("calls++;\nrevert();", {"unset": "assertEq(handler.calls(), 0);"}),
    "TimePasses": (
        "if (block.timestamp > 1 || block.number > 1) calls++;",
        {"stands": "assertEq(handler.calls(), 0);"},
    ),
    "AssumeSome": (
        "vm.assume(block.number == 1);\ncalls++;",
        {"reachesThree": "assertTrue(handler.calls() < 3);", "never": "assertTrue(true);"},
    ),
    "ExpectLeftOpen": ("calls++;\nvm.expectRevert();", {"never": "assertTrue(true);"}),
    "ExpectCallLeftOpen": (
        "calls++;\nvm.expectCall(address(counter), abi.encodeCall(Counter.silent, ()));",
        {"never": "assertTrue(true);"},
    ),
    "ExpectEmitLeftOpen": ("calls++;\nvm.expectEmit();", {"never": "assertTrue(true);"}),
    "ExpectKept": ("calls++;\nvm.expectRevert();\ncounter.fails();", {"never": "assertTrue(true);"}),
    "Mocks": (
        "vm.mockCall(address(counter), abi.encodeWithSignature('number()'), abi.encode(7));",
        {"isNotSeven": "assertTrue(counterOf().number() != 7);"},
    ),
    "Skips": ("calls++;\nvm.skip(true);", {"never": "assertTrue(true);"}),
    "Snapshots": ("calls++;\nvm.snapshotState();", {"reachesThree": "assertTrue(handler.calls() < 3);"}),
    "DestroysItself": ("selfdestruct(payable(address(1)));", {"never": "assertTrue(true);"}),
    "NotesAndReverts": (
        "vm.store(address(vm), bytes32('failed'), bytes32(uint256(1)));\nrevert();",
        {"never": "assertTrue(true);"},
    ),
    "Swallows": (
        "calls++;\nrelay.swallow(address(failures), abi.encodeWithSignature('vmAssertEq()'));",
        {"never": "assertTrue(true);"},
    ),
    "SwallowsAssert": (
        "calls++;\nrelay.swallow(address(failures), abi.encodeWithSignature('assertFails()'));",
        {"never": "assertTrue(true);"},
    ),
    "SenderIsRandom": ("if (msg.sender == tx.origin) calls++;", {"isOrigin": "assertEq(handler.calls(), 0);"}),
}
COUNTER_OF = function("counterOf", "return handler.counterOf();", modifiers="internal view returns (Counter)")
DEALS_AND_FAILS = function(
    "dealsAndFails", "require(msg.sender == address(relay));\nvm.deal(address(0xA11CE), 5);\nrevert();"
)
HANDLER_COUNTER_OF = function("counterOf", "return counter;", modifiers="public view returns (Counter)")


def stories() -> Iterator[TestContract]:
    for name, (body, claims) in STORIES.items():
        invariants = "\n".join(invariant(claim, text, LENIENT) for claim, text in claims.items())
        invariants += "\n" + "\n".join(invariant(f"{claim}Strictly", text, STRICT) for claim, text in claims.items())
        handler = function("act", body) + HANDLER_COUNTER_OF + (DEALS_AND_FAILS if "dealsAndFails" in body else "")
        yield handled(f"Story{name}", handler, invariants, more=COUNTER_OF)


OWN: dict[str, str] = {
    "holds": invariant("x", "assertTrue(true);"),
    "reverts": invariant("x", "revert();"),
    "revertsText": invariant("x", "revert('text');"),
    "asserts": invariant("x", "assert(false);"),
    "vmAsserts": invariant("x", "vm.assertTrue(false);"),
    "vmAssertsText": invariant("x", "vm.assertTrue(false, 'text');"),
    "notes": invariant("x", "fail();"),
    "assumes": invariant("x", "vm.assume(false);"),
    "skips": invariant("x", "vm.skip(true);"),
    "returnsTrue": invariant("x", "return true;", modifiers="public returns (bool)"),
    "returnsFalse": invariant("x", "return false;", modifiers="public returns (bool)"),
    "returnsNumber": invariant("x", "return 0;", modifiers="public returns (uint256)"),
    "returnsSigned": invariant("x", "return int256(handler.calls());", modifiers="public returns (int256)"),
    "returnsSignedReverts": invariant(
        "x", "require(handler.calls() < 2);\nreturn 1;", modifiers="public returns (int256)"
    ),
    "hasArgument": function("invariant_x", "assertTrue(x == 0);", parameters="uint256 x"),
    "isView": invariant("x", "require(handler.calls() < 3);", modifiers="public view"),
    "statefulFuzz": function("statefulFuzz_x", "assertTrue(handler.calls() < 3);"),
    "invariantWithoutLine": function("invariantX", "assertTrue(handler.calls() < 3);"),
    "invariantName": function("invariant", "assertTrue(handler.calls() < 3);"),
    "changesState": "uint256 seen;\n" + invariant("x", "seen++;\nassertTrue(seen < 3);"),
    "changesHandler": invariant("x", "handler.act();\nassertTrue(handler.calls() < 3);"),
    "expectsRevert": invariant("x", "vm.expectRevert();\nhandler.fails();"),
    "expectLeftOpen": invariant("x", "vm.expectRevert();"),
    "prankLeftOpen": invariant("x", "vm.startPrank(address(7));"),
    "afterHolds": function("afterInvariant", "assertTrue(true);") + invariant("x", "assertTrue(true);"),
    "afterFails": function("afterInvariant", "assertTrue(handler.calls() < 3);") + invariant("x", "assertTrue(true);"),
    "afterReverts": function("afterInvariant", "revert();") + invariant("x", "assertTrue(true);"),
    "afterNotes": function("afterInvariant", "fail();") + invariant("x", "assertTrue(true);"),
    "afterSeesCalls": function("afterInvariant", "assertTrue(handler.calls() > 0);") + invariant("x", ""),
    "afterWithArgument": function("afterInvariant", "revert();", parameters="uint256 x") + invariant("x", ""),
    "besideTest": invariant("x", "assertTrue(handler.calls() < 3);")
    + function("test_y", "assertEq(handler.calls(), 0);"),
    "besideFuzz": invariant("x", "assertTrue(true);")
    + function("testFuzz_y", "handler.act();\nassertEq(handler.calls(), 1);\nx;", parameters="uint256 x"),
}


SOUGHT = function("afterinvariant", "") + invariant("x", "")
OWN |= {
    "skipsLate": invariant("x", "if (handler.calls() > 2) vm.skip(true);"),
    "skipsAtStart": invariant("x", "vm.skip(handler.calls() == 0);\nrequire(handler.calls() < 3);"),
    "assumesLate": invariant("x", "vm.assume(handler.calls() < 3);"),
    "assumesAtStart": invariant("x", "vm.assume(handler.calls() > 0);"),
    "skipsBesideOther": invariant("x", "vm.skip(true);") + invariant("y", "require(handler.calls() < 3);"),
    "signedBesideFailure": invariant("x", "return 1;", modifiers="public returns (int256)")
    + invariant("y", "require(handler.calls() < 3);"),
    "signedAfterFails": function("afterInvariant", "revert();")
    + invariant("x", "return 1;", modifiers="public returns (int256)"),
    "afterLowerCase": SOUGHT,
    "afterTwice": function("afterInvariant", "")
    + function("afterInvariant", "x;", parameters="uint256 x")
    + invariant("x", ""),
    "afterSkips": function("afterInvariant", "vm.skip(true);") + invariant("x", ""),
    "afterAssumes": function("afterInvariant", "vm.assume(false);") + invariant("x", ""),
    "afterWithFallback": function("afterInvariant", "revert();", parameters="uint256 x")
    + "fallback() external {}\n"
    + invariant("x", ""),
    "shallow": "/// forge-config: default.invariant.depth = 3\n"
    + invariant("x", "require(handler.calls() < 4);")
    + invariant("y", "require(handler.calls() < 4);"),
    "deep": "/// forge-config: default.invariant.depth = 30\n"
    + invariant("x", "require(handler.calls() < 20);")
    + invariant("y", "require(handler.calls() < 20);"),
    "depthInPlainComment": "// forge-config: default.invariant.depth = 3\n"
    + invariant("x", "require(handler.calls() < 4);"),
}
HANDLER_KINDS = {
    "Asserts": "calls++;\nassert(calls < 3);",
    "Reverts": "calls++;\nrequire(calls < 3);",
}


def signed() -> Iterator[TestContract]:
    """Invariants that return int256 beside plain ones, with handlers that fail."""
    for name, body in HANDLER_KINDS.items():
        claims = "".join(
            invariant(f"{kind}{rule}", text, comment, modifiers=modifiers)
            for rule, comment in {"": LENIENT, "Strictly": STRICT}.items()
            for kind, (text, modifiers) in {
                "signed": ("return 1;", "public returns (int256)"),
                "plain": ("", "public"),
            }.items()
        )
        yield handled(f"Signed{name}", function("act", body), claims)


def own() -> Iterator[TestContract]:
    handler = function("act", "calls++;") + function("fails", "revert();", modifiers="public pure")
    for name, text in OWN.items():
        yield handled(f"Own{capital(name)}", handler, text)
    for name in ("holds", "notes"):
        yield handled(f"OldOwn{capital(name)}", handler, OWN[name], base="OldTest")
    noting = contract(
        "OldNotes", function("act", "calls++;\nif (calls > 2) assertTrue(false);"), "uint256 calls;\n", base="OldTest"
    )
    test = contract(
        "OldNotesInHandler",
        "OldNotes handler;",
        set_up("handler = new OldNotes();\ntargetContract(address(handler));"),
        BOTH,
        base="OldTest",
    )
    yield TestContract("OldNotesInHandler", noting.text + "\n" + test.text)


def contracts(random: Random) -> Iterator[TestContract]:
    yield from sampled(random)
    yield from stories()
    yield from own()
    yield from signed()
