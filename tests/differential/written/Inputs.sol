// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/More.sol";
import "../src/Things.sol";

enum Col {
    A,
    B,
    C
}

struct In {
    uint8 x;
    bool y;
}

struct Out {
    In i;
    address who;
    uint16[] list;
    bytes b;
    string s;
    Col c;
}

type Wad is uint256;

contract FuzzTypes is FullTest {
    function testFuzz_enum(Col c) public pure {
        assertLe(uint256(c), 2);
    }

    function testFuzz_enumBad(Col c) public pure {
        assertTrue(c != Col.B);
    }

    function testFuzz_struct(Out memory o) public pure {
        assertLe(uint256(o.c), 2);
        assertLe(o.i.x, 255);
    }

    function testFuzz_structBad(Out memory o) public pure {
        assertTrue(!o.i.y);
    }

    function testFuzz_structCalldata(Out calldata o) public pure {
        assertLe(o.list.length, 10000);
    }

    function testFuzz_wad(Wad w) public pure {
        assertLt(Wad.unwrap(w), type(uint256).max - 1e70);
    }

    function testFuzz_wadOk(Wad w) public pure {
        Wad.unwrap(w);
    }

    function testFuzz_contract(Pot p) public pure {
        assertEq(uint160(address(p)) >> 160, 0);
    }

    function testFuzz_payableAddr(address payable a) public pure {
        a;
    }

    function testFuzz_arr(uint8[3] memory a) public pure {
        assertLe(uint256(a[0]) + a[1] + a[2], 765);
    }

    function testFuzz_arrBad(uint8[3] memory a) public pure {
        assertTrue(a[0] <= a[1] || a[1] <= a[2]);
    }

    function testFuzz_nested(uint8[][2] memory a) public pure {
        assertEq(a.length, 2);
    }

    function testFuzz_structs(In[] memory a) public pure {
        for (uint256 i; i < a.length; i++) {
            assertLe(a[i].x, 255);
        }
    }

    function testFuzz_structsFixed(In[2] calldata a) public pure {
        assertTrue(a[0].x == a[0].x);
    }

    function testFuzz_bytesN(bytes1 a, bytes7 b, bytes31 c) public pure {
        a;
        b;
        c;
    }

    function testFuzz_ints(int8 a, int72 b, int256 c) public pure {
        assertLe(a, 127);
        assertGe(a, -128);
        b;
        c;
    }

    function testFuzz_intMin(int256 c) public pure {
        assertTrue(c != type(int256).min || c < 0);
    }

    function testFuzz_negAbs(int128 c) public pure {
        assertTrue(c >= 0);
    }

    function testFuzz_many(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e, uint256 f) public pure {
        a;
        b;
        c;
        d;
        e;
        f;
    }

    function testFuzz_empty(bytes memory b) public pure {
        assertLt(b.length, 100000);
    }

    function testFuzz_lenBad(bytes memory b) public pure {
        assertEq(b.length, 0);
    }

    function testFuzz_string(string memory s) public pure {
        bytes(s).length;
    }

    function testFuzz_functionType(function(uint256) external returns (uint256) f) public pure {
        f;
    }

    function testFuzz_addrIsThis(address a) public view {
        assertTrue(a != address(0) || a == address(0));
    }

    function testFuzz_small(uint8 x) public pure {
        assertLt(x, 200);
    }

    function testFuzz_add(uint256 a, uint256 b) public pure {
        a + b;
    }

    function testFuzz_addUnchecked(uint256 a, uint256 b) public pure {
        unchecked {
            a + b;
        }
    }

    function testFuzz_mul(uint128 a, uint128 b) public pure {
        uint256(a) * b;
    }

    function testFuzz_div(uint256 a) public pure {
        assertEq(a / 1, a);
    }

    function testFuzz_zeroDiv(uint8 a) public pure {
        uint256(5) / a;
    }

    function testFuzz_payable(uint8 a) public payable {
        assertEq(msg.value, 0);
        a;
    }

    function testFuzz_prank(address a) public {
        Pot p = new Pot();
        vm.prank(a);
        assertEq(p.who(), a);
    }

    function testFuzz_warp(uint64 t) public {
        vm.warp(t);
        assertEq(block.timestamp, t);
    }

    function testFuzz_store(bytes32 s, bytes32 v) public {
        Pot p = new Pot();
        vm.store(address(p), s, v);
        assertEq(vm.load(address(p), s), v);
    }

    function testFuzz_expectRevert(uint8 x) public {
        Pot p = new Pot();
        vm.expectRevert(abi.encodeWithSelector(Pot.Bad.selector, uint256(x)));
        p.bad(x);
    }

    function testFuzz_sign(uint256 k, bytes32 d) public {
        k = vm.bound(k, 1, 1e70);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(k, d);
        assertEq(ecrecover(d, v, r, s), vm.addr(k));
    }

    function testFuzz_create2(bytes32 salt) public {
        Pot p = new Pot{salt: salt}();
        assertTrue(address(p) != address(0));
    }

    function testFuzz_toString(uint256 x) public pure {
        assertEq(vm.parseUint(vm.toString(x)), x);
    }

    function testFuzz_toStringInt(int256 x) public pure {
        assertEq(vm.parseInt(vm.toString(x)), x);
    }

    function testFuzz_toStringAddr(address x) public pure {
        assertEq(vm.parseAddress(vm.toString(x)), x);
    }

    function testFuzz_toStringBytes(bytes memory x) public pure {
        assertEq(vm.parseBytes(vm.toString(x)), x);
    }

    function testFuzz_snapshot(uint256 x) public {
        Pot p = new Pot();
        uint256 id = vm.snapshotState();
        p.set(x);
        vm.revertToState(id);
        assertEq(p.a(), 0);
    }
}

