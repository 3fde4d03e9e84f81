// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

contract CallCounts is RareTest {
    Teller t;
    Teller u;

    function setUp() public {
        t = new Teller();
        u = new Teller();
    }

    function data(uint256 number) internal pure returns (bytes memory) {
        return abi.encodeCall(Teller.tell, (number));
    }

    function test_exactZero() public {
        vm.expectCall(address(t), data(1), 0);
        t.tell(2);
    }

    function test_exactZeroCalled() public {
        vm.expectCall(address(t), data(1), 0);
        t.tell(1);
    }

    function test_exactThree() public {
        vm.expectCall(address(t), data(1), 3);
        for (uint256 i; i < 3; i++) t.tell(1);
    }

    function test_exactThreeFour() public {
        vm.expectCall(address(t), data(1), 3);
        for (uint256 i; i < 4; i++) t.tell(1);
    }

    function test_plainTwice() public {
        vm.expectCall(address(t), data(1));
        vm.expectCall(address(t), data(1));
        t.tell(1);
    }

    function test_plainTwiceTwo() public {
        vm.expectCall(address(t), data(1));
        vm.expectCall(address(t), data(1));
        t.tell(1);
        t.tell(1);
    }

    function test_countThenPlain() public {
        vm.expectCall(address(t), data(1), 1);
        vm.expectCall(address(t), data(1));
        t.tell(1);
    }

    function test_plainThenCount() public {
        vm.expectCall(address(t), data(1));
        vm.expectCall(address(t), data(1), 1);
        t.tell(1);
    }

    function test_countTwice() public {
        vm.expectCall(address(t), data(1), 2);
        vm.expectCall(address(t), data(1), 2);
        t.tell(1);
        t.tell(1);
    }

    function test_prefix() public {
        vm.expectCall(address(t), abi.encodePacked(Teller.tell.selector));
        t.tell(7);
    }

    function test_emptyPrefix() public {
        vm.expectCall(address(t), "");
        t.tell(7);
    }

    function test_emptyPrefixReceive() public {
        vm.expectCall(address(t), "");
        (bool done,) = address(t).call("");
        assertTrue(done);
    }

    function test_longer() public {
        vm.expectCall(address(t), abi.encodePacked(data(1), uint8(0)));
        t.tell(1);
    }

    function test_value() public {
        vm.expectCall(address(t), 5, data(1));
        t.tell{value: 5}(1);
    }

    function test_valueWrong() public {
        vm.expectCall(address(t), 5, data(1));
        t.tell{value: 6}(1);
    }

    function test_valueZeroWanted() public {
        vm.expectCall(address(t), 0, data(1));
        t.tell{value: 6}(1);
    }

    function test_noValueWanted() public {
        vm.expectCall(address(t), data(1));
        t.tell{value: 6}(1);
    }

    function test_valueCount() public {
        vm.expectCall(address(t), 5, data(1), 2);
        t.tell{value: 5}(1);
        t.tell{value: 5}(1);
    }

    function test_valueOtherAndCount() public {
        vm.expectCall(address(t), 5, data(1), 1);
        t.tell{value: 5}(1);
        t.tell{value: 4}(1);
    }

    function test_gas() public {
        vm.expectCall(address(t), 0, 50000, data(1));
        t.tell{gas: 50000}(1);
    }

    function test_gasWrong() public {
        vm.expectCall(address(t), 0, 50000, data(1));
        t.tell{gas: 50001}(1);
    }

    function test_gasWithValue() public {
        vm.expectCall(address(t), 1, 50000, data(1));
        t.tell{value: 1, gas: 50000}(1);
    }

    function test_gasWithValueStipend() public {
        vm.expectCall(address(t), 1, 52300, data(1));
        t.tell{value: 1, gas: 50000}(1);
    }

    function test_gasCount() public {
        vm.expectCall(address(t), 0, 50000, data(1), 2);
        t.tell{gas: 50000}(1);
        t.tell{gas: 50000}(1);
    }

    function test_minGas() public {
        rare.expectCallMinGas(address(t), 0, 50000, data(1), 1);
        t.tell{gas: 60000}(1);
    }

    function test_minGasLess() public {
        rare.expectCallMinGas(address(t), 0, 50000, data(1), 1);
        t.tell{gas: 49999}(1);
    }

    function test_minGasWithValue() public {
        rare.expectCallMinGas(address(t), 1, 50000, data(1), 1);
        t.tell{value: 1, gas: 48000}(1);
    }

    function test_nested() public {
        vm.expectCall(address(u), data(3));
        t.tellOther(u, 3);
    }

    function test_nestedCount() public {
        vm.expectCall(address(u), data(3), 1);
        t.tellOther(u, 3);
        u.tell(3);
    }

    function test_nestedGas() public {
        vm.expectCall(address(u), 0, 50000, data(3));
        t.tellGas(u, 3);
    }

    function test_static() public {
        vm.expectCall(address(u), abi.encodeWithSignature("got()"));
        t.tellStatic(u);
    }

    function test_delegated() public {
        vm.expectCall(address(u), data(3));
        t.tellDelegated(u, 3);
    }

    function test_delegatedOfCaller() public {
        vm.expectCall(address(t), data(3));
        t.tellDelegated(u, 3);
    }

    function test_undone() public {
        vm.expectCall(address(u), data(3));
        t.trySwallow(u, 3);
    }

    function test_undoneCount() public {
        vm.expectCall(address(u), data(3), 1);
        t.trySwallow(u, 3);
        u.tell(3);
    }

    function test_revertsAll() public {
        vm.expectCall(address(u), data(3));
        vm.expectRevert();
        t.tellAndRevert(u, 3);
    }

    function test_self() public {
        vm.expectCall(address(t), data(3), 1);
        t.tellSelf(3);
    }

    function test_mocked() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(9)));
        vm.expectCall(address(t), data(1), 1);
        assertEq(t.tell(1), 9);
    }

    function test_mockedOtherCallee() public {
        rare.mockFunction(address(t), address(new OtherTeller()), abi.encodePacked(Teller.tell.selector));
        vm.expectCall(address(t), data(1), 1);
        assertEq(t.tell(1), 2);
        assertEq(t.got(), 1001);
    }

    function test_before() public {
        t.tell(1);
        vm.expectCall(address(t), data(1));
    }

    function test_beforeAndAfter() public {
        t.tell(1);
        vm.expectCall(address(t), data(1), 1);
        t.tell(1);
    }

    function test_byPrank() public {
        vm.expectCall(address(t), data(1));
        vm.prank(address(77));
        t.tell(1);
    }

    function test_cheatAddress() public {
        vm.expectCall(address(vm), abi.encodeWithSignature("warp(uint256)", 5));
        vm.warp(5);
    }

    function test_precompile() public {
        vm.expectCall(address(2), "");
        (bool done,) = address(2).call("");
        assertTrue(done);
    }

    function test_noCode() public {
        vm.expectCall(address(0x9999), "");
        (bool done,) = address(0x9999).call("");
        assertTrue(done);
    }

    function test_creationIsNone() public {
        vm.expectCall(address(t), "");
        new Constructs(1);
    }

    function test_outOfFunds() public {
        vm.deal(address(this), 0);
        vm.expectCall(address(t), 1, data(1));
        (bool done,) = address(t).call{value: 1}(data(1));
        assertFalse(done);
    }
}

