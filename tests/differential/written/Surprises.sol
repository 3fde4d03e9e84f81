// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/More.sol";
import "../src/Things.sol";

contract SetUpRecord is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
        vm.recordLogs();
        p.set(1);
    }

    function test_x() public {
        p.set(2);
        assertEq(vm.getRecordedLogs().length, 2);
    }

    function test_y() public {
        p.set(2);
        assertEq(vm.getRecordedLogs().length, 1);
    }
}

contract InvSender is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
        targetSender(address(0xA));
        targetSender(address(0xB));
    }

    function invariant_s() public view {
        address l = c.last();
        assertTrue(l == address(0) || l == address(0xA) || l == address(0xB));
    }

    function invariant_notA() public view {
        assertTrue(c.last() != address(0xA));
    }

    function invariant_notB() public view {
        assertTrue(c.last() != address(0xB));
    }
}

contract InvExSender is FullTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
        targetContract(address(c));
        targetSender(address(0xA));
        targetSender(address(0xB));
        excludeSender(address(0xA));
    }

    function invariant_notA() public view {
        assertTrue(c.last() != address(0xA));
    }

    function invariant_notB() public view {
        assertTrue(c.last() != address(0xB));
    }
}

contract Fixtures is FullTest {
    uint256[] public fixtureAmount = [1, 5, 1e30];

    function fixtureWho() public pure returns (address[] memory a) {
        a = new address[](2);
        a[0] = address(0xAA);
        a[1] = address(0xBB);
    }

    function testFuzz_amount(uint256 amount) public pure {
        assertTrue(amount != 1e30);
    }

    function testFuzz_who(address who) public pure {
        assertTrue(who != address(0xBB));
    }

    function tableX(uint256 amount) public pure {
        assertLt(amount, 1e31);
    }

    function tableY(uint256 amount) public pure {
        assertLt(amount, 1e29);
    }

    function tableZ(uint256 nofixture) public pure {
        assertLt(nofixture, 1e29);
    }
    function tableNone() public pure {}
}

contract Broadcasts is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_once() public {
        vm.broadcast();
        p.set(1);
        assertEq(p.m(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38), 1);
    }

    function test_several() public {
        vm.startBroadcast(address(0x66));
        p.set(1);
        p.set(2);
        vm.stopBroadcast();
        assertEq(p.m(address(0x66)), 2);
    }

    function test_nonceOfCall() public {
        vm.broadcast(address(0x66));
        p.set(1);
        assertEq(vm.getNonce(address(0x66)), 1);
    }

    function test_nonceOfView() public {
        vm.startBroadcast(address(0x66));
        p.a();
        vm.stopBroadcast();
        assertEq(vm.getNonce(address(0x66)), 0);
    }

    function test_nonceOfCreation() public {
        vm.broadcast(address(0x66));
        new Pot();
        assertEq(vm.getNonce(address(0x66)), 1);
    }

    function test_nonces() public {
        vm.startBroadcast(address(0x66));
        new Pot();
        p.set(1);
        new Pot();
        vm.stopBroadcast();
        p.set(2);
        assertEq(vm.getNonce(address(0x66)), 3);
    }

    function test_stopNone() public {
        vm.stopBroadcast();
    }

    function test_stopOnce() public {
        vm.broadcast(address(0x66));
        vm.stopBroadcast();
        assertEq(p.who(), address(this));
    }

    function test_twice() public {
        vm.startBroadcast(address(0x66));
        vm.startBroadcast(address(0x66));
    }

    function test_overPrank() public {
        vm.startPrank(address(0x66));
        p.who();
        vm.broadcast(address(0x55));
        p.set(1);
    }

    function test_prankOver() public {
        vm.startBroadcast(address(0x66));
        p.set(1);
        vm.startPrank(address(0x55));
    }

    function test_stopPrankLeaves() public {
        vm.startBroadcast(address(0x66));
        vm.stopPrank();
        p.set(1);
        assertEq(p.m(address(0x66)), 1);
    }

    function test_origin() public {
        vm.startBroadcast(address(0x66));
        assertEq(p.org(), address(0x66));
    }

    function test_deeper() public {
        vm.startBroadcast(address(0x66));
        this.inner();
        assertEq(p.m(address(this)), 1);
    }

    function inner() public {
        p.set(1);
    }

    function test_delegatedCheat() public {
        (bool done,) = address(vm).delegatecall(abi.encodeWithSignature("warp(uint256)", 77));
        assertTrue(done);
        assertEq(block.timestamp, 1);
    }

    function test_expectedCreation() public {
        vm.expectRevert("thirteen");
        vm.deployCode("Args", abi.encode(uint256(13), ""));
    }

    function test_expectedCreationWrong() public {
        vm.expectRevert("other");
        vm.deployCode("Args", abi.encode(uint256(13), ""));
    }

    function test_expectedCreationWorks() public {
        vm.expectRevert();
        vm.deployCode("Args", abi.encode(uint256(12), ""));
    }

    function test_blobFeeIsExcess() public {
        vm.blobBaseFee(5e7);
        assertEq(block.blobbasefee, 3194333);
        assertEq(vm.getBlobBaseFee(), 5e7);
    }
}
