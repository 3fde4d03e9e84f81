// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "../src/Rare.sol";
import {Vm} from "../src/Base.sol";
Vm constant base = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

library EverydayLibrary {
    function down(uint256 a) external pure returns (uint256) {
        return a - 1;
    }
    error Bad(uint256);

    function bad() external pure {
        revert Bad(1);
    }
}

contract EverydayTarget {
    uint256 public v;
    address public owner;
    mapping(address => uint256) public m;
    event E(uint256 indexed a, uint256 b);
    error Low(uint256 a, string s);

    constructor() payable {
        owner = msg.sender;
    }

    function set(uint256 x) external returns (uint256) {
        v = x;
        emit E(x, x + 1);
        return x;
    }

    function low(uint256 x) external pure {
        revert Low(x, "low");
    }

    function pay() external payable {
        m[msg.sender] += msg.value;
    }

    function loop(uint256 n) external pure returns (uint256 s) {
        for (uint256 i; i < n; i++) {
            s += i;
        }
    }

    function arr(uint256 i) external pure returns (uint256) {
        uint256[] memory a = new uint256[](2);
        return a[i];
    }

    function div(uint256 a) external pure returns (uint256) {
        return 1 / a;
    }

    function cast(uint256 a) external pure returns (uint8) {
        return uint8(a);
    }

    function self(uint256 n) external returns (uint256) {
        return n == 0 ? 0 : 1 + this.self(n - 1);
    }

    receive() external payable {
        v++;
    }
}

contract PaysAgain {
    EverydayTarget t;
    uint256 public n;

    constructor(EverydayTarget x) {
        t = x;
    }

    receive() external payable {
        if (n++ < 3) t.pay{value: 1}();
    }
}
enum EverydayColor {
    Red,
    Green,
    Blue
}