contract MockOrder is RareTest {
    Teller t;
    Teller u;

    function setUp() public {
        t = new Teller();
        u = new Teller();
    }

    function data(uint256 number) internal pure returns (bytes memory) {
        return abi.encodeCall(Teller.tell, (number));
    }

    function test_longerWins() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        vm.mockCall(address(t), abi.encodePacked(Teller.tell.selector), abi.encode(uint256(20)));
        assertEq(t.tell(1), 10);
        assertEq(t.tell(2), 20);
    }

    function test_longerWinsReversed() public {
        vm.mockCall(address(t), abi.encodePacked(Teller.tell.selector), abi.encode(uint256(20)));
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        assertEq(t.tell(1), 10);
    }

    function test_lastWins() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        vm.mockCall(address(t), data(1), abi.encode(uint256(11)));
        assertEq(t.tell(1), 11);
    }

    function test_valueWins() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        vm.mockCall(address(t), 3, data(1), abi.encode(uint256(30)));
        assertEq(t.tell{value: 3}(1), 30);
        assertEq(t.tell(1), 10);
    }

    function test_valueAgainstLonger() public {
        vm.mockCall(address(t), 3, abi.encodePacked(Teller.tell.selector), abi.encode(uint256(30)));
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        assertEq(t.tell{value: 3}(1), 10);
    }

    function test_valueZero() public {
        vm.mockCall(address(t), 0, data(1), abi.encode(uint256(30)));
        assertEq(t.tell{value: 1}(1), 1);
        assertEq(t.tell(1), 30);
    }

    function test_revertOver() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        rare.mockCallRevert(address(t), data(1), "no");
        vm.expectRevert(bytes("no"));
        t.tell(1);
    }

    function test_callOverRevert() public {
        rare.mockCallRevert(address(t), data(1), "no");
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        assertEq(t.tell(1), 10);
    }

    function test_revertSelector() public {
        rare.mockCallRevert(address(t), Teller.tell.selector, "no");
        vm.expectRevert(bytes("no"));
        t.tell(5);
    }

    function test_revertValue() public {
        rare.mockCallRevert(address(t), 2, data(1), "no");
        assertEq(t.tell(1), 1);
        vm.expectRevert(bytes("no"));
        t.tell{value: 2}(1);
    }

    function test_moneyMoves() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        t.tell{value: 5}(1);
        assertEq(address(t).balance, 5);
    }

    function test_moneyStays() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        t.tell{value: 5}(1);
        assertEq(address(t).balance, 0);
    }

    function test_noCodeGetsSome() public {
        vm.mockCall(address(0x55), data(1), abi.encode(uint256(10)));
        assertEq(Teller(payable(address(0x55))).tell(1), 10);
        assertEq(address(0x55).code.length, 1);
    }

    function test_noCodeRevertGetsNone() public {
        rare.mockCallRevert(address(0x55), data(1), "x");
        assertEq(address(0x55).code.length, 1);
    }

    function test_list() public {
        bytes[] memory outputs = new bytes[](2);
        outputs[0] = abi.encode(uint256(1));
        outputs[1] = abi.encode(uint256(2));
        rare.mockCalls(address(t), data(7), outputs);
        assertEq(t.tell(7), 1);
        assertEq(t.tell(7), 2);
        assertEq(t.tell(7), 2);
    }

    function test_listEmpty() public {
        bytes[] memory outputs = new bytes[](0);
        rare.mockCalls(address(t), data(7), outputs);
        assertEq(t.tell(7), 7);
    }

    function test_listReplaced() public {
        bytes[] memory outputs = new bytes[](2);
        outputs[0] = abi.encode(uint256(1));
        outputs[1] = abi.encode(uint256(2));
        rare.mockCalls(address(t), data(7), outputs);
        t.tell(7);
        rare.mockCalls(address(t), data(7), outputs);
        assertEq(t.tell(7), 1);
    }

    function test_emptyData() public {
        vm.mockCall(address(t), bytes(""), abi.encode(uint256(44)));
        assertEq(t.tell(1), 44);
    }

    function test_clear() public {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        rare.clearMockedCalls();
        assertEq(t.tell(1), 1);
    }

    function test_clearFunction() public {
        rare.mockFunction(address(t), address(new OtherTeller()), abi.encodePacked(Teller.tell.selector));
        rare.clearMockedCalls();
        assertEq(t.tell(1), 1);
    }

    function test_functionExact() public {
        address other = address(new OtherTeller());
        rare.mockFunction(address(t), other, data(1));
        assertEq(t.tell(1), 2);
        assertEq(t.tell(2), 2);
    }

    function test_functionPrefix() public {
        address other = address(new OtherTeller());
        bytes memory prefix = new bytes(8);
        for (uint256 i; i < 4; i++) prefix[i] = Teller.tell.selector[i];
        rare.mockFunction(address(t), other, prefix);
        assertEq(t.tell(1), 1);
    }

    function test_functionThenCall() public {
        rare.mockFunction(address(t), address(new OtherTeller()), abi.encodePacked(Teller.tell.selector));
        vm.mockCall(address(t), data(1), abi.encode(uint256(77)));
        assertEq(t.tell(1), 77);
    }

    function test_delegated() public {
        vm.mockCall(address(u), data(1), abi.encode(uint256(10)));
        t.tellDelegated(u, 1);
        assertEq(t.got(), 0);
    }

    function test_static() public {
        vm.mockCall(address(u), abi.encodeWithSignature("got()"), abi.encode(uint256(10)));
        assertEq(t.tellStatic(u), 10);
    }

    function test_internalSelf() public {
        vm.mockCall(address(t), data(4), abi.encode(uint256(10)));
        assertEq(t.tellSelf(4), 10);
    }

    function test_ownAddress() public {
        vm.mockCall(address(this), abi.encodeCall(this.mine, ()), abi.encode(uint256(10)));
        assertEq(this.mine(), 10);
        assertEq(mine(), 1);
    }

    function mine() public pure returns (uint256) {
        return 1;
    }

    function test_precompile() public {
        vm.mockCall(address(2), bytes(""), abi.encode(uint256(10)));
        assertTrue(sha256("") == bytes32(uint256(10)));
    }

    function test_undoneByRevert() public {
        try this.mockAndRevert() {} catch {}
        assertEq(t.tell(1), 10);
    }

    function mockAndRevert() external {
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        revert("x");
    }

    function test_snapshotKeeps() public {
        uint256 id = rare.snapshot();
        vm.mockCall(address(t), data(1), abi.encode(uint256(10)));
        rare.revertTo(id);
        assertEq(t.tell(1), 10);
    }
}

