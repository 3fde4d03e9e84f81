// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

contract Steps {
    uint256 public n;
    uint256 public m;
    uint256 public paid;
    address public seen;
    uint256 public inner;

    function up() public {
        n++;
        seen = msg.sender;
    }

    function down() public {
        n--;
    }

    function other(uint256 value) public {
        m = value % 7;
    }

    function pay() public payable {
        paid += msg.value;
    }

    function look() public view returns (uint256) {
        return n;
    }

    function fails() public pure {
        revert("text");
    }

    function _hidden() internal {
        inner++;
    }

    function burns() public pure {
        assert(false);
    }
}

abstract contract CampaignTest is RareTest {
    Steps s;

    function setUp() public virtual {
        s = new Steps();
        targetContract(address(s));
    }

    function only(bytes4 one) internal view returns (FuzzSelector memory) {
        bytes4[] memory list = new bytes4[](1);
        list[0] = one;
        return FuzzSelector(address(s), list);
    }

    function pair(bytes4 one, bytes4 two) internal view returns (FuzzSelector memory) {
        bytes4[] memory list = new bytes4[](2);
        list[0] = one;
        list[1] = two;
        return FuzzSelector(address(s), list);
    }
}

contract AfterFails is CampaignTest {
    function invariant_true() public {}

    function afterInvariant() public view {
        assertTrue(s.n() == 0);
    }
}

contract AfterHolds is CampaignTest {
    function invariant_true() public {}

    function afterInvariant() public view {
        assertTrue(s.n() < 100);
    }
}

contract AfterReverts is CampaignTest {
    function invariant_true() public {}

    function afterInvariant() public pure {
        revert("after");
    }
}

contract AfterPanics is CampaignTest {
    function invariant_true() public {}

    function afterInvariant() public view {
        assert(s.n() < 3);
    }
}

contract AfterWithArgument is CampaignTest {
    function invariant_true() public {}

    function afterInvariant(uint256) public pure {
        revert("after");
    }
}

contract AfterPrivate is CampaignTest {
    function invariant_true() public {}

    function afterInvariant() internal pure {
        revert("after");
    }
}

contract AfterWrites is CampaignTest {
    uint256 public ended;

    function invariant_neverEnds() public view {
        assertEq(ended, 0);
    }

    function afterInvariant() public {
        ended++;
    }
}

contract AfterOfTests is CampaignTest {
    function test_one() public {}

    function testFuzz_two(uint256) public {}

    function afterInvariant() public pure {
        revert("after");
    }
}

contract WritesInInvariant is CampaignTest {
    uint256 public asked;

    function invariant_asked() public {
        asked++;
        assertLe(asked, 1);
    }
}

contract WarpsInInvariant is CampaignTest {
    function invariant_time() public {
        assertEq(block.timestamp, 1);
        vm.warp(100);
    }
}

contract DealsInInvariant is CampaignTest {
    function invariant_money() public {
        assertEq(address(0x77).balance, 0);
        vm.deal(address(0x77), 1);
    }
}

contract CallsInInvariant is CampaignTest {
    function invariant_calls() public {
        s.up();
        assertLe(s.n(), 17);
    }
}

contract SkipsInSetUp is RareTest {
    function setUp() public {
        vm.skip(true);
    }

    function test_one() public {}

    function testFuzz_two(uint256) public {}

    function invariant_three() public {}
}

contract SkipsWithReason is RareTest {
    function setUp() public {
        vm.skip(true, "later");
    }

    function test_one() public pure {
        revert("x");
    }
}

contract SkipsFalse is RareTest {
    function setUp() public {
        vm.skip(false);
    }

    function test_one() public {}
}

contract SkipsInInvariant is CampaignTest {
    function invariant_skips() public {
        vm.skip(true);
    }

    function invariant_fails() public view {
        assertEq(s.n(), 0);
    }
}

contract SkipsInHandler is RareTest {
    function setUp() public {
        targetContract(address(this));
    }

    function act() public {
        vm.skip(true);
    }

    function invariant_true() public {}
}

contract SelectorPairs is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(pair(Steps.up.selector, Steps.other.selector));
    }

    function invariant_upCalled() public view {
        assertEq(s.n(), 0);
    }

    function invariant_otherCalled() public view {
        assertEq(s.m(), 0);
    }

    function invariant_noPay() public view {
        assertEq(s.paid(), 0);
    }
}

contract SelectorExcluded is CampaignTest {
    function setUp() public override {
        super.setUp();
        excludeSelector(pair(Steps.up.selector, Steps.down.selector));
    }

    function invariant_upNot() public view {
        assertEq(s.n(), 0);
    }

    function invariant_otherCalled() public view {
        assertEq(s.m(), 0);
    }
}