contract EverydayUnits is RareTest {
    EverydayTarget t;

    function setUp() public {
        t = new EverydayTarget();
    }

    function test_panicArray() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x32));
        t.arr(2);
    }

    function test_panicDiv() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x12));
        t.div(0);
    }

    function test_customExact() public {
        vm.expectRevert(abi.encodeWithSelector(EverydayTarget.Low.selector, 3, "low"));
        t.low(3);
    }

    function test_customSelectorOnly() public {
        vm.expectRevert(EverydayTarget.Low.selector);
        t.low(3);
    }

    function test_customPartial() public {
        rare.expectPartialRevert(EverydayTarget.Low.selector);
        t.low(3);
    }

    function test_library() public {
        vm.expectRevert();
        EverydayLibrary.down(0);
    }

    function test_libraryError() public {
        vm.expectRevert(abi.encodeWithSelector(EverydayLibrary.Bad.selector, 1));
        EverydayLibrary.bad();
    }

    function test_tryCatchPanic() public {
        try t.div(0) {
            revert("x");
        }
            catch Panic(uint256 c) {
            require(c == 0x12);
        }
    }

    function test_tryCatchReason() public {
        try t.low(1) {
            revert("x");
        }
            catch (bytes memory b) {
            require(b.length > 4);
        }
    }

    function test_internalCallRevert() public pure {
        uint256 z;
        z = 1 / z;
    }

    function test_deepSelf() public {
        require(t.self(200) == 200);
    }

    function test_tooDeep() public {
        t.self(2000);
    }

    function test_outOfGas() public {
        (bool ok,) = address(t).call{gas: 30000}(abi.encodeCall(t.loop, (1e6)));
        require(!ok);
    }

    function test_sendsToTarget() public {
        payable(address(t)).transfer(1);
        require(t.v() == 1);
    }

    function test_sendToNobody() public {
        payable(address(0x9999)).transfer(3);
        require(address(0x9999).balance == 3);
    }

    function test_notPayable() public {
        (bool ok,) = address(t).call{value: 1}(abi.encodeCall(t.set, (1)));
        require(!ok);
    }

    function test_dealThenPay() public {
        vm.deal(address(this), 5);
        t.pay{value: 5}();
        require(address(this).balance == 0);
    }

    function test_payTooMuch() public {
        vm.deal(address(this), 5);
        t.pay{value: 6}();
    }

    function test_hoaxLike() public {
        vm.deal(address(8), 9);
        vm.prank(address(8));
        t.pay{value: 9}();
        require(t.m(address(8)) == 9);
    }

    function test_etchSelf() public {
        vm.etch(address(0x77), address(t).code);
        EverydayTarget(payable(address(0x77))).set(3);
        require(EverydayTarget(payable(address(0x77))).v() == 3);
    }

    function test_etchLosesImmutableless() public {
        vm.etch(address(0x77), hex"00");
        require(address(0x77).code.length == 1);
    }

    function test_storeLoad() public {
        vm.store(address(t), bytes32(0), bytes32(uint256(44)));
        require(t.v() == 44);
    }

    function test_loadOwner() public {
        require(address(uint160(uint256(vm.load(address(t), bytes32(uint256(1)))))) == address(this));
    }

    function test_blockhash() public view {
        require(blockhash(0) == 0);
    }

    function test_blockhashAfterRoll() public {
        vm.roll(10);
        require(blockhash(9) != 0);
    }

    function test_prevrandao() public {
        vm.prevrandao(bytes32(uint256(7)));
        require(block.prevrandao == 7);
    }

    function test_codehashEmpty() public view {
        require(address(0x4444).codehash == 0);
    }

    function test_codehashFunded() public {
        vm.deal(address(0x4444), 1);
        require(address(0x4444).codehash == keccak256(""));
    }

    function test_create2Twice() public {
        new EverydayTarget{salt: 0}();
        new EverydayTarget{salt: 0}();
    }

    function test_create2TwiceCaught() public {
        new EverydayTarget{salt: 0}();
        try new EverydayTarget{salt: 0}() {
            revert("x");
        }
            catch {}
    }

    function test_computeCreate2() public {
        address a = vm.computeCreate2Address(bytes32(0), keccak256(type(EverydayTarget).creationCode), address(this));
        require(address(new EverydayTarget{salt: 0}()) == a);
    }

    function test_computeCreate() public {
        address a = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        require(address(new EverydayTarget()) == a);
    }

    function test_enumCast() public pure {
        uint256 x = 3;
        EverydayColor c = EverydayColor(x);
        c;
    }

    function test_abiDecodeShort() public pure {
        abi.decode(hex"01", (uint256));
    }

    function test_gasleftPositive() public view {
        require(gasleft() > 1e8);
    }

    function test_emitIndexed() public {
        base.expectEmit(address(t));
        emit EverydayTarget.E(4, 5);
        t.set(4);
    }

    function test_emitWrong() public {
        base.expectEmit(address(t));
        emit EverydayTarget.E(4, 6);
        t.set(4);
    }

    function test_emitNotData() public {
        base.expectEmit(true, false, false, false, address(t));
        emit EverydayTarget.E(4, 6);
        t.set(4);
    }

    function test_emitAnonymousOrder() public {
        base.expectEmit();
        emit EverydayTarget.E(1, 2);
        base.expectEmit();
        emit EverydayTarget.E(2, 3);
        t.set(1);
        t.set(2);
    }

    function test_emitBothInOne() public {
        base.expectEmit();
        emit EverydayTarget.E(2, 3);
        t.set(1);
        t.set(2);
    }

    function test_mockValue() public {
        vm.mockCall(address(t), abi.encodeCall(t.set, (1)), abi.encode(9));
        require(t.set(1) == 9 && t.set(2) == 2);
    }

    function test_mockPrefix() public {
        vm.mockCall(address(t), abi.encodeWithSelector(t.set.selector), abi.encode(9));
        require(t.set(5) == 9);
    }

    function test_mockThenExpect() public {
        rare.mockCallRevert(address(t), abi.encodeWithSelector(t.set.selector), "oops");
        vm.expectRevert(bytes("oops"));
        t.set(5);
    }

    function test_mockEmptyAccount() public {
        vm.mockCall(address(0x5555), bytes(""), abi.encode(3));
        require(EverydayTarget(payable(address(0x5555))).v() == 3);
    }

    function test_expectCallInner() public {
        PaysAgain r = new PaysAgain(t);
        vm.expectCall(address(t), 1, abi.encodeCall(t.pay, ()), 3);
        (bool ok,) = address(r).call{value: 9}("");
        ok;
        r;
    }

    function test_txGas() public {
        vm.txGasPrice(5);
        require(tx.gasprice == 5);
    }

    function test_snapshotFails() public {
        uint256 s = vm.snapshotState();
        vm.store(address(vm), "failed", bytes32(uint256(1)));
        vm.revertToState(s);
    }

    function test_rollForkless() public {
        rare.rollFork(1);
    }

    function test_assumeAfterEffects() public {
        t.set(1);
        vm.assume(t.v() == 2);
    }

    function test_skipInner() public {
        this.skipper();
    }

    function skipper() external {
        vm.skip(true);
    }

    function test_skipCaught() public {
        try this.skipper() {} catch {}
    }

    function test_assumeCaught() public {
        try this.assumer() {} catch {}
    }

    function assumer() external pure {
        vm.assume(false);
    }

    function test_boundEdge() public view {
        require(vm.bound(uint256(5), 6, 7) >= 6);
    }

    function test_randomDiffers() public {
        require(vm.randomUint() != vm.randomUint());
    }

    function test_lastCallGasNoCall() public view {
        vm.lastCallGas();
    }

    function test_startPrankTwice() public {
        vm.startPrank(address(1));
        vm.startPrank(address(2));
    }

    function test_stopPrankNone() public {
        vm.stopPrank();
    }

    function test_prankTwice() public {
        vm.prank(address(1));
        vm.prank(address(2));
        t.set(1);
    }

    function test_prankDelegate() public {
        vm.prank(address(t), true);
        (bool ok,) = address(t).delegatecall(abi.encodeCall(t.set, (1)));
        require(ok);
    }

    function test_readCallersOpen() public {
        vm.startPrank(address(3));
        (, address a,) = rare.readCallers();
        require(a == address(3));
    }

    function test_signRecover() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, bytes32(uint256(5)));
        require(ecrecover(bytes32(uint256(5)), v, r, s) == vm.addr(1));
    }

    function test_getCodeOwn() public view {
        require(keccak256(vm.getCode("Everyday.t.sol:EverydayTarget")) == keccak256(type(EverydayTarget).creationCode));
    }

    function test_toStringMin() public view {
        require(
            keccak256(bytes(vm.toString(type(int256).min)))
                == keccak256("-57896044618658097711785492504343953926634992332820282019728792003956564819968")
        );
    }

    function test_parseBad() public view {
        vm.parseUint("-1");
    }

    function test_memoryBomb() public pure returns (bytes memory) {
        return new bytes(1e8);
    }

    function test_invalidOpcode() public pure {
        assembly { invalid() }
    }

    function test_stopEarly() public pure {
        assembly { stop() }
    }

    function test_returnEarly() public pure {
        assembly { return(0, 0) }
    }

    function test_selfdestructSelf() public {
        selfdestruct(payable(address(1)));
    }

    function test_selfdestructThenFail() public {
        (bool ok,) = address(this).call(abi.encodeCall(this.die, ()));
        require(ok);
        require(address(this).code.length > 0);
    }

    function die() external {
        selfdestruct(payable(address(1)));
    }
}