contract PranksRare is RareTest {
    Ctr c;

    function setUp() public {
        c = new Ctr();
    }

    function test_prankOfCreation() public {
        vm.prank(address(9));
        Constructs made = new Constructs(1);
        assertEq(made.maker(), address(9));
        assertEq(vm.getNonce(address(9)), 1);
    }

    function test_startPrankTwice() public {
        vm.startPrank(address(9));
        vm.startPrank(address(10));
        c.inc();
        assertEq(c.last(), address(10));
    }

    function test_startPrankTwiceUsed() public {
        vm.startPrank(address(9));
        c.inc();
        vm.startPrank(address(10));
        c.inc();
        assertEq(c.last(), address(10));
    }

    function test_readCallersPrank() public {
        vm.startPrank(address(9), address(8));
        (uint8 mode, address sender, address origin) = rare.readCallers();
        assertEq(uint256(mode), 4);
        assertEq(sender, address(9));
        assertEq(origin, address(8));
    }

    function test_readCallersOnce() public {
        vm.prank(address(9));
        (uint8 mode, address sender,) = rare.readCallers();
        assertEq(uint256(mode), 3);
        assertEq(sender, address(9));
        c.inc();
    }

    function test_readCallersBroadcast() public {
        vm.startBroadcast(address(9));
        (uint8 mode, address sender,) = rare.readCallers();
        assertEq(uint256(mode), 2);
        assertEq(sender, address(9));
        vm.stopBroadcast();
    }

    function test_broadcastValue() public {
        vm.deal(address(9), 10);
        vm.broadcast(address(9));
        (bool done,) = address(0x77).call{value: 4}("");
        assertTrue(done);
        assertEq(address(9).balance, 6);
    }

    function test_broadcastCreation() public {
        vm.startBroadcast(address(9));
        Constructs made = new Constructs(1);
        vm.stopBroadcast();
        assertEq(address(made), vm.computeCreateAddress(address(9), 0));
    }

    function test_broadcastSalted() public {
        vm.startBroadcast(address(9));
        Constructs made = new Constructs{salt: bytes32(uint256(5))}(1);
        vm.stopBroadcast();
        bytes32 hash = keccak256(abi.encodePacked(type(Constructs).creationCode, abi.encode(uint256(1))));
        assertEq(address(made), vm.computeCreate2Address(bytes32(uint256(5)), hash));
    }

    function test_prankSalted() public {
        vm.prank(address(9));
        Constructs made = new Constructs{salt: bytes32(uint256(5))}(1);
        bytes32 hash = keccak256(abi.encodePacked(type(Constructs).creationCode, abi.encode(uint256(1))));
        assertEq(address(made), vm.computeCreate2Address(bytes32(uint256(5)), hash, address(9)));
    }

    function test_broadcastDefault() public {
        vm.broadcast();
        c.inc();
        assertEq(c.last(), tx.origin);
    }

    function test_broadcastOpen() public {
        vm.startBroadcast();
        c.inc();
    }

    function test_broadcastTwice() public {
        vm.startBroadcast();
        vm.startBroadcast();
    }

    function test_stopBroadcastOnce() public {
        vm.broadcast();
        vm.stopBroadcast();
    }

    function test_prankAsContract() public {
        vm.startPrank(address(c));
        Teller t = new Teller();
        assertEq(address(t), vm.computeCreateAddress(address(c), 1));
    }

    function test_prankZero() public {
        vm.prank(address(0));
        c.inc();
        assertEq(c.last(), address(0));
    }

    function test_prankVm() public {
        vm.prank(address(vm));
        c.inc();
        assertEq(c.last(), address(vm));
    }

    function test_prankBalance() public {
        vm.deal(address(9), 3);
        vm.prank(address(9));
        (bool done,) = address(0x77).call{value: 3}("");
        assertTrue(done);
        assertEq(address(0x77).balance, 3);
    }

    function test_prankNoBalance() public {
        vm.prank(address(9));
        (bool done,) = address(0x77).call{value: 3}("");
        assertTrue(done);
    }

    function test_originStays() public {
        vm.startPrank(address(9));
        assertTrue(tx.origin != address(9));
        c.inc();
        assertEq(c.last(), address(9));
    }

    function test_delegatePrankEoa() public {
        vm.prank(address(9), true);
        (bool done,) = address(c).delegatecall(abi.encodeCall(Ctr.inc, ()));
        assertTrue(done);
    }

    function test_delegatePrankContract() public {
        Ctr other = new Ctr();
        vm.prank(address(other), true);
        (bool done,) = address(c).delegatecall(abi.encodeCall(Ctr.inc, ()));
        assertTrue(done);
        assertEq(other.n(), 1);
    }

    function test_delegatePrankThenCall() public {
        Ctr other = new Ctr();
        vm.startPrank(address(other), true);
        c.inc();
        assertEq(c.last(), address(other));
    }
}
