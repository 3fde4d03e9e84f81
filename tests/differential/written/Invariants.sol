// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/More.sol";
import "../src/Things.sol";

contract Bank {
    mapping(address => uint256) public bal;
    uint256 public total;

    function deposit() public payable {
        bal[msg.sender] += msg.value;
        total += msg.value;
    }

    function withdraw(uint256 v) public {
        require(bal[msg.sender] >= v, "low");
        bal[msg.sender] -= v;
        total -= v;
        (bool ok,) = msg.sender.call{value: v}("");
        require(ok);
    }
}

contract CtrKid is Ctr {
    function kid() public {
        odd = true;
    }
}

contract CtrHandler is FullTest {
    Ctr public c;
    uint256 public ghost;
    uint256 public calls;
    mapping(bytes32 => uint256) public seen;
    modifier count() {
        calls++;
        _;
    }

    constructor(Ctr c_) {
        c = c_;
    }

    function inc() public count {
        c.inc();
        ghost++;
    }

    function dec() public count {
        if (c.n() == 0) return;
        c.dec();
        ghost--;
    }

    function skipTime(uint256 t) public {
        t = vm.bound(t, 1, 1 days);
        vm.warp(block.timestamp + t);
    }

    function prankInc(address who) public {
        vm.prank(who);
        c.inc();
        ghost++;
    }
}

contract BankHandler is FullTest {
    Bank public b;
    uint256 public deposited;
    address[] public actors;
    address cur;

    constructor(Bank b_) {
        b = b_;
        for (uint160 i = 1; i < 4; i++) {
            actors.push(address(i * 1000));
            vm.deal(address(i * 1000), 100 ether);
        }
    }
    modifier useActor(uint256 s) {
        cur = actors[vm.bound(s, 0, actors.length - 1)];
        vm.startPrank(cur);
        _;
        vm.stopPrank();
    }

    function deposit(uint256 s, uint256 v) public useActor(s) {
        v = vm.bound(v, 0, cur.balance);
        b.deposit{value: v}();
        deposited += v;
    }

    function withdraw(uint256 s, uint256 v) public useActor(s) {
        v = vm.bound(v, 0, b.bal(cur));
        b.withdraw(v);
        deposited -= v;
    }
}

contract InvGhost is FullTest {
    Ctr c;
    CtrHandler h;

    function setUp() public {
        c = new Ctr();
        h = new CtrHandler(c);
        targetContract(address(h));
    }

    function invariant_same() public view {
        assertEq(c.n(), h.ghost());
    }

    function invariant_small() public view {
        assertLt(c.n(), 4);
    }

    function invariant_calls() public view {
        assertLe(h.calls(), 16);
    }
}

contract InvGhostDirect is FullTest {
    Ctr c;
    CtrHandler h;

    function setUp() public {
        c = new Ctr();
        h = new CtrHandler(c);
    }

    function invariant_same() public view {
        assertEq(c.n(), h.ghost());
    }
}

contract InvBank is FullTest {
    Bank b;
    BankHandler h;

    function setUp() public {
        b = new Bank();
        h = new BankHandler(b);
        targetContract(address(h));
    }

    function invariant_total() public view {
        assertEq(b.total(), h.deposited());
    }

    function invariant_solvent() public view {
        assertGe(address(b).balance, b.total());
    }

    function invariant_empty() public view {
        assertEq(b.total(), 0);
    }
}

contract InvBankRaw is FullTest {
    Bank b;

    function setUp() public {
        b = new Bank();
    }

    function invariant_zero() public view {
        assertEq(b.total(), 0);
    }
}

contract InvPay is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_noValue() public view {
        c.m();
    }
}

contract InvSelectors is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }

    function invariant_m() public view {
        assertEq(c.m(), 0);
    }

    function invariant_n() public view {
        assertLt(c.n(), 5);
    }
}

contract InvSelectorsAndContract is FullTest {
    Ctr c;
    Ctr d;

    function setUp() public {
        c = new Ctr();
        d = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
        targetContract(address(d));
    }

    function invariant_c() public view {
        assertLt(c.n(), 2);
    }

    function invariant_d() public view {
        assertLt(d.n(), 2);
    }

    function invariant_cm() public view {
        assertEq(c.m(), 0);
    }
}

contract InvExSelector is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        excludeSelector(FuzzSelector({addr: address(c), selectors: s}));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }

    function invariant_m() public view {
        assertEq(c.m(), 0);
    }
}