contract EverydayInputs is RareTest {
    function testFuzz_enum(EverydayColor c) public pure {
        require(uint8(c) < 3);
    }

    function testFuzz_enumFails(EverydayColor c) public pure {
        require(uint8(c) < 2);
    }

    function testFuzz_boolFails(bool b) public pure {
        require(b);
    }

    function testFuzz_array(uint256[3] memory a) public pure {
        require(a[0] != a[1] || a[0] == a[1]);
    }

    function testFuzz_dynamic(uint256[] memory a) public pure {
        require(a.length < 1000);
    }

    function testFuzz_dynamicShort(uint256[] memory a) public pure {
        require(a.length < 2);
    }

    function testFuzz_string(string memory s) public pure {
        require(bytes(s).length < 5);
    }

    function testFuzz_boundOk(uint256 x) public view {
        x = vm.bound(x, 3, 9);
        require(x >= 3 && x <= 9);
    }

    function testFuzz_boundFails(uint256 x) public view {
        x = vm.bound(x, 3, 9);
        require(x != 5);
    }

    function testFuzz_uintAdd(uint128 a, uint128 b) public pure {
        uint256(a) + b;
    }

    function testFuzz_uintAddFails(uint256 a, uint256 b) public pure {
        a + b;
    }

    function testFuzz_tuple(uint256 a, string memory s, bytes32[] memory h) public pure {
        require(a >= 0 && bytes(s).length >= 0 && h.length >= 0);
    }

    struct P {
        uint8 a;
        address b;
    }

    function testFuzz_struct(P memory p) public pure {
        require(p.a < 200);
    }

    function testFuzz_structs(P[] memory p) public pure {
        for (uint256 i; i < p.length; i++) {
            require(p[i].b != address(0) || p[i].a >= 0);
        }
    }

    function testFuzz_function(function(uint256) external f) public pure {
        f;
    }

    function testFuzz_skipSome(uint256 x) public {
        vm.skip(x % 2 == 0);
    }

    function testFuzz_senderFixed(uint256) public view {
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }

    function testFuzz_freshState(uint256 x) public {
        require(seen == 0);
        seen = x | 1;
    }
    uint256 seen;

    function testFuzz_payable(uint256 x) public payable {
        require(msg.value == 0 && x >= 0);
    }

    function testFuzz_viewReturns(uint256 x) public pure returns (bool) {
        x;
        return false;
    }
}
