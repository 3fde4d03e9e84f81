// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/More.sol";
import "../src/Things.sol";

contract LibLinked is FullTest {
    function test_direct() public pure {
        assertEq(Ext.twice(3), 6);
    }

    function test_nested() public pure {
        assertEq(Ext2.four(3), 12);
    }

    function test_via() public {
        assertEq(new UsesExt().go(3), 12);
    }

    function test_internal() public pure {
        assertEq(Int.thrice(3), 9);
    }

    function test_delegateThis() public view {
        assertEq(Ext.who(), address(this));
    }

    function test_wrong() public pure {
        assertEq(Ext.twice(3), 7);
    }

    function test_nonce() public view {
        assertEq(vm.getNonce(address(this)), 1);
    }

    function testFuzz_twice(uint128 x) public pure {
        assertEq(Ext.twice(x), uint256(x) * 2);
    }
}

contract LibLinkedSetUp is FullTest {
    UsesExt u;

    function setUp() public {
        u = new UsesExt();
    }

    function test_go() public view {
        assertEq(u.go(1), 4);
    }

    function test_addr() public view {
        assertEq(address(u), vm.computeCreateAddress(address(this), 1));
    }
}

abstract contract AbsBase is FullTest {
    uint256 v;

    function setUp() public virtual {
        v = 1;
    }

    function test_base() public view virtual {
        assertEq(v, 1);
    }

    function test_hook() public {
        hook();
    }
    function hook() internal virtual;
}

contract Derived1 is AbsBase {
    function hook() internal override {
        v = 2;
    }
}

contract Derived2 is AbsBase {
    function setUp() public override {
        super.setUp();
        v = 3;
    }

    function hook() internal pure override {
        revert("no");
    }
}

contract Derived3 is Derived1 {
    function test_base() public view override {
        assertEq(v, 7);
    }
    function test_more() public pure {}
}

abstract contract MixA is FullTest {
    function test_a() public pure virtual {}
}

abstract contract MixB is FullTest {
    function test_b() public pure virtual {
        revert();
    }
    function test_a() public pure virtual {}
}

contract Mixed is MixA, MixB {
    function test_a() public pure override(MixA, MixB) {
        MixB.test_a();
    }
}

contract WrittenOverloads is FullTest {
    function test_x() public pure {}

    function test_x(uint8 a, bool b) public pure {
        if (b && a > 1) revert();
    }
}

contract Visibility is FullTest {
    function test_internal() internal pure {
        revert();
    }

    function test_private() private pure {
        revert();
    }
    function test_external() external pure {}
    uint256 public testVariable = 5;
    mapping(uint256 => uint256) public testMapping;
    uint256[] public testArray;
    bool public constant test_const = false;
    address public immutable testImm = address(5);
    function test() public pure {}

    function Test_no() public pure {
        revert();
    }

    function testing() public pure {
        revert();
    }

    function TestUpper() public pure {
        revert();
    }

    function _test() public pure {
        revert();
    }
}

contract Payables is FullTest {
    function test_payable() public payable {
        assertEq(msg.value, 0);
    }

    function test_returns() public pure returns (bool) {
        return false;
    }

    function test_returnsMany() public pure returns (uint256, string memory) {
        return (1, "");
    }

    function test_viewOnly() public view {
        assertEq(address(this).balance, type(uint96).max);
    }
}

