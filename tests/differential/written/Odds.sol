// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

contract Snapshots is RareTest {
    Cell p;

    function setUp() public {
        p = new Cell();
        p.set(1);
    }

    function test_deleted() public {
        uint256 id = vm.snapshotState();
        assertTrue(rare.revertToStateAndDelete(id));
        assertFalse(vm.revertToState(id));
    }

    function test_keptAndAgain() public {
        uint256 id = vm.snapshotState();
        p.set(2);
        assertTrue(vm.revertToState(id));
        p.set(3);
        assertTrue(vm.revertToState(id));
        assertEq(p.v(), 1);
    }

    function test_laterGone() public {
        uint256 first = vm.snapshotState();
        uint256 second = vm.snapshotState();
        assertTrue(vm.revertToState(first));
        assertFalse(vm.revertToState(second));
    }

    function test_earlierStays() public {
        uint256 first = vm.snapshotState();
        uint256 second = vm.snapshotState();
        assertTrue(vm.revertToState(second));
        assertTrue(vm.revertToState(first));
    }

    function test_idsFrom() public {
        assertEq(vm.snapshotState(), 0);
        assertEq(vm.snapshotState(), 1);
    }

    function test_idsAfterDelete() public {
        uint256 id = vm.snapshotState();
        rare.deleteStateSnapshot(id);
        assertEq(vm.snapshotState(), 1);
    }

    function test_deleteUnknown() public {
        assertFalse(rare.deleteStateSnapshot(7));
    }

    function test_deleteAll() public {
        uint256 id = vm.snapshotState();
        rare.deleteStateSnapshots();
        assertFalse(vm.revertToState(id));
    }

    function test_unknown() public {
        assertFalse(vm.revertToState(99));
    }

    function test_timeBack() public {
        uint256 id = vm.snapshotState();
        vm.warp(100);
        vm.roll(100);
        vm.revertToState(id);
        assertEq(block.timestamp, 1);
        assertEq(block.number, 1);
    }

    function test_chainIdBack() public {
        uint256 id = vm.snapshotState();
        vm.chainId(7);
        vm.revertToState(id);
        assertEq(block.chainid, 31337);
    }

    function test_feeBack() public {
        uint256 id = vm.snapshotState();
        vm.fee(7);
        vm.coinbase(address(7));
        vm.revertToState(id);
        assertEq(block.basefee, 0);
        assertEq(block.coinbase, address(0));
    }

    function test_gasPriceBack() public {
        uint256 id = vm.snapshotState();
        vm.txGasPrice(7);
        vm.revertToState(id);
        assertEq(tx.gasprice, 0);
    }

    function test_dealBack() public {
        uint256 id = vm.snapshotState();
        vm.deal(address(8), 5);
        vm.revertToState(id);
        assertEq(address(8).balance, 0);
    }

    function test_nonceBack() public {
        uint256 id = vm.snapshotState();
        vm.setNonce(address(8), 5);
        new Cell();
        vm.revertToState(id);
        assertEq(vm.getNonce(address(8)), 0);
    }

    function test_newContractGone() public {
        uint256 id = vm.snapshotState();
        Cell made = new Cell();
        vm.revertToState(id);
        assertEq(address(made).code.length, 0);
    }

    function test_ownStorageBack() public {
        uint256 id = vm.snapshotState();
        own = 5;
        vm.revertToState(id);
        assertEq(own, 0);
    }

    uint256 own;

    function test_prankStays() public {
        vm.startPrank(address(9));
        uint256 id = vm.snapshotState();
        vm.stopPrank();
        vm.revertToState(id);
        vm.stopPrank();
    }

    function test_logsStay() public {
        vm.recordLogs();
        uint256 id = vm.snapshotState();
        p.set(4);
        vm.revertToState(id);
        assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_expectationStays() public {
        uint256 id = vm.snapshotState();
        vm.expectRevert();
        vm.revertToState(id);
        this.fails();
    }

    function fails() external pure {
        revert("x");
    }

    function test_deeperFrame() public {
        uint256 id = vm.snapshotState();
        p.set(9);
        this.goBack(id);
        assertEq(p.v(), 1);
    }

    function goBack(uint256 id) external {
        vm.revertToState(id);
    }

    function test_deeperTakes() public {
        uint256 id = this.take();
        p.set(9);
        assertTrue(vm.revertToState(id));
        assertEq(p.v(), 1);
    }

    function take() external returns (uint256) {
        return vm.snapshotState();
    }

    function test_takenInReverted() public {
        try this.takeAndRevert() {} catch {}
        p.set(9);
        assertTrue(vm.revertToState(0));
    }

    function takeAndRevert() external {
        vm.snapshotState();
        revert("x");
    }

    function test_transientBack() public {
        assembly {
            tstore(1, 5)
        }
        uint256 id = vm.snapshotState();
        assembly {
            tstore(1, 6)
        }
        vm.revertToState(id);
        uint256 got;
        assembly {
            got := tload(1)
        }
        assertEq(got, 5);
    }

    function test_failureStored() public {
        uint256 id = vm.snapshotState();
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
        vm.revertToState(id);
    }
}

contract SnapshotOfSetUp is RareTest {
    Cell p;
    uint256 id;

    function setUp() public {
        p = new Cell();
        p.set(1);
        id = vm.snapshotState();
        p.set(2);
    }

    function test_back() public {
        assertTrue(vm.revertToState(id));
        assertEq(p.v(), 1);
    }

    function test_sees() public view {
        assertEq(p.v(), 2);
    }

    function testFuzz_back(uint256) public {
        assertTrue(vm.revertToState(id));
        assertEq(p.v(), 1);
    }
}

contract StoresSlots is RareTest {
    Packed k;

    function setUp() public {
        k = new Packed();
    }

    function test_packedWhole() public {
        vm.store(address(k), bytes32(uint256(0)), bytes32(type(uint256).max));
        assertEq(k.a(), 255);
        assertEq(k.b(), 65535);
        assertEq(k.c(), address(type(uint160).max));
    }

    function test_packedBool() public {
        vm.store(address(k), bytes32(uint256(0)), bytes32(uint256(2) << 184));
        assertTrue(k.d());
    }

    function test_packedPart() public {
        uint256 word = uint256(vm.load(address(k), bytes32(uint256(0))));
        vm.store(address(k), bytes32(uint256(0)), bytes32(word + 1));
        assertEq(k.a(), 2);
        assertEq(k.b(), 2);
    }

    function test_packedRead() public view {
        uint256 word = uint256(vm.load(address(k), bytes32(uint256(0))));
        assertEq(word & 0xff, 1);
        assertEq((word >> 8) & 0xffff, 2);
        assertEq(word >> 184, 1);
    }

    function test_mapping() public {
        vm.store(address(k), keccak256(abi.encode(address(5), uint256(2))), bytes32(uint256(77)));
        assertEq(k.f(address(5)), 77);
    }

    function test_arrayLength() public {
        vm.store(address(k), bytes32(uint256(3)), bytes32(uint256(2)));
        vm.store(address(k), bytes32(uint256(keccak256(abi.encode(uint256(3)))) + 1), bytes32(uint256(9)));
        assertEq(k.g(1), 9);
    }

    function test_string() public {
        vm.store(address(k), bytes32(uint256(4)), bytes32("abc") | bytes32(uint256(6)));
        assertEq(k.h(), "abc");
    }

    function test_stringBroken() public {
        vm.store(address(k), bytes32(uint256(4)), bytes32(uint256(2)));
        assertEq(bytes(k.h()).length, 1);
    }

    function test_own() public {
        vm.store(address(this), bytes32(uint256(200)), bytes32(uint256(5)));
        assertEq(vm.load(address(this), bytes32(uint256(200))), bytes32(uint256(5)));
    }

    function test_noCode() public {
        vm.store(address(0x9876), bytes32(uint256(1)), bytes32(uint256(5)));
        assertEq(vm.load(address(0x9876), bytes32(uint256(1))), bytes32(uint256(5)));
    }

    function test_precompile() public {
        vm.store(address(2), bytes32(uint256(1)), bytes32(uint256(5)));
    }

    function test_loadPrecompile() public view {
        vm.load(address(2), bytes32(uint256(1)));
    }

    function test_dealPrecompile() public {
        vm.deal(address(2), 5);
        assertEq(address(2).balance, 5);
    }

    function test_etchPrecompile() public {
        vm.etch(address(2), hex"00");
    }

    function test_setNonceContract() public {
        vm.setNonce(address(k), 9);
        assertEq(vm.getNonce(address(k)), 9);
    }

    function test_resetNonceContract() public {
        vm.setNonce(address(k), 9);
        rare.resetNonce(address(k));
        assertEq(vm.getNonce(address(k)), 1);
    }

    function test_resetNonceAccount() public {
        vm.setNonce(address(0x9876), 9);
        rare.resetNonce(address(0x9876));
        assertEq(vm.getNonce(address(0x9876)), 0);
    }

    function test_clone() public {
        rare.cloneAccount(address(k), address(0x9876));
        assertEq(Packed(address(0x9876)).e(), 5);
        assertEq(Packed(address(0x9876)).b(), 2);
    }

    function test_cloneOver() public {
        Packed other = new Packed();
        vm.store(address(other), bytes32(uint256(50)), bytes32(uint256(1)));
        rare.cloneAccount(address(k), address(other));
        assertEq(vm.load(address(other), bytes32(uint256(50))), bytes32(0));
    }

    function test_copy() public {
        Packed other = new Packed();
        vm.store(address(k), bytes32(uint256(1)), bytes32(uint256(50)));
        vm.copyStorage(address(k), address(other));
        assertEq(other.e(), 50);
    }

    function test_copyKeepsOwn() public {
        Packed other = new Packed();
        vm.store(address(other), bytes32(uint256(50)), bytes32(uint256(1)));
        vm.copyStorage(address(k), address(other));
        assertEq(vm.load(address(other), bytes32(uint256(50))), bytes32(0));
    }

    function test_arbitrary() public {
        rare.setArbitraryStorage(address(0x9876));
        assertTrue(vm.load(address(0x9876), bytes32(uint256(50))) != bytes32(0));
    }

    function test_arbitraryRead() public {
        Packed other = new Packed();
        rare.setArbitraryStorage(address(other));
        assertEq(other.e(), 5);
        assertTrue(other.f(address(1)) != 0);
        assertEq(other.f(address(1)), other.f(address(1)));
    }

    function test_arbitraryWritten() public {
        rare.setArbitraryStorage(address(k));
        vm.store(address(k), bytes32(uint256(60)), bytes32(uint256(8)));
        assertEq(vm.load(address(k), bytes32(uint256(60))), bytes32(uint256(8)));
    }

    function test_arbitraryOverwrites() public {
        rare.setArbitraryStorage(address(k), true);
        assertTrue(k.e() != 5);
    }

    function test_arbitraryKeeps() public {
        rare.setArbitraryStorage(address(k), false);
        assertEq(k.e(), 5);
    }

    function test_arbitraryZeroStored() public {
        Cell p = new Cell();
        rare.setArbitraryStorage(address(p));
        p.set(0);
        assertEq(p.v(), 0);
    }

    function test_arbitraryCopied() public {
        Packed other = new Packed();
        rare.setArbitraryStorage(address(k));
        vm.copyStorage(address(k), address(other));
        assertEq(other.f(address(1)), k.f(address(1)));
    }
}

contract GasPaused is RareTest {
    Cell p;
    uint256 sum;

    function setUp() public {
        p = new Cell();
    }

    function work() internal {
        for (uint256 i; i < 30; i++) sum += i;
    }

    function test_paused() public {
        uint256 before = gasleft();
        vm.pauseGasMetering();
        work();
        vm.resumeGasMetering();
        assertLt(before - gasleft(), 5000);
    }

    function test_notPaused() public {
        uint256 before = gasleft();
        work();
        assertGt(before - gasleft(), 5000);
    }

    function test_gasleftStands() public {
        vm.pauseGasMetering();
        uint256 first = gasleft();
        work();
        assertEq(first, gasleft());
    }

    function test_pausedTwice() public {
        uint256 before = gasleft();
        vm.pauseGasMetering();
        vm.pauseGasMetering();
        work();
        vm.resumeGasMetering();
        assertLt(before - gasleft(), 5000);
    }

    function test_resumedAlone() public {
        vm.resumeGasMetering();
        uint256 before = gasleft();
        work();
        assertGt(before - gasleft(), 5000);
    }

    function test_pausedCalls() public {
        uint256 before = gasleft();
        vm.pauseGasMetering();
        for (uint256 i; i < 20; i++) p.set(i + 1);
        vm.resumeGasMetering();
        assertLt(before - gasleft(), 5000);
    }

    function test_neverEnds() public {
        vm.pauseGasMetering();
        work();
    }

    function test_beyondLimit() public {
        vm.pauseGasMetering();
        this.burn();
        vm.resumeGasMetering();
    }

    function burn() external {
        uint256 i;
        while (i < 200000) {
            unchecked {
                i++;
            }
        }
    }

    function test_limitedCallPaused() public {
        vm.pauseGasMetering();
        this.burn{gas: 100000}();
        vm.resumeGasMetering();
    }

    function test_limitedCall() public {
        this.burn{gas: 100000}();
    }

    function test_resumedInside() public {
        vm.pauseGasMetering();
        this.resumes();
        uint256 before = gasleft();
        work();
        assertGt(before - gasleft(), 5000);
    }

    function resumes() external {
        vm.resumeGasMetering();
    }

    function test_pausedInside() public {
        this.pauses();
        uint256 before = gasleft();
        work();
        assertEq(before - gasleft(), 0);
    }

    function pauses() external {
        vm.pauseGasMetering();
    }

    function test_reset() public {
        work();
        rare.resetGasMetering();
        assertGt(gasleft(), 1_073_000_000);
    }

    function test_worked() public {
        work();
        assertGt(gasleft(), 1_073_000_000);
    }
}

contract GasPausedInSetUp is RareTest {
    uint256 sum;

    function setUp() public {
        vm.pauseGasMetering();
    }

    function test_stays() public {
        uint256 before = gasleft();
        for (uint256 i; i < 30; i++) sum += i;
        assertEq(before, gasleft());
    }
}

contract ForksOfNothing is RareTest {
    function test_unknownName() public {
        rare.createSelectFork("nowhere");
    }

    function test_unknownNameCaught() public {
        try rare.createSelectFork("nowhere") {
            revert("works");
        } catch {}
    }

    function test_unknownNameExpected() public {
        vm.expectRevert();
        rare.createSelectFork("nowhere");
    }

    function test_active() public view {
        rare.activeFork();
    }

    function test_select() public {
        rare.selectFork(0);
    }

    function test_roll() public {
        rare.rollFork(5);
    }

    function test_rollExpected() public {
        vm.expectRevert();
        rare.rollFork(5);
    }

    function test_rpcUrlUnknown() public view {
        rare.rpcUrl("nowhere");
    }

    function test_rpcUrlUnknownCaught() public view {
        try rare.rpcUrl("nowhere") {
            revert("works");
        } catch {}
    }

    function test_rpcUrls() public view {
        assertEq(rare.rpcUrls().length, 0);
    }

    function test_createForkBadUrl() public {
        rare.createFork("http://127.0.0.1:1");
    }
}

contract KeysRare is RareTest {
    string constant WORDS = "test test test test test test test test test test test junk";

    function test_p256() public pure {
        (bytes32 r, bytes32 s) = rare.signP256(1, bytes32(uint256(5)));
        assertTrue(r != 0 && s != 0);
    }

    function test_p256Zero() public pure {
        rare.signP256(0, bytes32(uint256(5)));
    }

    function test_p256TooGreat() public pure {
        rare.signP256(type(uint256).max, bytes32(uint256(5)));
    }

    function test_p256Same() public pure {
        (bytes32 r,) = rare.signP256(1, bytes32(uint256(5)));
        (bytes32 again,) = rare.signP256(1, bytes32(uint256(5)));
        assertEq(r, again);
    }

    function test_p256Public() public pure {
        (uint256 x,) = rare.publicKeyP256(1);
        assertEq(x, 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296);
    }

    function test_derive() public pure {
        assertEq(
            rare.deriveKey(WORDS, 0), 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
        );
    }

    function test_derivePath() public pure {
        assertEq(rare.deriveKey(WORDS, "m/44'/60'/0'/0/", 0), rare.deriveKey(WORDS, 0));
    }

    function test_deriveBad() public pure {
        rare.deriveKey("junk", 0);
    }

    function test_wallet() public {
        RareVm.Wallet memory wallet = rare.createWallet("alice");
        assertEq(wallet.privateKey, uint256(keccak256("alice")));
        assertEq(wallet.addr, vm.addr(wallet.privateKey));
    }

    function test_walletLabel() public {
        RareVm.Wallet memory wallet = rare.createWallet("alice");
        assertEq(vm.getLabel(wallet.addr), "alice");
    }

    function test_walletZero() public {
        rare.createWallet(uint256(0));
    }

    function test_remember() public {
        assertEq(rare.rememberKey(1), vm.addr(1));
    }

    function test_addrZero() public pure {
        vm.addr(0);
    }

    function test_addrOrder() public pure {
        vm.addr(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141);
    }

    function test_compact() public pure {
        (bytes32 r, bytes32 vs) = rare.signCompact(1, bytes32(uint256(5)));
        (uint8 v, bytes32 r2, bytes32 s) = vm.sign(1, bytes32(uint256(5)));
        assertEq(r, r2);
        assertEq(uint256(vs), (uint256(v - 27) << 255) | uint256(s));
    }

    function test_recovers() public pure {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(7, bytes32(uint256(5)));
        assertEq(ecrecover(bytes32(uint256(5)), v, r, s), vm.addr(7));
    }

    function test_delegationInCancun() public {
        rare.signAndAttachDelegation(address(this), 1);
        assertGt(vm.addr(1).code.length, 0);
    }

    function test_create2Address() public view {
        bytes32 hash = keccak256(type(Cell).creationCode);
        assertEq(
            vm.computeCreate2Address(bytes32(uint256(1)), hash),
            address(
                uint160(
                    uint256(
                        keccak256(
                            abi.encodePacked(
                                bytes1(0xff), 0x4e59b44847b379578588920cA78FbF26c0B4956C, bytes32(uint256(1)), hash
                            )
                        )
                    )
                )
            )
        );
    }

    function test_createAddressZeroNonce() public pure {
        assertEq(
            vm.computeCreateAddress(address(1), 0),
            address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(1), hex"80")))))
        );
    }

    function test_rlp() public pure {
        bytes[] memory list = new bytes[](2);
        list[0] = hex"01";
        list[1] = hex"8000";
        assertEq(rare.toRlp(list), hex"c401828000");
        assertEq(rare.fromRlp(hex"c401828000")[1], hex"8000");
    }

    function test_rlpBad() public pure {
        rare.fromRlp(hex"c5");
    }

    function test_eip712() public pure {
        assertEq(rare.eip712HashType("Mail(string a)"), keccak256("Mail(string a)"));
    }
}

