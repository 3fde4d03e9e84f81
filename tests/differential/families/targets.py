"""Which contracts, functions and senders an invariant's sequences are made of."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.writing import TestContract, capital, contract, function, set_up

FIELDS = "Left left;\nRight right;\n"
CREATE = "left = new Left();\nright = new Right();\n"
CLAIMS = "\n".join(
    function(f"invariant_{name}", f"assertEq({claim}, 0);")
    for name, claim in {
        "leftA": "left.a()",
        "leftB": "left.b()",
        "right": "right.a()",
    }.items()
)
# Without a word about senders, who calls is chance.
SENDER_CLAIMS = "\n".join(
    function(f"invariant_{name}", f"assertEq(left.{name}(), 0);") for name in ("byAlice", "byOther", "byTest")
)
OWN = function("own", "own_ = 1;") + "uint256 own_;\n" + function("invariant_own", "assertEq(own_, 0);")

CHOICES: dict[str, str] = {
    "nothing": "",
    "targetLeft": "targetContract(address(left));",
    "targetBoth": "targetContract(address(left));\ntargetContract(address(right));",
    "targetThis": "targetContract(address(this));",
    "targetNobody": "targetContract(address(0xdead));",
    "targetVm": "targetContract(address(vm));\ntargetContract(address(left));",
    "excludeLeft": "excludeContract(address(left));",
    "excludeBoth": "excludeContract(address(left));\nexcludeContract(address(right));",
    "targetAndExclude": "targetContract(address(left));\nexcludeContract(address(left));",
    "selectorOfLeft": "targetSelector(selectorsOf(address(left), Left.doA.selector));",
    "selectorOfLeftAndTarget": "targetSelector(selectorsOf(address(left), Left.doA.selector));\ntargetContract(address(left));",
    "selectorOfLeftTargetRight": "targetSelector(selectorsOf(address(left), Left.doA.selector));\ntargetContract(address(right));",
    "selectorOfBoth": (
        "targetSelector(selectorsOf(address(left), Left.doA.selector));\n"
        "targetSelector(selectorsOf(address(right), Right.doA.selector));"
    ),
    "selectorUnknown": "targetSelector(selectorsOf(address(left), bytes4(0x12345678)));",
    "selectorKnownAndUnknown": (
        "targetSelector(selectorsOf(address(left), Left.doA.selector));\n"
        "targetSelector(selectorsOf(address(right), bytes4(0x12345678)));"
    ),
    "selectorOfNobody": "targetSelector(selectorsOf(address(0xdead), bytes4(0x12345678)));",
    "excludeSelectorUnknown": "excludeSelector(selectorsOf(address(left), bytes4(0x12345678)));",
    "excludeSelectorOfNobody": "excludeSelector(selectorsOf(address(0xdead), bytes4(0x12345678)));",
    "excludeArtifactUnknown": 'excludeArtifact("Nobody");',
    "artifactSelectorUnknown": (
        "bytes4[] memory selectors = new bytes4[](1);\nselectors[0] = bytes4(0x12345678);\n"
        'targetArtifactSelector(FuzzArtifactSelector("Left", selectors));'
    ),
    "artifactSelectorOfNobody": (
        "bytes4[] memory selectors = new bytes4[](1);\nselectors[0] = Left.doA.selector;\n"
        'targetArtifactSelector(FuzzArtifactSelector("Nobody", selectors));'
    ),
    "interfaceUnknown": (
        'string[] memory names = new string[](1);\nnames[0] = "Nobody";\n'
        "targetInterface(FuzzInterface(address(left), names));"
    ),
    "selectorOfThis": "targetSelector(selectorsOf(address(this), this.own.selector));",
    "selectorOfViewOnly": "targetSelector(selectorsOf(address(left), Left.look.selector));",
    "selectorNone": "targetSelector(FuzzSelector(address(left), new bytes4[](0)));",
    "excludeSelector": "excludeSelector(selectorsOf(address(left), Left.doA.selector));",
    "excludeSelectorAndTarget": "excludeSelector(selectorsOf(address(left), Left.doA.selector));\ntargetContract(address(left));",
    "excludeTargetedSelector": (
        "targetSelector(selectorsOf(address(left), Left.doA.selector));\n"
        "excludeSelector(selectorsOf(address(left), Left.doA.selector));"
    ),
    "senderAlice": "targetContract(address(left));\ntargetSender(address(0xA11CE));",
    "senderExcluded": "targetContract(address(left));\nexcludeSender(address(0xA11CE));",
    "senderBothWays": "targetContract(address(left));\ntargetSender(address(0xA11CE));\nexcludeSender(address(0xA11CE));",
    "senderThis": "targetContract(address(left));\ntargetSender(address(this));",
    "artifactLeft": 'targetArtifact("Left");',
    "artifactLeftByPath": 'targetArtifact("src/Helpers.sol:Left");',
    "artifactUnknown": 'targetArtifact("Nobody");',
    "artifactSelector": (
        "bytes4[] memory selectors = new bytes4[](1);\nselectors[0] = Left.doA.selector;\n"
        'targetArtifactSelector(FuzzArtifactSelector("Left", selectors));'
    ),
    "excludeArtifact": 'excludeArtifact("Left");',
    "interfaceOfLeft": (
        'string[] memory names = new string[](1);\nnames[0] = "DoesA";\n'
        "targetInterface(FuzzInterface(address(left), names));"
    ),
}

DEEPER = """
contract Child {
    uint256 public a;
    function doA() public { a = 1; }
    function next() public view returns (uint256) { return a + 7; }
}