contract WithCtor is FullTest {
    uint256 x;

    constructor() {
        x = 5;
        vm.warp(100);
    }

    function test_x() public view {
        assertEq(x, 5);
    }

    function test_warp() public view {
        assertEq(block.timestamp, 100);
    }

    function test_sender() public view {
        assertEq(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }
}

contract CtorPayable is FullTest {
    uint256 got;

    constructor() payable {
        got = msg.value;
    }

    function test_none() public view {
        assertEq(got, 0);
    }
}

contract CtorArgs is FullTest {
    uint256 x;

    constructor(uint256 x_) {
        x = x_;
    }

    function test_x() public view {
        assertEq(x, 0);
    }
}

contract CtorReverts is FullTest {
    constructor() {
        revert("c");
    }
    function test_x() public pure {}
    function test_y() public pure {}
}

contract CtorBalance is FullTest {
    uint256 b;
    address s;

    constructor() {
        b = address(this).balance;
        s = msg.sender;
    }

    function test_b() public view {
        assertEq(b, 0);
    }

    function test_bFull() public view {
        assertEq(b, type(uint96).max);
    }

    function test_s() public view {
        assertEq(s, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }
}

contract SetUpReverts2 is FullTest {
    function setUp() public pure {
        revert("s");
    }
    function test_x() public pure {}
    function testFuzz_y(uint256) public pure {}
    function invariant_z() public pure {}
}

contract SetUpExpect is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.expectRevert();
        p.bad(1);
    }
    function test_x() public pure {}
}

contract SetUpExpectOpen is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.expectRevert();
    }
    function test_x() public pure {}

    function test_bad() public view {
        p.bad(1);
    }
}

contract SetUpExpectCall is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.expectCall(address(p), abi.encodeCall(Pot.set, (1)));
    }

    function test_x() public {
        p.set(1);
    }
    function test_y() public pure {}
}

contract WrittenSetUpMock is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.mockCall(address(p), abi.encodeCall(p.a, ()), abi.encode(99));
    }

    function test_x() public view {
        assertEq(p.a(), 99);
    }
}

contract SetUpStartPrank is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.startPrank(address(7));
    }

    function test_x() public view {
        assertEq(p.who(), address(7));
    }

    function test_y() public view {
        assertEq(p.who(), address(this));
    }

    function testFuzz_z(uint256) public view {
        assertEq(p.who(), address(7));
    }
}

contract SetUpRecordAccess is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.record();
        p.set(1);
    }

    function test_x() public {
        (, bytes32[] memory w) = vm.accesses(address(p));
        assertEq(w.length, 2);
    }
}

contract SetUpSnapshot is FullTest {
    Pot p;
    uint256 id;

    function setUp() public {
        p = new Pot();
        id = vm.snapshotState();
    }

    function test_x() public {
        p.set(1);
        vm.revertToState(id);
        assertEq(p.a(), 0);
    }
}

contract SetUpTransient is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        p.tset(5);
    }

    function test_x() public view {
        assertEq(p.tget(), 0);
    }

    function test_y() public view {
        assertEq(p.tget(), 5);
    }
}

contract SetUpLabelEnv is FullTest {
    function setUp() public {
        vm.setEnv("SETUP_E", "4");
        vm.warp(50);
        vm.roll(60);
        vm.fee(7);
        vm.chainId(5);
        vm.txGasPrice(9);
        vm.prevrandao(bytes32(uint256(8)));
        vm.coinbase(address(6));
        vm.deal(address(3), 4);
    }

    function test_e() public view {
        assertEq(vm.envUint("SETUP_E"), 4);
    }

    function test_b() public view {
        assertEq(block.timestamp, 50);
        assertEq(block.number, 60);
        assertEq(block.basefee, 7);
        assertEq(block.chainid, 5);
        assertEq(block.prevrandao, 8);
        assertEq(block.coinbase, address(6));
        assertEq(address(3).balance, 4);
    }

    function test_g() public view {
        assertEq(tx.gasprice, 9);
    }

    function testFuzz_b(uint256) public {
        assertEq(block.timestamp, 50);
        vm.warp(51);
    }
}

contract SetUpDies is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        p.die(payable(address(9)));
    }

    function test_gone() public view {
        assertEq(address(p).code.length, 0);
    }

    function test_there() public view {
        assertGt(address(p).code.length, 0);
    }
}

contract WrittenSetUpPayable is FullTest {
    uint256 v;

    function setUp() public payable {
        v = 3;
    }

    function test_v() public view {
        assertEq(v, 3);
    }
}

contract WrittenSetUpReturns is FullTest {
    uint256 v;

    function setUp() public returns (bool) {
        v = 3;
        return false;
    }

    function test_v() public view {
        assertEq(v, 3);
    }
}