contract InvExSelectorBoth is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](2);
        s[0] = Ctr.inc.selector;
        s[1] = Ctr.setM.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
        bytes4[] memory e = new bytes4[](1);
        e[0] = Ctr.inc.selector;
        excludeSelector(FuzzSelector({addr: address(c), selectors: e}));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }

    function invariant_m() public view {
        assertEq(c.m(), 0);
    }
}

contract InvExContract is FullTest {
    Ctr c;
    Ctr d;

    function setUp() public {
        c = new Ctr();
        d = new Ctr();
        excludeContract(address(c));
    }

    function invariant_c() public view {
        assertEq(c.n(), 0);
    }

    function invariant_d() public view {
        assertEq(d.n(), 0);
    }
}

contract InvExAll is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        excludeContract(address(c));
    }

    function invariant_c() public view {
        assertEq(c.n(), 0);
    }
}

contract InvExAndTarget is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
        excludeContract(address(c));
    }

    function invariant_c() public view {
        assertEq(c.n(), 0);
    }
}

contract InvSenderOnlyEx is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
        excludeSender(address(0xA));
    }

    function invariant_notA() public view {
        assertTrue(c.last() != address(0xA));
    }

    function invariant_any() public view {
        assertTrue(c.last() == address(0));
    }
}

contract InvArtifactSel is FullTest {
    CtrKid c;

    function invariant_odd() public view {
        assertFalse(c.odd());
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvArtifactSelPath is FullTest {
    CtrKid c;

    function invariant_odd() public view {
        assertFalse(c.odd());
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvArtifact is FullTest {
    Ctr c;
    CtrKid k;

    function invariant_c() public view {
        assertEq(c.n(), 0);
    }

    function invariant_k() public view {
        assertEq(k.n(), 0);
    }
}

contract InvExArtifact is FullTest {
    Ctr c;
    CtrKid k;

    function setUp() public {
        c = new Ctr();
        k = new CtrKid();
        excludeArtifact("CtrKid");
    }

    function invariant_c() public view {
        assertEq(c.n(), 0);
    }

    function invariant_k() public view {
        assertEq(k.n(), 0);
    }
}

interface ICtr {
    function inc() external;
}

contract InvInterface is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        string[] memory a = new string[](1);
        a[0] = "ICtr";
        targetInterface(FuzzInterface({addr: address(c), artifacts: a}));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }

    function invariant_m() public view {
        assertEq(c.m(), 0);
    }
}

contract InvInterfaceBad is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        string[] memory a = new string[](1);
        a[0] = "INope";
        targetInterface(FuzzInterface({addr: address(c), artifacts: a}));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvInterfaceWrongAddr is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        string[] memory a = new string[](1);
        a[0] = "ICtr";
        targetInterface(FuzzInterface({addr: address(0xdead), artifacts: a}));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvTargetEOA is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(0xbeef));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvEtched is FullTest {
    Ctr c;

    function setUp() public {
        vm.etch(address(0x7777), address(new Ctr()).code);
        c = Ctr(address(0x7777));
        targetContract(address(c));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract WrittenFactory {
    Ctr[] public made;

    function make() public {
        made.push(new Ctr());
    }

    function count() public view returns (uint256) {
        return made.length;
    }
}

contract InvFactory is FullTest {
    WrittenFactory f;

    function setUp() public {
        f = new WrittenFactory();
    }

    function invariant_m() public view {
        for (uint256 i; i < f.count(); i++) {
            assertEq(f.made(i).n(), 0);
        }
    }
}

contract InvFactoryTarget is FullTest {
    WrittenFactory f;

    function setUp() public {
        f = new WrittenFactory();
        targetContract(address(f));
    }

    function invariant_m() public view {
        for (uint256 i; i < f.count(); i++) {
            assertEq(f.made(i).n(), 0);
        }
    }
}

contract InvNested is FullTest {
    WrittenFactory f;
    Ctr inner;

    function setUp() public {
        f = new WrittenFactory();
        f.make();
        inner = f.made(0);
    }

    function invariant_inner() public view {
        assertEq(inner.n(), 0);
    }
}

contract InvAssertHandler is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }
    function invariant_true() public pure {}
}

contract InvOnlyAssert {}

contract InvFailOnRevert is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](2);
        s[0] = Ctr.boom.selector;
        s[1] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }
    function invariant_default() public pure {}
    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_revert() public pure {}
}

/// forge-config: default.invariant.fail-on-revert = true
contract InvFailOnRevertC is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](2);
        s[0] = Ctr.boom.selector;
        s[1] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }
    function invariant_default() public pure {}
    /// forge-config: default.invariant.fail-on-revert = false
    function invariant_norevert() public pure {}
}

