// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "../src/Rare.sol";

contract ShopTok {
    mapping(address => uint256) public b;
    uint256 public total;
    bool public paused;

    function mint(uint256 x) external {
        x %= 1e18;
        b[msg.sender] += x;
        total += x;
    }

    function burn(uint256 x) external {
        b[msg.sender] -= x;
        total -= x;
    }

    function pause() external {
        paused = true;
    }

    function boom() external {
        assert(!paused);
    }

    function reset() external {
        total = 0;
    }
}

contract ShopNoPause {
    uint256 public n;

    function a() external {
        n++;
    }

    function b() external {
        require(n < 2, "many");
        n++;
    }
}

abstract contract ShopBase is RareTest {
    ShopTok t;

    function setUp() public virtual {
        t = new ShopTok();
        targetContract(address(t));
    }
}

contract ShopSelectors is ShopBase {
    function setUp() public override {
        super.setUp();
        bytes4[] memory s = new bytes4[](2);
        s[0] = t.mint.selector;
        s[1] = t.burn.selector;
        targetSelector(FuzzSelector(address(t), s));
    }

    function invariant_total() public view {
        require(t.total() < 1e30);
    }

    function invariant_paused() public view {
        require(!t.paused());
    }
}

contract ShopExclude is ShopBase {
    function setUp() public override {
        super.setUp();
        bytes4[] memory s = new bytes4[](1);
        s[0] = t.pause.selector;
        excludeSelector(FuzzSelector(address(t), s));
    }

    function invariant_paused() public view {
        require(!t.paused());
    }

    function invariant_total() public view {
        require(t.total() == 0);
    }
}

contract ShopAssertInHandler is ShopBase {
    function invariant_fine() public {}
}

contract ShopTimeStands is ShopBase {
    function invariant_time() public view {
        require(block.timestamp == 1 && block.number == 1);
    }
}

contract ShopWritesInInvariant is ShopBase {
    uint256 w;

    function invariant_once() public {
        require(w == 0);
        w = 1;
    }
}

contract ShopMintBurnInInvariant is ShopBase {
    function invariant_calls() public {
        t.pause();
        require(t.paused());
    }

    function invariant_sees() public view {
        require(t.total() >= 0);
    }
}

contract ShopValueless is ShopBase {
    function invariant_balance() public view {
        require(address(t).balance == 0);
    }
}

contract ShopPrankInInvariant is ShopBase {
    function invariant_prank() public {
        vm.prank(address(9));
        t.mint(5);
        require(t.b(address(9)) == 5);
    }
}

contract ShopExpectInInvariant is ShopBase {
    function invariant_expect() public {
        vm.expectRevert();
        t.burn(type(uint256).max);
    }
}

contract ShopWarpInInvariant is ShopBase {
    function invariant_warp() public {
        vm.warp(100);
        require(block.timestamp == 100);
    }

    function invariant_other() public view {
        require(block.timestamp == 1);
    }
}

contract ShopPayable is RareTest {
    ShopPay p;

    function setUp() public {
        p = new ShopPay();
    }

    function invariant_paid() public view {
        require(p.got() == 0);
    }
}

contract ShopPay {
    uint256 public got;

    function pay() external payable {
        got += msg.value;
    }

    receive() external payable {
        got += 1;
    }
}

contract ShopRequire is RareTest {
    ShopNoPause n;

    function setUp() public {
        n = new ShopNoPause();
    }

    function invariant_n() public view {
        require(n.n() < 3);
    }
}

contract ShopStrict is RareTest {
    ShopNoPause n;

    function setUp() public {
        n = new ShopNoPause();
    }
    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_strict() public {}
    function invariant_lax() public {}
}

contract ShopView is RareTest {
    ShopOnlyView n;

    function setUp() public {
        n = new ShopOnlyView();
    }
    function invariant_x() public {}
}

contract ShopOnlyView {
    function a() external pure returns (uint256) {
        return 1;
    }
}

contract ShopAfter is ShopBase {
    function invariant_x() public {}

    function afterInvariant() public view {
        require(t.total() == 0);
    }
}

contract ShopAfterOk is ShopBase {
    function invariant_x() public {}

    function afterInvariant() public {
        t.pause();
    }
}