contract FuzzAssume is FullTest {
    function testFuzz_one(uint256 x) public pure {
        vm.assume(x > 0);
        assertGt(x, 0);
    }

    function testFuzz_two(uint8 x, uint8 y) public pure {
        vm.assume(x < y);
        assertLt(x, y);
    }

    function testFuzz_none(uint8 x) public pure {
        vm.assume(x > 255);
    }

    function testFuzz_addrs(address a, address b) public pure {
        vm.assume(a != b);
        vm.assume(a != address(0));
        assertTrue(a != b);
    }

    function testFuzz_revertBefore(uint8 x) public pure {
        require(x < 10);
        vm.assume(x < 10);
    }

    /// forge-config: default.fuzz.max-test-rejects = 0
    function testFuzz_norejects(uint8 x) public pure {
        vm.assume(x < 128);
    }

    /// forge-config: default.fuzz.runs = 1
    function testFuzz_oneRun(uint8 x) public pure {
        x;
    }

    function testFuzz_inner(uint8 x) public {
        this.inner(x);
    }

    function inner(uint8 x) public pure {
        vm.assume(x < 128);
    }

    function testFuzz_tryAssume(uint8 x) public {
        try this.inner(x) {}
            catch {
            revert("caught");
        }
    }

    function testFuzz_assumeAfterFailLow(uint8 x) public {
        (bool ok,) = address(this).call(abi.encodeCall(this.inner, (x)));
        assertTrue(ok);
    }
}

contract TablePair is FullTest {
    struct Row {
        uint256 a;
        uint256 b;
        uint256 sum;
    }

    function fixtureRow() public pure returns (Row[] memory r) {
        r = new Row[](2);
        r[0] = Row(1, 2, 3);
        r[1] = Row(2, 2, 5);
    }
    uint256[] public fixtureA = [1, 2, 3];
    uint256[] public fixtureB = [1, 2, 3];
    uint256[] public fixtureC = [1, 2];

    function tableRow(Row memory row) public pure {
        assertEq(row.a + row.b, row.sum);
    }

    function tableRowOk(Row memory row) public pure {
        assertLe(row.a + row.b, row.sum);
    }

    function tablePair(uint256 a, uint256 b) public pure {
        assertEq(a, b);
    }

    function tableUneven(uint256 a, uint256 c) public pure {
        a;
        c;
    }

    function table_under(uint256 a) public pure {
        a;
    }

    function tableWithState(uint256 a) public {
        assertEq(address(0x99).balance, 0);
        vm.deal(address(0x99), a);
    }
}

contract SkipTests is FullTest {
    function test_skip() public {
        vm.skip(true);
        revert();
    }

    function test_skipMsg() public {
        vm.skip(true, "why");
    }

    function test_skipFalse() public {
        vm.skip(false);
    }

    function test_failThenSkip() public {
        assertTrue(false);
        vm.skip(true);
    }

    function testFuzz_skip(uint256) public {
        vm.skip(true);
    }

    function test_skipInner() public {
        this.inner();
    }

    function inner() public {
        vm.skip(true);
    }

    function test_skipTry() public {
        try this.inner() {} catch {}
    }

    function test_expectRevertSkip() public {
        vm.expectRevert();
        vm.skip(true);
    }

    function test_revertSkipBytes() public pure {
        bytes memory d = "FOUNDRY::SKIP";
        assembly { revert(add(d, 32), mload(d)) }
    }

    function test_assume() public pure {
        vm.assume(false);
    }
}