contract SelectorBoth is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(pair(Steps.up.selector, Steps.other.selector));
        excludeSelector(only(Steps.up.selector));
    }

    function invariant_upNot() public view {
        assertEq(s.n(), 0);
    }

    function invariant_otherCalled() public view {
        assertEq(s.m(), 0);
    }
}

contract SelectorAllExcluded is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.up.selector));
        excludeSelector(only(Steps.up.selector));
    }

    function invariant_upNot() public view {
        assertEq(s.n(), 0);
    }
}

contract SelectorOfUntargeted is RareTest {
    Steps s;
    Steps t;

    function setUp() public {
        s = new Steps();
        t = new Steps();
        targetContract(address(t));
        bytes4[] memory list = new bytes4[](1);
        list[0] = Steps.up.selector;
        targetSelector(FuzzSelector(address(s), list));
    }

    function invariant_first() public view {
        assertEq(s.n(), 0);
    }

    function invariant_firstOther() public view {
        assertEq(s.m(), 0);
    }

    function invariant_second() public view {
        assertEq(t.m(), 0);
    }
}

contract SelectorEmptyList is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(FuzzSelector(address(s), new bytes4[](0)));
    }

    function invariant_any() public view {
        assertEq(s.m(), 0);
    }
}

contract SelectorOfNoCode is CampaignTest {
    function setUp() public override {
        super.setUp();
        bytes4[] memory list = new bytes4[](1);
        list[0] = Steps.up.selector;
        targetSelector(FuzzSelector(address(0x4444), list));
    }

    function invariant_any() public view {
        assertEq(s.m(), 0);
    }
}

contract SelectorOfView is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.look.selector));
    }

    function invariant_any() public view {
        assertEq(s.n(), 0);
    }
}

contract ContractExcluded is RareTest {
    Steps s;
    Steps t;

    function setUp() public {
        s = new Steps();
        t = new Steps();
        excludeContract(address(s));
    }

    function invariant_first() public view {
        assertEq(s.n(), 0);
    }

    function invariant_second() public view {
        assertEq(t.n(), 0);
    }
}

contract ContractTargetedAndExcluded is CampaignTest {
    function setUp() public override {
        super.setUp();
        excludeContract(address(s));
    }

    function invariant_n() public view {
        assertEq(s.n(), 0);
    }
}

contract TargetedWithoutCode is RareTest {
    function setUp() public {
        targetContract(address(0x4444));
    }

    function invariant_n() public {}
}

contract TargetedTwice is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetContract(address(s));
    }

    function invariant_n() public view {
        assertEq(s.n(), 0);
    }
}

interface OnlyUp {
    function up() external;
}

contract InterfaceTarget is RareTest {
    Steps s;

    function setUp() public {
        s = new Steps();
        string[] memory names = new string[](1);
        names[0] = "OnlyUp";
        targetInterface(FuzzInterface(address(s), names));
    }

    function invariant_up() public view {
        assertEq(s.n(), 0);
    }

    function invariant_other() public view {
        assertEq(s.m(), 0);
    }
}

contract InterfaceAndContract is CampaignTest {
    function setUp() public override {
        super.setUp();
        string[] memory names = new string[](1);
        names[0] = "OnlyUp";
        targetInterface(FuzzInterface(address(s), names));
    }

    function invariant_other() public view {
        assertEq(s.m(), 0);
    }
}

contract InterfaceUnknown is CampaignTest {
    function setUp() public override {
        super.setUp();
        string[] memory names = new string[](1);
        names[0] = "NoSuchInterface";
        targetInterface(FuzzInterface(address(s), names));
    }

    function invariant_n() public view {
        assertEq(s.n(), 0);
    }
}

contract SenderExcludedAndTargeted is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSender(address(0xAB));
        excludeSender(address(0xAB));
    }

    function invariant_notIt() public view {
        assertTrue(s.seen() != address(0xAB));
    }
}

contract SenderOne is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSender(address(0xAB));
    }

    function invariant_onlyIt() public view {
        assertTrue(s.seen() == address(0) || s.seen() == address(0xAB));
    }
}

contract PayableTargets is CampaignTest {
    function invariant_unpaid() public view {
        assertEq(s.paid(), 0);
    }
}

contract NotStrictByDefault is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.fails.selector));
    }

    function invariant_n() public {}
}

contract PanicsInHandler is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.burns.selector));
    }

    function invariant_n() public {}
}

contract HandlerUnderflows is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.down.selector));
    }

    function invariant_n() public view {
        assertEq(s.n(), 0);
    }
}