contract Unknowns is RareTest {
    function test_noSuch() public {
        rare.noSuchCheatcode(1);
    }

    function test_noSuchCaught() public {
        try rare.noSuchCheatcode(1) {
            revert("works");
        } catch {}
    }

    function test_noSuchExpected() public {
        vm.expectRevert();
        rare.noSuchCheatcode(1);
    }

    function test_shortData() public {
        (bool done,) = address(vm).call(hex"01");
        assertFalse(done);
    }

    function test_emptyData() public {
        (bool done,) = address(vm).call("");
        assertFalse(done);
    }

    function test_cutArguments() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("warp(uint256)"));
        assertFalse(done);
    }

    function test_extraArguments() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("warp(uint256)", 5, 6));
        assertTrue(done);
        assertEq(block.timestamp, 5);
    }

    function test_valueToCheats() public {
        (bool done,) = address(vm).call{value: 1}(abi.encodeWithSignature("warp(uint256)", 5));
        assertTrue(done);
    }

    function test_staticWarp() public view {
        (bool done,) = address(vm).staticcall(abi.encodeWithSignature("warp(uint256)", 5));
        assertTrue(done);
        assertEq(block.timestamp, 5);
    }

    function test_dirtyBool() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("assume(bool)", 2));
        assertTrue(done);
    }

    function test_dirtyAddress() public {
        (bool done,) = address(vm).call(abi.encodePacked(bytes4(keccak256("getNonce(address)")), type(uint256).max));
        assertTrue(done);
    }

    function test_isContext() public view {
        assertTrue(rare.isContext(0));
        assertTrue(rare.isContext(1));
        assertFalse(rare.isContext(3));
    }

    function test_version() public view {
        assertTrue(rare.foundryVersionAtLeast("1.0.0"));
        assertFalse(rare.foundryVersionAtLeast("9.0.0"));
    }

    function test_evmVersion() public view {
        assertEq(rare.getEvmVersion(), "cancun");
    }

    function test_setEvmVersionBad() public {
        rare.setEvmVersion("nothing");
    }

    function test_sleep() public {
        rare.sleep(1);
    }

    function test_resolveEnv() public {
        vm.setEnv("SOME_NAME", "value");
        assertEq(rare.resolveEnv("a ${SOME_NAME} b"), "a value b");
    }

    function test_resolveEnvMissing() public view {
        rare.resolveEnv("a ${SOME_MISSING_NAME} b");
    }

    function test_approx() public pure {
        rare.assertApproxEqAbs(uint256(10), uint256(12), 2);
        rare.assertApproxEqAbs(int256(-10), int256(2), 12);
        rare.assertApproxEqRel(uint256(100), uint256(110), 0.1e18);
    }

    function test_approxRelSides() public pure {
        rare.assertApproxEqRel(uint256(110), uint256(100), 0.095e18);
    }

    function test_approxRelZero() public pure {
        rare.assertApproxEqRel(uint256(0), uint256(0), 0);
    }

    function test_approxRelToZero() public pure {
        rare.assertApproxEqRel(uint256(1), uint256(0), 1e18);
    }

    function test_approxRelHuge() public pure {
        rare.assertApproxEqRel(type(uint256).max, uint256(1), type(uint256).max);
    }

    function test_approxIntMin() public pure {
        rare.assertApproxEqAbs(type(int256).min, type(int256).max, type(uint256).max);
    }

    function test_decimal() public pure {
        rare.assertEqDecimal(1, 1, 500);
    }

    function test_randomBits() public {
        assertLt(rare.randomUint(8), 256);
    }

    function test_randomBitsTooMany() public {
        rare.randomUint(257);
    }

    function test_randomRange() public {
        uint256 got = rare.randomUint(5, 7);
        assertTrue(got >= 5 && got <= 7);
    }

    function test_randomRangeBad() public {
        rare.randomUint(7, 5);
    }

    function test_randomBytes() public {
        assertEq(rare.randomBytes(33).length, 33);
    }

    function test_intercept() public {
        rare.interceptInitcode();
        bytes memory code;
        try new Constructs(5) {
            revert("made");
        } catch (bytes memory output) {
            code = output;
        }
        assertGt(code.length, 50);
    }

    function test_deployMoney() public {
        address made = vm.deployCode("Rare.sol:NeedsMoney", 1);
        assertEq(made.balance, 1);
    }

    function test_deployNoMoney() public {
        vm.deployCode("Rare.sol:NeedsMoney");
    }

    function test_deployArgsSalt() public {
        bytes32 salt = bytes32(uint256(3));
        address made = vm.deployCode("Rare.sol:Constructs", abi.encode(uint256(4)), salt);
        bytes32 hash = keccak256(abi.encodePacked(type(Constructs).creationCode, abi.encode(uint256(4))));
        assertEq(made, vm.computeCreate2Address(salt, hash, address(this)));
    }

    function test_deployArgsFail() public {
        vm.expectRevert(Small.selector);
        vm.deployCode("Rare.sol:Constructs", abi.encode(uint256(0)));
    }

    function test_deployArtifactPath() public {
        vm.deployCode("out/Rare.sol/Packed.json");
    }

    function test_getCodeArtifactPath() public view {
        assertEq(vm.getCode("out/Rare.sol/Packed.json"), type(Packed).creationCode);
    }

    function test_getCodeAbsent() public view {
        vm.getCode("out/Nowhere.sol/Packed.json");
    }

    function test_getCodeForbiddenCaught() public view {
        try vm.getCode("out/Rare.sol/Packed.json") returns (bytes memory) {
            revert("works");
        } catch {}
    }
}