contract ShopArgs is RareTest {
    ShopStore s;

    function setUp() public {
        s = new ShopStore();
    }

    function invariant_small() public view {
        require(s.x() < 1000);
    }

    function invariant_bool() public view {
        require(!s.f());
    }

    function invariant_len() public view {
        require(s.len() < 3);
    }
}

contract ShopStore {
    uint256 public x;
    bool public f;
    uint256 public len;

    function a(uint256 y) external {
        x = y;
    }

    function b(bool g) external {
        f = g;
    }

    function c(bytes calldata d) external {
        len = d.length;
    }
}

contract ShopDeep is RareTest {
    ShopCount c;

    function setUp() public {
        c = new ShopCount();
    }

    function invariant_ten() public view {
        require(c.n() < 10);
    }

    function invariant_hundred() public view {
        require(c.n() < 100);
    }

    /// forge-config: default.invariant.depth = 4
    function invariant_five() public view {
        require(c.n() < 5);
    }
}

contract ShopCount {
    uint256 public n;

    function inc() external {
        n++;
    }
}

contract ShopSkipInHandler is RareTest {
    ShopSkipper s;

    function setUp() public {
        s = new ShopSkipper();
    }
    function invariant_x() public {}
}

contract ShopSkipper {
    function h() external {
        OpenVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).skip(true);
    }
}

interface OpenVm {
    function skip(bool) external;
    function assume(bool) external;
    function deal(address, uint256) external;
    function prank(address) external;
    function expectRevert() external;
    function expectEmit() external;
    function startPrank(address) external;
    function expectCall(address, bytes calldata) external;
}
OpenVm constant iv = OpenVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

contract ShopOpenExpect is RareTest {
    ShopOpener s;

    function setUp() public {
        s = new ShopOpener();
    }
    function invariant_x() public {}
}

contract ShopOpener {
    function h() external {
        iv.expectRevert();
    }
    function g() external {}
}

contract ShopOpenEmit is RareTest {
    ShopOpener2 s;

    function setUp() public {
        s = new ShopOpener2();
    }
    function invariant_x() public {}
}

contract ShopOpener2 {
    event X();

    function h() external {
        iv.expectEmit();
        emit X();
    }
    function g() external {}
}

contract ShopOpenCall is RareTest {
    ShopOpener3 s;

    function setUp() public {
        s = new ShopOpener3();
    }
    function invariant_x() public {}
}

contract ShopOpener3 {
    function h() external {
        iv.expectCall(address(5), hex"01");
    }
    function g() external {}
}

contract ShopDeals is RareTest {
    ShopDealer s;

    function setUp() public {
        s = new ShopDealer();
    }

    function invariant_x() public view {
        require(address(0x888).balance == 0);
    }
}

contract ShopDealer {
    function h() external {
        iv.deal(address(0x888), 5);
        revert();
    }
}

contract ShopPranks is RareTest {
    ShopPranker s;

    function setUp() public {
        s = new ShopPranker();
    }

    function invariant_x() public view {
        require(s.other() == address(0));
    }
}

contract ShopPranker {
    address public other;

    function h() external {
        iv.startPrank(address(5));
        this.note();
    }

    function note() external {
        if (msg.sender == address(5)) other = msg.sender;
    }
}

contract ShopAssumeAll is RareTest {
    ShopAssumer s;

    function setUp() public {
        s = new ShopAssumer();
    }
    function invariant_x() public {}
}

contract ShopAssumer {
    uint256 public n;

    function h(uint256 x) external {
        iv.assume(x % 2 == 0);
        n++;
    }
}

contract ShopInherit is ShopSelectors {
    function invariant_child() public view {
        require(t.total() == 0);
    }
}

contract ShopStateful is ShopBase {
    function statefulFuzz_x() public view {
        require(t.total() == 0);
    }
    function statefulFuzzy() public {}
}

contract ShopReturnsBool is ShopBase {
    function invariant_false() public pure returns (bool) {
        return false;
    }

    function invariant_uint() public pure returns (uint256) {
        return 0;
    }
}

contract ShopMixed is ShopBase {
    function invariant_x() public view {
        require(t.total() == 0);
    }

    function test_y() public {
        t.mint(5);
        require(t.total() == 5);
    }

    function testFuzz_z(uint256 a) public {
        t.mint(a);
        require(t.total() == a % 1e18);
    }
}