/// forge-config: default.invariant.fail-on-revert = true
contract StrictContract is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.fails.selector));
    }

    function invariant_n() public {}

    /// forge-config: default.invariant.fail-on-revert = false
    function invariant_lenient() public {}
}

/// forge-config: default.invariant.depth = 2
contract DepthOfContract is CampaignTest {
    function setUp() public override {
        super.setUp();
        targetSelector(only(Steps.up.selector));
    }

    function invariant_atMostTwo() public view {
        assertLe(s.n(), 2);
    }

    function invariant_atMostOne() public view {
        assertLe(s.n(), 1);
    }

    /// forge-config: default.invariant.depth = 4
    function invariant_atMostThree() public view {
        assertLe(s.n(), 3);
    }

    /**
     * forge-config: default.invariant.depth = 3
     */
    function invariant_blockComment() public view {
        assertLe(s.n(), 2);
    }
}

contract NoDepth is CampaignTest {
    /// forge-config: default.invariant.depth = 0
    function invariant_neverCalled() public view {
        assertEq(s.n(), 0);
    }

    /// forge-config: default.invariant.depth = 0
    function invariant_false() public pure {
        assertTrue(false);
    }
}

contract NoRuns is CampaignTest {
    /// forge-config: default.invariant.runs = 0
    function invariant_neverCalled() public view {
        assertEq(s.n(), 0);
    }

    /// forge-config: default.invariant.runs = 0
    function invariant_false() public pure {
        assertTrue(false);
    }
}

contract OneRun is CampaignTest {
    /// forge-config: default.invariant.runs = 1
    function invariant_called() public view {
        assertEq(s.n(), 0);
    }
}

contract InlineFuzz is RareTest {
    /// forge-config: default.fuzz.runs = 0
    function testFuzz_noRuns(uint256) public pure {
        revert("x");
    }

    /// forge-config: default.fuzz.runs = 1
    function testFuzz_oneRun(uint256) public pure {
        revert("x");
    }

    /// forge-config: default.fuzz.max-test-rejects = 1
    function testFuzz_fewRejects(uint256 number) public pure {
        vm.assume(number % 3 == 0);
    }

    /// forge-config: default.fuzz.max-test-rejects = 0
    function testFuzz_noRejects(uint256 number) public pure {
        vm.assume(number % 2 == 0);
    }

    /// forge-config: default.fuzz.show-logs = true
    function testFuzz_logs(uint256) public pure {}
}

contract TablesOfFixtures is RareTest {
    uint256[] public fixtureAmount = [1, 2, 3];
    bool[] public fixtureFlag = [true, false, true];
    address[] public fixtureWho = [address(1), address(2)];

    function tableOne(uint256 amount) public pure {
        assertLt(amount, 4);
    }

    function tableOneFails(uint256 amount) public pure {
        assertLt(amount, 3);
    }

    function tableTwo(uint256 amount, bool flag) public pure {
        assertTrue(flag || amount == 2);
    }

    function tableTwoFails(uint256 amount, bool flag) public pure {
        assertTrue(flag || amount == 3);
    }

    function tableUneven(uint256 amount, address who) public pure {
        assertTrue(amount > 0 && who != address(0));
    }

    function tableNoFixture(uint256 nothing) public pure {
        assertTrue(nothing == nothing);
    }

    function tableSkips(uint256 amount) public {
        vm.skip(amount == 2);
    }

    function tableAssumes(uint256 amount) public pure {
        vm.assume(amount == 2);
    }

    function tableReverts(uint256 amount) public {
        vm.expectRevert();
        this.fails(amount);
    }

    function fails(uint256) external pure {
        revert("x");
    }
}

contract TablesOfStructs is RareTest {
    struct Case {
        uint256 a;
        uint256 sum;
    }

    function fixtureCase() public pure returns (Case[] memory) {
        Case[] memory list = new Case[](2);
        list[0] = Case(1, 2);
        list[1] = Case(2, 4);
        return list;
    }

    function tableCases(Case memory case_) public pure {
        assertEq(case_.a * 2, case_.sum);
    }

    function tableOf(Case memory Case_) public pure {
        assertEq(Case_.a, 1);
    }
}

contract FixturesRare is RareTest {
    uint256[] public fixtureMagic = [987654321];

    function fixture_under() public pure returns (uint256[] memory) {
        uint256[] memory list = new uint256[](1);
        list[0] = 123456789123;
        return list;
    }

    function fixtureText() public pure returns (string[] memory) {
        string[] memory list = new string[](1);
        list[0] = "needle";
        return list;
    }

    function testFuzz_magic(uint256 magic) public pure {
        assertTrue(magic != 987654321);
    }

    function testFuzz_under(uint256 under) public pure {
        assertTrue(under != 123456789123);
    }

    function testFuzz_text(string memory text) public pure {
        assertTrue(keccak256(bytes(text)) != keccak256("needle"));
    }
}