contract InvDepth is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }

    /// forge-config: default.invariant.depth = 4
    function invariant_le4() public view {
        assertLe(c.n(), 4);
    }

    function invariant_le16() public view {
        assertLe(c.n(), 16);
    }

    function invariant_lt16() public view {
        assertLt(c.n(), 16);
    }

    /// forge-config: default.invariant.depth = 0
    function invariant_depth0() public view {
        assertLt(c.n(), 2);
    }
}

contract InvAfter is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }
    function invariant_a() public pure {}

    function afterInvariant() public view {
        assertLt(c.n(), 3);
    }
}

contract InvAfterOk is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.inc.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }
    function invariant_a() public pure {}

    function afterInvariant() public view {
        assertLe(c.n(), 16);
    }
}

contract InvAfterState is FullTest {
    Ctr c;
    uint256 x;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
    }

    function invariant_a() public view {
        assertEq(x, 0);
    }

    function afterInvariant() public {
        x = 1;
        c.inc();
    }
}

contract InvAfterArgs is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
    }
    function invariant_a() public pure {}

    function afterInvariant(uint256) public pure {
        revert();
    }
}

contract InvWrites is FullTest {
    Ctr c;
    uint256 asked;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
    }

    function invariant_a() public {
        asked++;
        assertLt(asked, 5);
    }
}

contract InvWritesOther is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        bytes4[] memory s = new bytes4[](1);
        s[0] = Ctr.reset.selector;
        targetSelector(FuzzSelector({addr: address(c), selectors: s}));
    }

    function invariant_a() public {
        assertEq(c.n(), 0);
        c.inc();
    }
}

contract InvArgs is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
    }

    function invariant_a(uint256 x) public pure {
        assertLt(x, 1);
    }
    function invariant_b() public pure {}
}

contract InvAndTests is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_n() public view {
        assertLt(c.n(), 3);
    }

    function test_n() public {
        c.inc();
        assertEq(c.n(), 1);
    }

    function testFuzz_n(uint8 x) public {
        for (uint256 i; i < x % 8; i++) {
            c.inc();
        }
        assertLt(c.n(), 8);
    }
}

contract InvSelf is FullTest {
    uint256 public n;

    function setUp() public {
        targetContract(address(this));
    }

    function bump() public {
        n++;
    }

    function invariant_n() public view {
        assertLt(n, 3);
    }
}

contract InvSelfSel is FullTest {
    uint256 public n;

    function setUp() public {
        bytes4[] memory s = new bytes4[](1);
        s[0] = this.bump.selector;
        targetSelector(FuzzSelector({addr: address(this), selectors: s}));
    }

    function bump() public {
        n++;
    }

    function invariant_n() public view {
        assertLt(n, 3);
    }
}

contract InvSelfOnly is FullTest {
    uint256 public n;

    function bump() public {
        n++;
    }

    function invariant_n() public view {
        assertLt(n, 3);
    }
}

contract StatefulFuzz is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function statefulFuzz_n() public view {
        assertLt(c.n(), 3);
    }
    function statefulFuzzOk() public pure {}

    function invariantX() public view {
        assertLt(c.n(), 3);
    }

    function invariant() public view {
        assertLt(c.n(), 3);
    }
}

contract InvAssume is FullTest {
    AssumeH h;

    function setUp() public {
        h = new AssumeH();
    }

    function invariant_n() public view {
        assertEq(h.n(), 0);
    }
}

contract AssumeH is FullTest {
    uint256 public n;

    function go(uint256 x) public {
        vm.assume(x % 2 == 0);
        n = x % 2;
    }
}

contract InvAssumeAll is FullTest {
    AssumeAllH h;

    function setUp() public {
        h = new AssumeAllH();
    }

    function invariant_n() public view {
        assertEq(h.n(), 0);
    }
}

contract AssumeAllH is FullTest {
    uint256 public n;

    function go(uint256) public {
        n = 1;
        vm.assume(false);
    }
}

contract InvTime is FullTest {
    TimeH h;
    uint256 t0;

    function setUp() public {
        h = new TimeH();
        t0 = block.timestamp;
    }

    function invariant_time() public view {
        assertEq(block.timestamp, t0);
    }

    function invariant_number() public view {
        assertEq(block.number, 1);
    }
}

contract TimeH is FullTest {
    uint256 public seen;

    function look() public {
        seen = block.timestamp;
    }
}

