// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

contract RevertCounts is RareTest {
    Breaker b;
    Breaker c;

    function setUp() public {
        b = new Breaker();
        c = new Breaker();
        b.link(c);
    }

    function test_zeroNone() public {
        vm.expectRevert(uint64(0));
        b.works();
    }

    function test_zeroReverts() public {
        vm.expectRevert(uint64(0));
        b.bare();
    }

    function test_zeroDataOther() public {
        vm.expectRevert(bytes("text"), uint64(0));
        b.works();
    }

    function test_zeroDataSame() public {
        vm.expectRevert(bytes("text"), uint64(0));
        b.text();
    }

    function test_zeroDataDifferent() public {
        vm.expectRevert(bytes("else"), uint64(0));
        b.text();
    }

    function test_zeroSelector() public {
        vm.expectRevert(Small.selector, uint64(0));
        b.text();
    }

    function test_zeroReverter() public {
        vm.expectRevert(address(c), uint64(0));
        b.works();
    }

    function test_zeroReverterOther() public {
        vm.expectRevert(address(c), uint64(0));
        b.small();
    }

    function test_two() public {
        vm.expectRevert(uint64(2));
        b.bare();
        b.text();
    }

    function test_twoOnce() public {
        vm.expectRevert(uint64(2));
        b.bare();
    }

    function test_twoWorksBetween() public {
        vm.expectRevert(uint64(2));
        b.bare();
        b.works();
        b.bare();
    }

    function test_twoDifferent() public {
        vm.expectRevert(Small.selector, uint64(2));
        b.small();
        b.text();
    }

    function test_twoThenThird() public {
        vm.expectRevert(Small.selector, uint64(2));
        b.small();
        b.small();
        b.works();
        assertEq(b.count(), 1);
    }

    function test_twoReverter() public {
        vm.expectRevert(address(b), uint64(2));
        b.small();
        b.text();
    }

    function test_twoReverters() public {
        vm.expectRevert(address(b), uint64(2));
        b.small();
        c.small();
    }

    function test_twoReverterDeep() public {
        vm.expectRevert(address(c), uint64(2));
        b.deep();
        b.deep();
    }

    function test_countReverterSelector() public {
        vm.expectRevert(Small.selector, address(b), 1);
        b.small();
    }

    function test_countReverterSelectorDeep() public {
        vm.expectRevert(Small.selector, address(b), 1);
        b.deep();
    }

    function test_countReverterBytes() public {
        vm.expectRevert(abi.encodeWithSelector(Small.selector), address(c), 2);
        b.deep();
        c.small();
    }

    function test_countOne() public {
        vm.expectRevert(uint64(1));
        b.bare();
        b.works();
    }
}