contract IntInvariant is CampaignTest {
    function invariant_max() public view returns (int256) {
        return int256(s.n());
    }
}

contract BoolInvariant is CampaignTest {
    function invariant_false() public pure returns (bool) {
        return false;
    }

    function invariant_uint() public pure returns (uint256) {
        return 0;
    }

    function statefulFuzz_called() public view {
        assertEq(s.n(), 0);
    }

    function invariantNoUnderscore() public view {
        assertEq(s.n(), 0);
    }

    function invariants() public pure {
        revert("x");
    }
}

contract TestsAndInvariants is CampaignTest {
    function test_fails() public pure {
        revert("x");
    }

    function test_ok() public {
        s.up();
    }

    function invariant_ok() public {}

    function testFuzz_ok(uint256) public {
        s.up();
    }
}

contract TestFails is RareTest {
    function testFailOne() public pure {
        revert("x");
    }

    function test_other() public {}
}

contract TestFailsFuzz is RareTest {
    function testFail_fuzz(uint256) public pure {
        revert("x");
    }
}

contract TestFailed is RareTest {
    function test_FailOne() public pure {}

    function testfail() public pure {}
}

contract PranksInHandlers is RareTest {
    Steps s;
    bool bad;

    function setUp() public {
        s = new Steps();
        targetContract(address(this));
    }

    function act() public {
        vm.startPrank(address(0xAB));
        s.up();
        vm.stopPrank();
    }

    function actOpen() public {
        vm.startPrank(address(0xCD));
        s.up();
    }

    function invariant_seen() public view {
        assertTrue(s.seen() == address(0) || s.seen() == address(0xAB) || s.seen() == address(0xCD));
    }
}

contract ExpectsInHandlers is RareTest {
    Steps s;
    uint256 acted;

    function setUp() public {
        s = new Steps();
        targetContract(address(this));
    }

    function act() public {
        acted++;
        vm.expectRevert();
        s.up();
    }

    function invariant_ok() public {}

    function invariant_acted() public view {
        assertEq(acted, 0);
    }
}

contract ExpectsLeftOpen is RareTest {
    uint256 acted;

    function setUp() public {
        targetContract(address(this));
    }

    function act() public {
        acted++;
        vm.expectRevert();
    }

    function invariant_ok() public {}
}

contract CallsLeftOpen is RareTest {
    uint256 acted;

    function setUp() public {
        targetContract(address(this));
    }

    function act() public {
        acted++;
        vm.expectCall(address(0x77), bytes(""));
    }

    function invariant_ok() public {}

    function invariant_acted() public view {
        assertEq(acted, 0);
    }
}

contract MocksInHandlers is RareTest {
    Steps s;

    function setUp() public {
        s = new Steps();
        targetContract(address(this));
    }

    function act() public {
        vm.mockCall(address(s), abi.encodeWithSignature("n()"), abi.encode(uint256(5)));
    }

    function invariant_zero() public view {
        assertEq(s.n(), 0);
    }
}

contract WarpsInHandlers is RareTest {
    function setUp() public {
        targetContract(address(this));
    }

    function act() public {
        vm.warp(block.timestamp + 10);
        vm.roll(block.number + 1);
    }

    function invariant_time() public view {
        assertLe(block.timestamp, 100);
    }

    function invariant_number() public view {
        assertLe(block.number, 100);
    }
}

contract SnapshotsInHandlers is RareTest {
    uint256 id;
    uint256 count;

    function setUp() public {
        id = vm.snapshotState();
        targetContract(address(this));
    }

    function act() public {
        count++;
    }

    function back() public {
        vm.revertToState(id);
    }

    function invariant_small() public view {
        assertLe(count, 3);
    }
}

contract ConstructorTargets is RareTest {
    Steps s = new Steps();

    constructor() {
        targetContract(address(s));
    }

    function invariant_n() public view {
        assertEq(s.n(), 0);
    }
}

contract EtchedTarget is RareTest {
    function setUp() public {
        vm.etch(address(0x4444), type(Steps).runtimeCode);
        targetContract(address(0x4444));
    }

    function invariant_n() public view {
        assertEq(Steps(address(0x4444)).n(), 0);
    }
}

contract DestroyedTarget is RareTest {
    Destroys d;

    function setUp() public {
        d = new Destroys();
        targetContract(address(d));
    }

    function invariant_alive() public view {
        assertGt(address(d).code.length, 0);
    }
}

contract Destroys {
    uint256 public n;

    function end() public {
        selfdestruct(payable(address(1)));
    }

    function up() public {
        n++;
    }
}
