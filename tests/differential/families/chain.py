"""Pranks, the block and the accounts, and what of them outlives a revert or a snapshot; the world tests begin in."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.writing import TestContract, contract, function, set_up, tests

FIELDS = "Counter counter;\nCounter second;\nRelay relay;\nFailures failures;\naddress constant ALICE = address(0xA11CE);\naddress constant BOB = address(0xB0B);\n"
SET_UP = set_up("counter = new Counter();\nsecond = new Counter();\nrelay = new Relay();\nfailures = new Failures();")


def is_sender(wanted: str) -> str:
    return f"vm.assertEq(counter.who(), {wanted});"


PRANKS: dict[str, str] = {
    "once": f"vm.prank(ALICE);\n{is_sender('ALICE')}\n{is_sender('address(this)')}",
    "onceOnly": f"vm.prank(ALICE);\n{is_sender('ALICE')}\n{is_sender('ALICE')}",
    "started": f"vm.startPrank(ALICE);\n{is_sender('ALICE')}\n{is_sender('ALICE')}",
    "stopped": f"vm.startPrank(ALICE);\nvm.stopPrank();\n{is_sender('address(this)')}",
    "leftOpen": "vm.startPrank(ALICE);",
    "onceLeftOpen": "vm.prank(ALICE);",
    "stopWithoutStart": "vm.stopPrank();",
    "stopTwice": "vm.startPrank(ALICE);\nvm.stopPrank();\nvm.stopPrank();",
    "twice": f"vm.prank(ALICE);\nvm.prank(BOB);\n{is_sender('BOB')}",
    "twiceSame": f"vm.prank(ALICE);\nvm.prank(ALICE);\n{is_sender('ALICE')}",
    "startTwice": f"vm.startPrank(ALICE);\nvm.startPrank(BOB);\n{is_sender('BOB')}",
    "startTwiceUsed": f"vm.startPrank(ALICE);\ncounter.who();\nvm.startPrank(BOB);\n{is_sender('BOB')}",
    "startOverPrank": f"vm.prank(ALICE);\nvm.startPrank(BOB);\n{is_sender('BOB')}",
    "prankInStarted": f"vm.startPrank(ALICE);\nvm.prank(BOB);\n{is_sender('BOB')}",
    "prankInStartedUsed": f"vm.startPrank(ALICE);\ncounter.who();\nvm.prank(BOB);\n{is_sender('BOB')}",
    "stopUnused": f"vm.prank(ALICE);\nvm.stopPrank();\n{is_sender('address(this)')}",
    "originStays": "vm.prank(ALICE);\nvm.assertEq(counter.origin(), tx.origin);",
    "originToo": "vm.prank(ALICE, BOB);\nvm.assertEq(counter.origin(), BOB);",
    "originOnce": "vm.prank(ALICE, BOB);\ncounter.who();\nvm.assertEq(counter.origin(), BOB);",
    "originStarted": "vm.startPrank(ALICE, BOB);\ncounter.who();\nvm.assertEq(counter.origin(), BOB);",
    "originHere": "vm.startPrank(ALICE, BOB);\ncounter.who();\nvm.assertEq(tx.origin, BOB);",
    "relayIsNotPranked": (
        "vm.prank(ALICE);\n"
        "bytes memory output = relay.relay(address(counter), abi.encodeCall(Counter.who, ()));\n"
        "vm.assertEq(abi.decode(output, (address)), address(relay));"
    ),
    "ofThis": f"vm.prank(ALICE);\nthis.nothingHere();\n{is_sender('address(this)')}",
    "ofThisStarted": f"vm.startPrank(ALICE);\nthis.nothingHere();\n{is_sender('ALICE')}",
    "insideThis": f"this.pranksInside();\n{is_sender('ALICE')}",
    "insideThisUsedHere": f"this.pranksInside();\n{is_sender('address(this)')}",
    "startedInside": f"this.startsInside();\n{is_sender('ALICE')}",
    "startedInsideNoMore": f"this.startsInside();\n{is_sender('address(this)')}",
    "startedInsideReverted": f"try this.startsInsideAndFails() {{}} catch {{}}\n{is_sender('address(this)')}",
    "startedInsideRevertedStays": f"try this.startsInsideAndFails() {{}} catch {{}}\n{is_sender('ALICE')}",
    "usedByCreation": "vm.prank(ALICE);\nCreator made = new Creator();\nvm.assertEq(address(made), address(made));\ncounter.set(1);\nvm.assertEq(counter.lastSender(), address(this));",
    "usedByStaticCall": f"vm.prank(ALICE);\ncounter.number();\n{is_sender('ALICE')}",
    "notUsedByCheat": f"vm.prank(ALICE);\nvm.warp(3);\n{is_sender('ALICE')}",
    "notUsedByDelegatecall": (
        "vm.prank(ALICE);\naddress(counter).delegatecall(abi.encodeCall(Counter.silent, ()));\n" + is_sender("ALICE")
    ),
    "usedByDelegatecall": (
        "vm.prank(ALICE);\naddress(counter).delegatecall(abi.encodeCall(Counter.silent, ()));\n"
        + is_sender("address(this)")
    ),
    "delegatedContract": "vm.prank(address(relay), true);\n(, bytes memory output) = address(counter).delegatecall(abi.encodeCall(Counter.who, ()));\nvm.assertEq(abi.decode(output, (address)), address(relay));",
    "delegatedAccount": "vm.prank(ALICE, true);\n(, bytes memory output) = address(counter).delegatecall(abi.encodeCall(Counter.who, ()));\nvm.assertEq(abi.decode(output, (address)), ALICE);",
    "usedByFailedCall": f"vm.prank(ALICE);\ntry counter.fails() {{}} catch {{}}\n{is_sender('address(this)')}",
    "usedByFailedCallNot": f"vm.prank(ALICE);\ntry counter.fails() {{}} catch {{}}\n{is_sender('ALICE')}",
    "usedByTransfer": f"vm.deal(ALICE, 5);\nvm.prank(ALICE);\npayable(BOB).transfer(5);\n{is_sender('address(this)')}\nassertEq(ALICE.balance, 0);",
    "paysItself": "vm.prank(ALICE);\ncounter.set{value: 1}(1);",
    "precompileUsesIt": f"vm.prank(ALICE);\nsha256('x');\n{is_sender('ALICE')}",
    "readNone": "(Vm.CallerMode mode,,) = vm.readCallers();\nassertEq(uint256(mode), 0);",
    "readPrank": "vm.prank(ALICE);\n(Vm.CallerMode mode, address sender,) = vm.readCallers();\nassertEq(uint256(mode), 3);\nvm.assertEq(sender, ALICE);",
    "readStarted": "vm.startPrank(ALICE);\n(Vm.CallerMode mode,, address origin) = vm.readCallers();\nassertEq(uint256(mode), 4);\nvm.assertEq(origin, tx.origin);",
    "nonceOfCreation": "vm.setNonce(ALICE, 3);\nvm.prank(ALICE);\nnew Counter();\nassertEq(vm.getNonce(ALICE), 4);",
    "noncesOfCalls": "vm.prank(ALICE);\ncounter.set(1);\nassertEq(vm.getNonce(ALICE), 0);",
    "setUpPrankIsOver": is_sender("address(this)"),
    "innerPrank": "vm.startPrank(ALICE);\ncounter.who();\nthis.pranksAndAsks();",
    "innerPrankUnused": "vm.startPrank(ALICE);\nthis.pranksAndAsks();",
    "innerStart": "vm.startPrank(ALICE);\ncounter.who();\nthis.startsAndAsks();",
    "innerPrankOfOnce": "vm.prank(ALICE);\nthis.pranksAndAsks();",
    "innerTwice": "this.startsAndAsks();\nthis.asks(ALICE);",
    "innerRevertedTwice": "try this.startsInsideAndFails() {} catch {}\nthis.asks(ALICE);",
    "innerRevertedTwiceNot": "try this.startsInsideAndFails() {} catch {}\nthis.asks(address(this));",
    "usedOnceInReverted": "try this.pranksAsksAndFails() {} catch {}\nthis.asks(address(this));",
    "stopInReverted": "this.startsInside();\ntry this.stopsAndFails() {} catch {}\nthis.asks(ALICE);",
    "tooPoor": f"vm.prank(ALICE);\naddress(counter).call{{value: 1}}('');\n{is_sender('address(this)')}",
    "catchErrorOfCheat": "try failures.vmAssertEq() {} catch Error(string memory) {\n    revert('plain');\n} catch (bytes memory) {}",
    "catchErrorOfText": "try failures.textRevert() {} catch Error(string memory) {\n    revert('plain');\n} catch (bytes memory) {}",
}
PRANK_HELPERS = "\n".join(
    (
        function("nothingHere", ""),
        function("pranksInside", "vm.prank(ALICE);"),
        function("startsInside", "vm.startPrank(ALICE);"),
        function("startsInsideAndFails", "vm.startPrank(ALICE);\nrevert();"),
        function("pranksAndAsks", f"vm.prank(BOB);\n{is_sender('BOB')}"),
        function("startsAndAsks", f"vm.startPrank(ALICE);\n{is_sender('ALICE')}"),
        function("asks", is_sender("wanted"), parameters="address wanted"),
        function("pranksAsksAndFails", "vm.prank(ALICE);\ncounter.who();\nrevert();"),
        function("stopsAndFails", "vm.stopPrank();\nrevert();"),
    )
)

STATE: dict[str, str] = {
    "dealOutlivesRevert": "try this.dealsAndFails() {} catch {}\nassertEq(ALICE.balance, 5);",
    "dealDoesNotOutlive": "try this.dealsAndFails() {} catch {}\nassertEq(ALICE.balance, 0);",
    "warpOutlivesRevert": "try this.warpsAndFails() {} catch {}\nassertEq(block.timestamp, 500);",
    "warpDoesNotOutlive": "uint256 before = vm.getBlockTimestamp();\ntry this.warpsAndFails() {} catch {}\nassertEq(vm.getBlockTimestamp(), before);",
    "rollOutlivesRevert": "try this.rollsAndFails() {} catch {}\nassertEq(vm.getBlockNumber(), 500);",
    "storeOutlivesRevert": "try this.storesAndFails() {} catch {}\nassertEq(counter.number(), 5);",
    "storeDoesNotOutlive": "try this.storesAndFails() {} catch {}\nassertEq(counter.number(), 0);",
    "etchOutlivesRevert": "try this.etchesAndFails() {} catch {}\nassertEq(ALICE.code.length, 1);",
    "etchDoesNotOutlive": "try this.etchesAndFails() {} catch {}\nassertEq(ALICE.code.length, 0);",
    "nonceOutlivesRevert": "try this.setsNonceAndFails() {} catch {}\nassertEq(vm.getNonce(ALICE), 5);",
    "nonceDoesNotOutlive": "try this.setsNonceAndFails() {} catch {}\nassertEq(vm.getNonce(ALICE), 0);",
    "failureOutlivesRevert": "try failures.notesFailure() {} catch {}\n",
    "failureInRevertedCall": "try this.notesAndFails() {} catch {}\n",
    "failureInRevertedSwallow": "relay.swallow(address(this), abi.encodeCall(this.notesAndFails, ()));",
    "snapshotTakesBack": "uint256 id = vm.snapshotState();\ncounter.set(5);\nvm.revertToState(id);\nassertEq(counter.number(), 0);",
    "snapshotTakesBackBlock": "vm.warp(10);\nuint256 id = vm.snapshotState();\nvm.warp(20);\nvm.revertToState(id);\nassertEq(vm.getBlockTimestamp(), 10);",
    "snapshotTakesBackBalance": "uint256 id = vm.snapshotState();\nvm.deal(ALICE, 9);\nvm.revertToState(id);\nassertEq(ALICE.balance, 0);",
    "snapshotKeepsFailure": "uint256 id = vm.snapshotState();\nfail();\nvm.revertToState(id);",
    "snapshotUsedTwice": "uint256 id = vm.snapshotState();\ncounter.set(5);\nvm.revertToState(id);\ncounter.set(6);\nassertTrue(vm.revertToState(id));\nassertEq(counter.number(), 0);",
    "snapshotDeleted": "uint256 id = vm.snapshotState();\nvm.revertToStateAndDelete(id);\nassertTrue(!vm.revertToState(id));",
    "snapshotUnknown": "assertTrue(!vm.revertToState(77));",
    "snapshotForgetsLater": "uint256 first = vm.snapshotState();\nuint256 later = vm.snapshotState();\nvm.revertToState(first);\nassertTrue(!vm.revertToState(later));",
    "snapshotTakesBackNonce": "vm.setNonce(ALICE, 4);\nuint256 id = vm.snapshotState();\nvm.setNonce(ALICE, 8);\nvm.revertToState(id);\nassertEq(vm.getNonce(ALICE), 4);",
    "nonceNeverFalls": "vm.setNonce(ALICE, 4);\nvm.setNonce(ALICE, 3);",
    "resetNonce": "vm.setNonce(ALICE, 4);\nvm.resetNonce(ALICE);\nassertEq(vm.getNonce(ALICE), 0);",
    "loadsOwnSlot": "counter.set(8);\nassertEq(uint256(vm.load(address(counter), bytes32(0))), 8);",
    "loadsFailure": "assertEq(uint256(vm.load(address(vm), bytes32('failed'))), 0);",
    "storesOtherSlotOfVm": "vm.store(address(vm), bytes32('other'), bytes32(uint256(1)));",
    "storesZeroFailure": "vm.store(address(vm), bytes32('failed'), bytes32(0));",
    "storesTwoFailure": "vm.store(address(vm), bytes32('failed'), bytes32(uint256(2)));",
    "failureTakenBack": "fail();\nvm.store(address(vm), bytes32('failed'), bytes32(0));",
    "failureReadBack": "vm.store(address(vm), bytes32('failed'), bytes32(uint256(1)));\nassertTrue(vm.load(address(vm), bytes32('failed')) != bytes32(0));\nvm.store(address(vm), bytes32('failed'), bytes32(0));",
    "storeToPrecompile": "vm.store(address(1), bytes32(0), bytes32(uint256(1)));",
    "etchPrecompile": "vm.etch(address(2), hex'00');",
    "dealPrecompile": "vm.deal(address(3), 5);\nassertEq(address(3).balance, 5);",
    "warpToMaximum": "vm.warp(type(uint64).max);\nassertEq(vm.getBlockTimestamp(), type(uint64).max);",
    "warpTooFar": "vm.warp(type(uint256).max);",
    "rollTooFar": "vm.roll(type(uint256).max);",
    "chainIdTooGreat": "vm.chainId(type(uint256).max);",
    "chainIdSet": "vm.chainId(7);\nassertEq(block.chainid, 7);",
    "feeSet": "vm.fee(7);\nassertEq(block.basefee, 7);",
    "coinbaseSet": "vm.coinbase(ALICE);\nvm.assertEq(block.coinbase, ALICE);",
    "randaoSet": "vm.prevrandao(7);\nassertEq(block.prevrandao, 7);",
    "gasPriceSet": "vm.txGasPrice(7);\nassertEq(tx.gasprice, 7);",
    "addrOfZero": "vm.addr(0);",
    "addrOfOne": "vm.assertEq(vm.addr(1), 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf);",
    "signRecovers": "(uint8 v, bytes32 r, bytes32 s) = vm.sign(5, bytes32(uint256(1)));\nvm.assertEq(ecrecover(bytes32(uint256(1)), v, r, s), vm.addr(5));",
    "boundReversed": "vm.bound(5, 9, 3);",
    "boundHolds": "assertTrue(vm.bound(50, 3, 9) <= 9);",
    "randomInRange": "uint256 drawn = vm.randomUint(3, 9);\nassertTrue(drawn >= 3 && drawn <= 9);",
    "randomEmptyRange": "vm.randomUint(9, 3);",
    "textOfNumber": "assertEq(keccak256(bytes(vm.toString(uint256(12)))) == keccak256('12') ? 1 : 0, 1);",
    "envOr": "assertEq(vm.envOr('MONOTREME_UNSET_NAME', uint256(4)), 4);",
    "sendsToContract": "payable(address(counter)).transfer(3);\nassertEq(address(counter).balance, 3);",
    "sendsAllButOne": "payable(ALICE).transfer(address(this).balance - 1);\nassertEq(address(this).balance, 1);",
    "sendsTooMuch": "payable(ALICE).transfer(address(this).balance + 1);",
    "selfDestructs": "selfdestruct(payable(ALICE));",
    "skipped": "vm.skip(true);\nassertTrue(false);",
    "skippedForAReason": "vm.skip(true, 'reason');",
    "notSkipped": "vm.skip(false);",
    "skippedLate": "counter.set(1);\nvm.skip(true);",
    "assumedFalse": "vm.assume(false);",
    "assumedTrue": "vm.assume(true);",
}
STATE_HELPERS = "\n".join(
    function(name, f"{body}\nrevert();")
    for name, body in {
        "dealsAndFails": "vm.deal(ALICE, 5);",
        "warpsAndFails": "vm.warp(500);",
        "rollsAndFails": "vm.roll(500);",
        "storesAndFails": "vm.store(address(counter), bytes32(0), bytes32(uint256(5)));",
        "etchesAndFails": "vm.etch(ALICE, hex'00');",
        "setsNonceAndFails": "vm.setNonce(ALICE, 5);",
        "notesAndFails": "fail();",
    }.items()
)

WORLD: dict[str, str] = {
    "address": "vm.assertEq(address(this), 0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496);",
    "sender": "vm.assertEq(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);",
    "origin": "vm.assertEq(tx.origin, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);",
    "balance": "assertEq(address(this).balance, type(uint96).max);",
    "timestamp": "assertEq(block.timestamp, 1);",
    "number": "assertEq(block.number, 1);",
    "chain": "assertEq(block.chainid, 31337);",
    "gasLimit": "assertEq(block.gaslimit, 1073741824);",
    "coinbase": "vm.assertEq(block.coinbase, address(0));",
    "baseFee": "assertEq(block.basefee, 0);",
    "gasPrice": "assertEq(tx.gasprice, 0);",
    "randao": "assertEq(block.prevrandao, 0);",
    "senderIsRich": "assertTrue(msg.sender.balance > 1 ether);",
    "senderBalance": "assertEq(msg.sender.balance, type(uint96).max);",
    "nonceOfTest": "assertEq(vm.getNonce(address(this)), 5);",
    "counterAddress": "vm.assertEq(address(counter), 0x5615dEB798BB3E4dFa0139dFa1b3D433Cc23b72f);",
    "nobodyHasNoCode": "assertEq(address(0xdead).code.length, 0);",
    "factoryIsThere": "assertTrue(address(0x4e59b44847b379578588920cA78FbF26c0B4956C).code.length > 0);",
    "consoleHasCode": "assertTrue(address(0x000000000000000000636F6e736F6c652e6c6f67).code.length > 0);",
    "vmHasCode": "assertTrue(address(vm).code.length > 0);",
    "gasLeft": "assertTrue(gasleft() > 1000000000);",
    "blockHash": "assertEq(uint256(blockhash(0)), 0);",
    "zeroIsPoor": "assertEq(address(0).balance, 0);",
}


def contracts(_random: Random) -> Iterator[TestContract]:
    pranked = set_up(
        "counter = new Counter();\nsecond = new Counter();\nrelay = new Relay();\nfailures = new Failures();\n"
        "vm.startPrank(BOB);\ncounter.who();\nvm.stopPrank();"
    )
    yield contract("Pranks", FIELDS, pranked, PRANK_HELPERS, tests(PRANKS))
    yield contract("State", FIELDS, SET_UP, STATE_HELPERS, tests(STATE))
    yield contract("World", FIELDS, SET_UP, tests(WORLD))
    yield contract(
        "SetUpPrank",
        FIELDS,
        set_up("counter = new Counter();\nvm.startPrank(ALICE);"),
        tests({"isAlice": is_sender("ALICE"), "isTest": is_sender("address(this)")}),
    )