contract RevertPlaces is RareTest {
    Breaker b;
    Breaker c;

    function setUp() public {
        b = new Breaker();
        c = new Breaker();
        b.link(c);
    }

    function helper() external {
        vm.expectRevert();
    }

    function helperReverts() external view {
        b.small();
    }

    function test_reverterIsOuter() public {
        vm.expectRevert(address(b));
        b.deep();
    }

    function test_reverterIsInner() public {
        vm.expectRevert(address(c));
        b.deep();
    }

    function test_innerCaughtOuterOther() public {
        vm.expectRevert(address(c));
        b.deepOther();
    }

    function test_innerCaughtOuterOwn() public {
        vm.expectRevert(address(b));
        b.deepOther();
    }

    function test_caughtInside() public {
        vm.expectRevert();
        b.deepCaught();
    }

    function test_fromDeeper() public {
        this.helper();
        b.small();
    }

    function test_fromDeeperNothing() public {
        this.helper();
    }

    function test_notLast() public {
        vm.expectRevert();
        b.works();
        b.small();
    }

    function test_viewCallBefore() public {
        vm.expectRevert();
        b.count();
        b.small();
    }

    function test_externalSelf() public {
        vm.expectRevert(Small.selector);
        this.helperReverts();
    }

    function test_selectorOfData() public {
        vm.expectRevert(Sized.selector);
        b.sized(3);
    }

    function test_partialOfData() public {
        rare.expectPartialRevert(Sized.selector);
        b.sized(3);
    }

    function test_partialOther() public {
        rare.expectPartialRevert(Texted.selector);
        b.sized(3);
    }

    function test_partialReverter() public {
        rare.expectPartialRevert(Sized.selector, address(c));
        b.sized(3);
    }

    function test_emptyBytes() public {
        vm.expectRevert(bytes(""));
        b.bare();
    }

    function test_emptyBytesText() public {
        vm.expectRevert(bytes(""));
        b.text();
    }

    function test_textAsError() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "text"));
        b.text();
    }

    function test_textPrefix() public {
        vm.expectRevert(bytes("tex"));
        b.text();
    }

    function test_textedByArgs() public {
        vm.expectRevert(abi.encodeWithSelector(Texted.selector, "words"));
        b.texted("words");
    }

    function test_textedByWords() public {
        vm.expectRevert(bytes("words"));
        b.texted("words");
    }

    function test_panicCode() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 1));
        b.panic();
    }

    function test_panicOther() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 17));
        b.panic();
    }

    function test_burns() public {
        vm.expectRevert();
        b.burns{gas: 100000}();
    }

    function test_burnsEmpty() public {
        vm.expectRevert(bytes(""));
        b.burns{gas: 100000}();
    }

    function test_noCode() public {
        vm.expectRevert();
        Breaker(address(0x1234)).works();
    }

    function test_noCodeLow() public {
        vm.expectRevert();
        (bool done,) = address(0x1234).call("");
        assertTrue(done);
    }

    function test_lowLevelDone() public {
        vm.expectRevert();
        (bool done,) = address(b).call(abi.encodeCall(Breaker.small, ()));
        assertTrue(done);
    }

    function test_lowLevelOutput() public {
        vm.expectRevert();
        (, bytes memory output) = address(b).call(abi.encodeCall(Breaker.small, ()));
        assertEq(output.length, 0);
    }

    function test_lowLevelOutputLong() public {
        vm.expectRevert();
        (, bytes memory output) = address(b).call(abi.encodeCall(Breaker.small, ()));
        assertGt(output.length, 100);
    }

    function test_creation() public {
        vm.expectRevert(Small.selector);
        new Constructs(0);
    }

    function test_creationReverter() public {
        vm.expectRevert(address(this));
        new Constructs(0);
    }

    function test_creationReverterMade() public {
        vm.expectRevert(vm.computeCreateAddress(address(this), vm.getNonce(address(this))));
        new Constructs(0);
    }

    function test_nestedCreationReverter() public {
        Maker maker = new Maker();
        vm.expectRevert(address(maker));
        maker.make();
    }

    function test_nestedCreationReverterMade() public {
        Maker maker = new Maker();
        vm.expectRevert(vm.computeCreateAddress(address(maker), 1));
        maker.make();
    }

    function test_creationTwoReverter() public {
        vm.expectRevert(vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1), 2);
        new Constructs(0);
        new Constructs(0);
    }

    function test_creationResult() public {
        vm.expectRevert(Small.selector);
        Constructs made = new Constructs(0);
        assertTrue(address(made) == address(0));
    }

    function test_creationTwo() public {
        vm.expectRevert(Small.selector, uint64(2));
        new Constructs(0);
        new Constructs(0);
    }

    function test_creation2() public {
        vm.expectRevert(Small.selector);
        new Constructs{salt: bytes32(uint256(4))}(0);
    }

    function test_transferFails() public {
        vm.expectRevert();
        payable(address(b)).transfer(1);
    }

    function test_sendFails() public {
        vm.expectRevert();
        bool done = payable(address(b)).send(1);
        assertTrue(done);
    }

    function test_noBalance() public {
        vm.deal(address(this), 0);
        vm.expectRevert();
        (bool done,) = address(b).call{value: 1}("");
        assertTrue(done);
    }

    function test_precompile() public {
        vm.expectRevert();
        (bool done,) = address(2).call("");
        assertTrue(done);
    }

    function test_mocked() public {
        rare.mockCallRevert(address(b), abi.encodeCall(Breaker.works, ()), "mocked");
        vm.expectRevert(bytes("mocked"));
        b.works();
    }

    function test_mockedReverter() public {
        rare.mockCallRevert(address(b), abi.encodeCall(Breaker.works, ()), "mocked");
        vm.expectRevert(address(b));
        b.works();
    }

    function test_twiceExpected() public {
        vm.expectRevert();
        vm.expectRevert();
        b.small();
    }

    function test_prankBetween() public {
        vm.expectRevert();
        vm.prank(address(5));
        b.small();
    }

    function test_cheatBetween() public {
        vm.expectRevert();
        vm.warp(50);
        b.small();
        assertEq(block.timestamp, 50);
    }

    function test_cheatThatFails() public {
        vm.expectRevert();
        vm.parseUint("zz");
    }

    function test_cheatThatFailsText() public {
        vm.expectRevert(bytes("vm.parseUint: failed parsing \"zz\" as type `uint256`: missing hex prefix (\"0x\") for hex string"));
        vm.parseUint("zz");
    }

    function test_assertThatFails() public {
        vm.expectRevert();
        vm.assertTrue(false);
    }

    function test_assertThatFailsThenReverts() public {
        vm.expectRevert();
        vm.assertTrue(false);
        b.small();
    }

    function test_ownRevertAfter() public {
        vm.expectRevert();
        b.small();
        revert("own");
    }

    function test_delegated() public {
        vm.expectRevert();
        (bool done,) = address(b).delegatecall(abi.encodeCall(Breaker.small, ()));
        assertTrue(done);
    }

    function test_decodedZero() public {
        vm.expectRevert();
        this.returnsAfterRevert();
    }

    function returnsAfterRevert() external pure returns (uint256, string memory, uint256[] memory) {
        revert("x");
    }

    function test_decodedZeroUsed() public {
        vm.expectRevert();
        (uint256 a, string memory t, uint256[] memory l) = this.returnsAfterRevert();
        assertEq(a + bytes(t).length + l.length, 0);
    }

    function test_stateUndone() public {
        vm.expectRevert();
        this.worksThenReverts();
        assertEq(b.count(), 0);
    }

    function worksThenReverts() external {
        b.works();
        revert("x");
    }
}