contract InvWarp is FullTest {
    WarpH h;

    function setUp() public {
        h = new WarpH();
    }

    function invariant_time() public view {
        assertLt(block.timestamp, 100);
    }

    function invariant_lastSeen() public view {
        assertEq(h.seen(), 1);
    }
}

contract WarpH is FullTest {
    uint256 public seen = 1;

    function fwd() public {
        vm.warp(block.timestamp + 1 days);
    }

    function look() public {
        seen = block.timestamp;
    }
}

contract InvPrankLeft is FullTest {
    PrankH h;

    function setUp() public {
        h = new PrankH();
    }

    function invariant_w() public view {
        assertTrue(h.last() == address(0) || h.last() == address(h));
    }
}

contract PrankH is FullTest {
    Ctr c = new Ctr();

    function last() public view returns (address) {
        return c.last();
    }

    function start() public {
        vm.startPrank(address(0x99));
    }

    function go() public {
        c.inc();
    }
}

contract InvExpectRevertH is FullTest {
    ExpH h;

    function setUp() public {
        h = new ExpH();
    }

    function invariant_ok() public view {
        assertEq(h.n(), 0);
    }
    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_for() public pure {}
}

contract ExpH is FullTest {
    Ctr c = new Ctr();
    uint256 public n;

    function good() public {
        vm.expectRevert();
        c.boom();
    }

    function never() public {
        vm.expectRevert("other");
        c.boom();
        n = 1;
    }
}

contract InvFailH is FullTest {
    FailH h;

    function setUp() public {
        h = new FailH();
    }
    function invariant_ok() public pure {}
}

contract FailH is FullTest {
    function go(uint256 x) public pure {
        assertTrue(x != x);
    }
}

contract InvFailHMsg is FullTest {
    FailHM h;

    function setUp() public {
        h = new FailHM();
    }
    function invariant_ok() public pure {}
}

contract FailHM is FullTest {
    function go(uint256 x) public pure {
        assertTrue(x != x, "msg");
    }
}

contract InvFailHRequire is FullTest {
    FailHR h;

    function setUp() public {
        h = new FailHR();
    }
    function invariant_ok() public pure {}
}

contract FailHR is FullTest {
    function go(uint256 x) public pure {
        require(x != x, "assertion failed: no");
    }
}

contract InvFailHFail is FullTest {
    FailHF h;

    function setUp() public {
        h = new FailHF();
    }
    function invariant_ok() public pure {}
}

contract FailHF is FullTest {
    function go(uint256) public {
        vm.assertTrue(false, "x");
    }
}

contract InvFailHPanic is FullTest {
    FailHP h;

    function setUp() public {
        h = new FailHP();
    }
    function invariant_ok() public pure {}
}

contract FailHP is FullTest {
    function go(uint256) public pure {
        uint256[] memory a = new uint256[](0);
        a[1] = 2;
    }
}

contract InvFailHNested is FullTest {
    FailHN h;

    function setUp() public {
        h = new FailHN();
        targetContract(address(h));
    }
    function invariant_ok() public pure {}
}

contract FailHN is FullTest {
    Ctr c = new Ctr();

    function go(uint256) public {
        try c.asrt() {} catch {}
    }

    function go2() public view {
        c.asrt();
    }
}

contract InvSkip is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_a() public {
        vm.skip(true);
    }

    function invariant_b() public view {
        assertEq(c.n(), 0);
    }
}

contract InvSetUpSkip is FullTest {
    function setUp() public {
        vm.skip(true);
    }
    function invariant_a() public pure {}
    function test_b() public pure {}
}

contract InvDie is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function invariant_alive() public view {
        assertGt(address(p).code.length, 0);
    }

    function invariant_a() public view {
        assertEq(p.a(), 0);
    }
}

contract InvNoContracts is FullTest {
    function invariant_a() public pure {}
    function test_a() public pure {}
}

contract InvView is FullTest {
    OnlyView v;

    function setUp() public {
        v = new OnlyView();
    }
    function invariant_a() public pure {}
}

contract OnlyView {
    function look() public pure returns (uint256) {
        return 1;
    }
}

contract InvViewSel is FullTest {
    OnlyView v;

    function setUp() public {
        v = new OnlyView();
        bytes4[] memory s = new bytes4[](1);
        s[0] = OnlyView.look.selector;
        targetSelector(FuzzSelector({addr: address(v), selectors: s}));
    }
    function invariant_a() public pure {}
}

contract InvLib is FullTest {
    UsesExt u;
    Ctr c;

    function setUp() public {
        u = new UsesExt();
        c = new Ctr();
    }

    function invariant_l() public view {
        assertEq(u.go(2), 8);
    }
}