contract Factory {
    Child public child = new Child();
    Child public later;
    uint256 public made;
    function make() public { later = new Child(); made = 1; }
}
"""


def special() -> Iterator[TestContract]:
    made = contract(
        "TargetMadeInside",
        "Factory factory;",
        set_up("factory = new Factory();"),
        function("invariant_child", "assertEq(factory.child().a(), 0);"),
        function("invariant_made", "assertEq(factory.made(), 0);"),
        function("invariant_later", "if (address(factory.later()) != address(0)) assertEq(factory.later().a(), 0);"),
    )
    yield TestContract("TargetMadeInside", DEEPER + "\n" + made.text)
    for name, choice in {
        "Targeted": "targetContract(address(factory));",
        "Excluded": "excludeContract(address(factory.child()));",
        "Artifact": 'targetArtifact("Factory");',
        "OtherExcluded": 'excludeArtifact("Child");',
    }.items():
        yield contract(
            f"TargetMadeInside{name}",
            "Factory factory;",
            set_up("factory = new Factory();\n" + choice),
            function("invariant_child", "assertEq(factory.child().a(), 0);"),
            function(
                "invariant_later", "if (address(factory.later()) != address(0)) assertEq(factory.later().a(), 0);"
            ),
        )
    yield contract("TargetNone", function("invariant_x", "assertTrue(true);"), function("act", ""))
    yield contract("TargetNoneFails", function("invariant_x", "assertTrue(false);"), function("act", ""))
    yield contract(
        "TargetsListedByHand",
        FIELDS,
        set_up(CREATE),
        CLAIMS,
        "function targetContracts() public view returns (address[] memory found) {\n"
        "    found = new address[](1);\n    found[0] = address(right);\n}\n",
        base="RevertingAssertions",
    )
    yield contract("TargetWithoutBase", FIELDS, set_up(CREATE), CLAIMS, base="RevertingAssertions")
    yield contract(
        "TargetEtched",
        FIELDS,
        set_up(CREATE + "vm.etch(address(0xE7C4), address(left).code);\ntargetContract(address(0xE7C4));"),
        function("invariant_etched", "assertEq(Left(address(0xE7C4)).a(), 0);"),
    )
    yield contract(
        "TargetPayable",
        "PaidHandler handler;",
        set_up("handler = new PaidHandler();\ntargetContract(address(handler));"),
        function("invariant_called", "assertEq(handler.called(), 0);"),
        function("invariant_paid", "assertEq(handler.paid(), 0);"),
        function("invariant_received", "assertEq(address(handler).balance, 0);"),
    )


def contracts(_random: Random) -> Iterator[TestContract]:
    for name, choice in CHOICES.items():
        claims = CLAIMS + SENDER_CLAIMS if name.startswith("sender") else CLAIMS
        yield contract(f"Choose{capital(name)}", FIELDS, set_up(CREATE + choice), claims, OWN)
    yield from special()