contract NoReverts is RareTest {
    Breaker b;
    Breaker c;

    function setUp() public {
        b = new Breaker();
        c = new Breaker();
        b.link(c);
    }

    function one(address reverter, bool partly, bytes memory data)
        internal
        pure
        returns (RareVm.PotentialRevert memory)
    {
        return RareVm.PotentialRevert(reverter, partly, data);
    }

    function testFuzz_any(uint256 number) public {
        rare.assumeNoRevert();
        if (number % 2 == 0) b.small();
        else b.works();
    }

    function testFuzz_never(uint256) public {
        rare.assumeNoRevert();
        b.works();
    }

    function testFuzz_named(uint256 number) public {
        rare.assumeNoRevert(one(address(b), false, abi.encodeWithSelector(Small.selector)));
        if (number % 2 == 0) b.small();
        else b.works();
    }

    function testFuzz_namedOther(uint256 number) public {
        rare.assumeNoRevert(one(address(b), false, abi.encodeWithSelector(Small.selector)));
        if (number % 2 == 0) b.text();
        else b.works();
    }

    function testFuzz_partial(uint256 number) public {
        rare.assumeNoRevert(one(address(b), true, abi.encodeWithSelector(Sized.selector)));
        if (number % 2 == 0) b.sized(number);
        else b.works();
    }

    function testFuzz_notPartial(uint256 number) public {
        rare.assumeNoRevert(one(address(b), false, abi.encodeWithSelector(Sized.selector)));
        if (number % 2 == 0) b.sized(number);
        else b.works();
    }

    function testFuzz_reverterOther(uint256 number) public {
        rare.assumeNoRevert(one(address(c), false, abi.encodeWithSelector(Small.selector)));
        if (number % 2 == 0) b.small();
        else b.works();
    }

    function testFuzz_reverterDeep(uint256 number) public {
        rare.assumeNoRevert(one(address(c), false, abi.encodeWithSelector(Small.selector)));
        if (number % 2 == 0) b.deep();
        else b.works();
    }

    function testFuzz_several(uint256 number) public {
        RareVm.PotentialRevert[] memory list = new RareVm.PotentialRevert[](2);
        list[0] = one(address(b), false, abi.encodeWithSelector(Small.selector));
        list[1] = one(address(b), true, abi.encodeWithSelector(Sized.selector));
        rare.assumeNoRevert(list);
        if (number % 4 == 0) b.small();
        else if (number % 4 == 1) b.sized(number);
        else b.works();
    }

    function testFuzz_caught(uint256) public {
        rare.assumeNoRevert();
        b.deepCaught();
    }

    function testFuzz_second(uint256 number) public {
        rare.assumeNoRevert();
        b.works();
        if (number % 2 == 0) b.small();
    }

    function testFuzz_thenExpect(uint256) public {
        rare.assumeNoRevert();
        vm.expectRevert();
        b.small();
    }

    function testFuzz_expectThen(uint256) public {
        vm.expectRevert();
        rare.assumeNoRevert();
        b.small();
    }

    function testFuzz_twice(uint256) public {
        rare.assumeNoRevert();
        rare.assumeNoRevert();
        b.works();
    }

    function testFuzz_creation(uint256 number) public {
        rare.assumeNoRevert();
        new Constructs(number % 2);
    }

    function testFuzz_creationCaught(uint256 number) public {
        rare.assumeNoRevert();
        try new Constructs(0) {} catch {}
        assertTrue(number % 2 == 0);
    }

    function testFuzz_ownRevert(uint256 number) public pure {
        rare.assumeNoRevert();
        if (number % 2 == 0) revert("own");
    }

    function testFuzz_ownRevertAfterCall(uint256 number) public {
        rare.assumeNoRevert();
        b.works();
        if (number % 2 == 0) revert("own");
    }

    function testFuzz_namedOwnRevert(uint256 number) public {
        rare.assumeNoRevert(one(address(this), false, abi.encodeWithSignature("Error(string)", "own")));
        if (number % 2 == 0) revert("own");
    }

    function testFuzz_assertion(uint256 number) public {
        rare.assumeNoRevert();
        if (number % 2 == 0) assertTrue(false);
        b.works();
    }

    function testFuzz_failingCheat(uint256 number) public {
        rare.assumeNoRevert();
        if (number % 2 == 0) vm.parseUint("zz");
        b.works();
    }

    function testFuzz_panics(uint256 number) public {
        rare.assumeNoRevert();
        if (number % 2 == 0) b.panic();
        b.works();
    }

    function testFuzz_burns(uint256 number) public {
        rare.assumeNoRevert();
        if (number % 2 == 0) b.burns{gas: 50000}();
        b.works();
    }

    function testFuzz_openReverts(uint256 number) public pure {
        rare.assumeNoRevert();
        assert(number % 2 == 0);
    }

    function testFuzz_open(uint256) public pure {
        rare.assumeNoRevert();
    }

    function test_unit() public {
        rare.assumeNoRevert();
        b.works();
    }

    function test_unitReverts() public {
        rare.assumeNoRevert();
        b.small();
    }
}