contract InvMany is FullTest {
    Ctr a;
    Ctr b;
    Ctr c;

    function setUp() public {
        a = new Ctr();
        b = new Ctr();
        c = new Ctr();
    }

    function invariant_a() public view {
        assertEq(a.n(), 0);
    }

    function invariant_b() public view {
        assertEq(b.n(), 0);
    }

    function invariant_c() public view {
        assertEq(c.m(), 0);
    }
}

contract InvMock is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        vm.mockCall(address(c), abi.encodeCall(c.n, ()), abi.encode(0));
    }

    function invariant_n() public view {
        assertEq(c.n(), 0);
    }
}

contract InvBalance is FullTest {
    Bank b;

    function setUp() public {
        b = new Bank();
        targetContract(address(b));
    }

    function invariant_noEther() public view {
        assertEq(address(b).balance, 0);
    }
}

contract InvPrecise is FullTest {
    Magic h;

    function setUp() public {
        h = new Magic();
    }

    function invariant_m() public view {
        assertFalse(h.hit());
    }
}

contract Magic {
    bool public hit;
    uint256 step;

    function one(uint8 x) public {
        if (x < 128) step = 1;
    }

    function two() public {
        if (step == 1) step = 2;
    }

    function three() public {
        if (step == 2) hit = true;
    }
}

contract InvTransient is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function invariant_t() public view {
        assertEq(p.tget(), 0);
    }
}

contract InvSnapshot is FullTest {
    SnapH h;

    function setUp() public {
        h = new SnapH();
    }

    function invariant_n() public view {
        assertEq(h.n(), 0);
    }
}

contract SnapH is FullTest {
    uint256 public n;

    function go() public {
        uint256 id = vm.snapshotState();
        n = 5;
        vm.revertToState(id);
    }
}

contract InvReturnsBool is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_b() public pure returns (bool) {
        return false;
    }

    function invariant_i() public view returns (int256) {
        return int256(c.n());
    }

    function invariant_iBad() public view returns (int256) {
        require(c.n() < 2);
        return int256(c.n());
    }
}

contract InvPayable is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_p() public payable {
        assertEq(msg.value, 0);
    }
}

contract InvSenderIsTest is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function invariant_sender() public view {
        assertEq(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }
}

contract InvDeal is FullTest {
    DealH h;

    function setUp() public {
        h = new DealH();
    }

    function invariant_b() public view {
        assertEq(address(0x55).balance, 0);
    }
}

contract DealH is FullTest {
    function go() public {
        vm.deal(address(0x55), 1);
        revert();
    }
}

contract InvEmpty is FullTest {
    Nothing n;

    function setUp() public {
        n = new Nothing();
    }
    function invariant_x() public pure {}
}

contract Nothing {}

contract InvFallbackOnly is FullTest {
    FallOnly n;

    function setUp() public {
        n = new FallOnly();
    }

    function invariant_x() public view {
        assertEq(n.hits(), 0);
    }
}

contract FallOnly {
    uint256 public hits;

    fallback() external payable {
        hits++;
    }

    receive() external payable {
        hits++;
    }
}

contract InvOverload is FullTest {
    Over o;

    function setUp() public {
        o = new Over();
    }

    function invariant_a() public view {
        assertEq(o.a(), 0);
    }

    function invariant_b() public view {
        assertEq(o.b(), 0);
    }
}

contract Over {
    uint256 public a;
    uint256 public b;

    function f() public {
        a = 1;
    }

    function f(uint256) public {
        b = 1;
    }
}

contract InvUpgrade is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function targetContracts2() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(c);
    }

    function invariant_x() public view {
        assertEq(c.n(), 0);
    }
}

contract InvOwnTargets {
    Ctr c;
    Ctr d;

    function setUp() public {
        c = new Ctr();
        d = new Ctr();
    }

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(c);
    }

    function invariant_c() public view {
        require(c.n() == 0);
    }

    function invariant_d() public view {
        require(d.n() == 0);
    }
}

contract InvOwnExSel {
    Ctr c;

    struct FS {
        address addr;
        bytes4[] selectors;
    }

    function setUp() public {
        c = new Ctr();
    }

    function excludeSelectors() public view returns (FS[] memory a) {
        a = new FS[](1);
        a[0].addr = address(c);
        a[0].selectors = new bytes4[](1);
        a[0].selectors[0] = Ctr.inc.selector;
    }

    function invariant_c() public view {
        require(c.n() == 0);
    }

    function invariant_m() public view {
        require(c.m() == 0);
    }
}