contract WrittenSetUpExternal is FullTest {
    uint256 v;

    function setUp() external {
        v = 3;
    }

    function test_v() public view {
        assertEq(v, 3);
    }
}

contract WrittenSetUpInternal is FullTest {
    uint256 v;

    function setUp() internal {
        v = 3;
    }

    function test_v() public view {
        assertEq(v, 0);
    }
}

contract SetUpLower is FullTest {
    uint256 v;

    function setup() public {
        v = 3;
    }

    function test_v() public view {
        assertEq(v, 3);
    }
}

contract TestFail1 is FullTest {
    function testFail_x() public pure {
        revert();
    }
    function test_y() public pure {}
}

contract TestFail2 is FullTest {
    function testFailing() public pure {}
    function test_y() public pure {}
}

contract TestFail3 is FullTest {
    function test_Fail_x() public pure {}

    function test_RevertIf_x() public pure {
        revert();
    }
}

contract TestFail4 is FullTest {
    function testFailFuzz(uint256 x) public pure {
        require(x == 1);
    }
}

contract NoTests is FullTest {
    function helper() public pure {
        revert();
    }
}

contract OnlySetUp is FullTest {
    function setUp() public pure {
        revert();
    }
}

contract NotTestInvariant {
    uint256 x;

    function bump() public {
        x++;
    }

    function invariant_x() public view {
        require(x < 3);
    }
}

contract FallbackTest is FullTest {
    uint256 n;

    fallback() external payable {
        n++;
    }
    receive() external payable {}

    function test_fallback() public {
        (bool ok,) = address(this).call(hex"12345678");
        assertTrue(ok);
        assertEq(n, 1);
    }

    function test_receive() public {
        vm.deal(address(5), 10);
        vm.prank(address(5));
        (bool ok,) = address(this).call{value: 4}("");
        assertTrue(ok);
    }
}

contract NoReceive is FullTest {
    function test_receive() public {
        (bool ok,) = address(this).call{value: 1}("");
        assertFalse(ok);
    }

    function test_transferOut() public {
        payable(address(9)).transfer(1 ether);
        assertEq(address(9).balance, 1 ether);
    }
}

contract SelfDestructing is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_sameTxKeeps() public {
        p.die(payable(address(9)));
        assertGt(address(p).code.length, 0);
    }

    function test_newDies() public {
        Pot q = new Pot();
        q.die(payable(address(9)));
        assertGt(address(q).code.length, 0);
    }

    function test_balanceMoves() public {
        vm.deal(address(p), 5);
        p.die(payable(address(9)));
        assertEq(address(9).balance, 5);
    }
}

contract BigDeploy is FullTest {
    function test_deployBig() public {
        bytes memory code = new bytes(30000);
        bytes memory init = abi.encodePacked(hex"617530600081600b8239f3", code);
        address a;
        assembly { a := create(0, add(init, 32), mload(init)) }
        assertTrue(a != address(0));
    }

    function test_deployOver() public {
        bytes memory init = hex"620200006000f3";
        address a;
        assembly { a := create(0, add(init, 32), mload(init)) }
        assertTrue(a != address(0));
    }
}

contract DepthTest is FullTest {
    uint256 n;

    function rec(uint256 d) public returns (uint256) {
        if (d == 0) return 0;
        try this.rec(d - 1) returns (uint256 r) {
            return r + 1;
        }
            catch {
            return 0;
        }
    }

    function test_d100() public {
        assertEq(this.rec(100), 100);
    }

    function test_d300() public {
        assertEq(this.rec(300), 300);
    }
}

contract TransientTest is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_inOne() public {
        p.tset(4);
        assertEq(p.tget(), 4);
    }

    function test_revertClears() public {
        try this.x() {} catch {}
        assertEq(p.tget(), 0);
    }

    function x() public {
        p.tset(4);
        revert();
    }

    function test_nextIsFresh() public view {
        assertEq(p.tget(), 0);
    }
}
