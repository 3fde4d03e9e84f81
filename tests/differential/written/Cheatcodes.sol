// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/More.sol";
import "../src/Things.sol";

contract CheatText is FullTest {
    enum Color {
        Red,
        Green
    }

    function test_toStringUint() public pure {
        assertEq(vm.toString(uint256(123)), "123");
    }

    function test_toStringInt() public pure {
        assertEq(vm.toString(int256(-123)), "-123");
    }

    function test_toStringMin() public pure {
        assertEq(
            vm.toString(type(int256).min),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968"
        );
    }

    function test_toStringAddr() public pure {
        assertEq(
            vm.toString(address(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38)),
            "0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38"
        );
    }

    function test_toStringBytes() public pure {
        assertEq(vm.toString(bytes(hex"deadBEEF")), "0xdeadbeef");
    }

    function test_toStringB32() public pure {
        assertEq(vm.toString(bytes32(uint256(1))), "0x0000000000000000000000000000000000000000000000000000000000000001");
    }

    function test_toStringBool() public pure {
        assertEq(vm.toString(true), "true");
    }

    function test_parseUint() public pure {
        assertEq(vm.parseUint("123"), 123);
    }

    function test_parseUintHex() public pure {
        assertEq(vm.parseUint("0x10"), 16);
    }

    function test_parseUintBad() public pure {
        vm.parseUint("zz");
    }

    function test_parseUintEmpty() public pure {
        vm.parseUint("");
    }

    function test_parseUintNeg() public pure {
        vm.parseUint("-1");
    }

    function test_parseUintUnder() public pure {
        assertEq(vm.parseUint("1_000"), 1000);
    }

    function test_parseUintSci() public pure {
        assertEq(vm.parseUint("1e3"), 1000);
    }

    function test_parseUintEther() public pure {
        assertEq(vm.parseUint("1 ether"), 1e18);
    }

    function test_parseUintBig() public pure {
        vm.parseUint("115792089237316195423570985008687907853269984665640564039457584007913129639936");
    }

    function test_parseInt() public pure {
        assertEq(vm.parseInt("-5"), -5);
    }

    function test_parseIntHex() public pure {
        assertEq(vm.parseInt("-0x5"), -5);
    }

    function test_parseIntPlus() public pure {
        assertEq(vm.parseInt("+5"), 5);
    }

    function test_parseIntBig() public pure {
        vm.parseInt("57896044618658097711785492504343953926634992332820282019728792003956564819968");
    }

    function test_parseBool() public pure {
        assertTrue(vm.parseBool("true"));
    }

    function test_parseBool1() public pure {
        assertTrue(vm.parseBool("1"));
    }

    function test_parseBoolTrue() public pure {
        assertTrue(vm.parseBool("TRUE"));
    }

    function test_parseBoolYes() public pure {
        vm.parseBool("yes");
    }

    function test_parseAddr() public pure {
        assertEq(
            vm.parseAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38"), 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38
        );
    }

    function test_parseAddrNoPrefix() public pure {
        vm.parseAddress("1804c8AB1F12E6bbf3894d4083f33e07309d1f38");
    }

    function test_parseAddrShort() public pure {
        vm.parseAddress("0x1804");
    }

    function test_parseAddrWrongSum() public pure {
        vm.parseAddress("0x1804C8AB1F12E6bbf3894d4083f33e07309d1f38");
    }

    function test_parseBytes() public pure {
        assertEq(vm.parseBytes("0x0102"), hex"0102");
    }

    function test_parseBytesNo() public pure {
        assertEq(vm.parseBytes("0102"), hex"0102");
    }

    function test_parseBytesOdd() public pure {
        vm.parseBytes("0x012");
    }

    function test_parseBytesEmpty() public pure {
        assertEq(vm.parseBytes("0x").length, 0);
    }

    function test_parseB32() public pure {
        assertEq(
            vm.parseBytes32("0x0000000000000000000000000000000000000000000000000000000000000001"), bytes32(uint256(1))
        );
    }

    function test_parseB32Short() public pure {
        vm.parseBytes32("0x01");
    }

    function test_lower() public pure {
        assertEq(vm.toLowercase("AbC"), "abc");
    }

    function test_upper() public pure {
        assertEq(vm.toUppercase("AbC"), "ABC");
    }

    function test_trim() public pure {
        assertEq(vm.trim("  a b "), "a b");
    }

    function test_replace() public pure {
        assertEq(vm.replace("aXbXc", "X", "--"), "a--b--c");
    }

    function test_replaceEmpty() public pure {
        assertEq(vm.replace("ab", "", "-"), "-a-b-");
    }

    function test_split() public pure {
        string[] memory p = vm.split("a,b,,c", ",");
        assertEq(p.length, 4);
        assertEq(p[3], "c");
    }

    function test_splitEmpty() public pure {
        assertEq(vm.split("ab", "").length, 4);
    }

    function test_indexOf() public pure {
        assertEq(vm.indexOf("hello", "l"), 2);
    }

    function test_indexOfNone() public pure {
        assertEq(vm.indexOf("hello", "z"), type(uint256).max);
    }

    function test_indexOfEmpty() public pure {
        assertEq(vm.indexOf("hello", ""), 0);
    }

    function test_contains() public pure {
        assertTrue(vm.contains("hello", "ell"));
    }

    function test_containsNot() public pure {
        assertTrue(vm.contains("hello", "elx"));
    }

    function test_base64() public pure {
        assertEq(vm.toBase64(string("hello?>")), "aGVsbG8/Pg==");
    }

    function test_base64url() public pure {
        assertEq(vm.toBase64URL(string("hello?>")), "aGVsbG8_Pg==");
    }

    function test_ens() public pure {
        assertEq(vm.ensNamehash("eth"), 0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae);
    }

    function test_ensEmpty() public pure {
        assertEq(vm.ensNamehash(""), bytes32(0));
    }
}

contract CheatAddr is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_create() public {
        address w = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        Pot q = new Pot();
        assertEq(w, address(q));
    }

    function test_create2() public {
        bytes32 salt = bytes32(uint256(5));
        Pot q = new Pot{salt: salt}();
        assertEq(vm.computeCreate2Address(salt, keccak256(type(Pot).creationCode), address(this)), address(q));
    }

    function test_create2Default() public {
        bytes32 salt = bytes32(uint256(5));
        Pot q = new Pot{salt: salt}();
        assertEq(vm.computeCreate2Address(salt, keccak256(type(Pot).creationCode)), address(q));
    }

    function test_nonceStart() public view {
        assertEq(vm.getNonce(address(this)), 2);
    }

    function test_nonceNew() public {
        new Pot();
        assertEq(vm.getNonce(address(this)), 3);
    }

    function test_nonceOfContract() public view {
        assertEq(vm.getNonce(address(p)), 1);
    }

    function test_setNonceLower() public {
        vm.setNonce(address(p), 0);
    }

    function test_setNonceSame() public {
        vm.setNonce(address(p), 1);
    }

    function test_setNonceUnsafe() public {
        vm.setNonceUnsafe(address(p), 0);
        assertEq(vm.getNonce(address(p)), 0);
    }

    function test_createAddressNonceBig() public pure {
        vm.computeCreateAddress(address(1), type(uint256).max);
    }

    function test_labelNone() public view {
        assertEq(vm.getLabel(address(77)), "unlabeled:0x000000000000000000000000000000000000004D");
    }

    function test_sign() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, keccak256("x"));
        assertEq(ecrecover(keccak256("x"), v, r, s), vm.addr(1));
    }

    function test_signZero() public {
        vm.sign(0, keccak256("x"));
    }

    function test_signTooGreat() public {
        vm.sign(115792089237316195423570985008687907852837564279074904382605163141518161494337, keccak256("x"));
    }
}

contract CheatStorage is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_load() public {
        p.set(9);
        assertEq(uint256(vm.load(address(p), 0)), 9);
    }

    function test_store() public {
        vm.store(address(p), 0, bytes32(uint256(7)));
        assertEq(p.a(), 7);
    }

    function test_accesses() public {
        vm.record();
        p.set(9);
        (bytes32[] memory r, bytes32[] memory w) = vm.accesses(address(p));
        assertEq(w.length, 2);
        assertEq(r.length, 2);
        assertEq(w[0], bytes32(0));
    }

    function test_accessesRead() public {
        vm.record();
        p.a();
        (bytes32[] memory r, bytes32[] memory w) = vm.accesses(address(p));
        assertEq(w.length, 0);
        assertEq(r.length, 1);
    }

    function test_accessesNotRecorded() public {
        p.a();
        (bytes32[] memory r,) = vm.accesses(address(p));
        assertEq(r.length, 0);
    }

    function test_accessesTwice() public {
        vm.record();
        p.a();
        vm.accesses(address(p));
        p.a();
        (bytes32[] memory r,) = vm.accesses(address(p));
        assertEq(r.length, 2);
    }

    function test_recordAgain() public {
        vm.record();
        p.a();
        vm.record();
        (bytes32[] memory r,) = vm.accesses(address(p));
        assertEq(r.length, 0);
    }

    function test_stopRecord() public {
        vm.record();
        p.a();
        vm.stopRecord();
        p.a();
        (bytes32[] memory r,) = vm.accesses(address(p));
        assertEq(r.length, 1);
    }

    function test_accessesReverted() public {
        vm.record();
        try p.nested(3) {} catch {}
        (bytes32[] memory r, bytes32[] memory w) = vm.accesses(address(p));
        r;
        assertEq(w.length, 1);
    }

    function test_mappingRecord() public {
        vm.startMappingRecording();
        p.set(3);
        vm.stopMappingRecording();
        assertEq(vm.getMappingLength(address(p), bytes32(uint256(1))), 1);
    }

    function test_mappingRecordZero() public {
        vm.startMappingRecording();
        p.set(3);
        assertEq(vm.getMappingLength(address(p), bytes32(uint256(0))), 0);
    }

    function test_mappingKey() public {
        vm.startMappingRecording();
        p.set(3);
        bytes32 slot = vm.getMappingSlotAt(address(p), bytes32(uint256(1)), 0);
        (bool f, bytes32 k, bytes32 par) = vm.getMappingKeyAndParentOf(address(p), slot);
        assertTrue(f);
        assertEq(uint256(k), uint256(uint160(address(this))));
        assertEq(uint256(par), 1);
    }

    function test_copyStorage() public {
        p.set(5);
        Pot q = new Pot();
        vm.copyStorage(address(p), address(q));
        assertEq(q.a(), 5);
    }

    function test_storageSlotArray() public view {
        assertEq(uint256(vm.load(address(p), keccak256(abi.encode(uint256(2))))), 4);
    }

    function test_tstoreSameTest() public {
        p.tset(5);
        assertEq(p.tget(), 5);
    }
}

contract CheatGas is FullTest {
    Pot p;

    function setUp() public {
        p = new Pot();
    }

    function test_pauseLoop() public {
        vm.pauseGasMetering();
        for (uint256 i; i < 300; i++) {
            p.set(i);
        }
        vm.resumeGasMetering();
    }

    function test_pauseResume() public {
        vm.pauseGasMetering();
        p.set(5);
        vm.resumeGasMetering();
        uint256 g = gasleft();
        p.set(6);
        assertGt(g, gasleft());
    }

    function test_snapshotGas() public {
        vm.startSnapshotGas("x");
        p.set(3);
        uint256 g = vm.stopSnapshotGas();
        assertGt(g, 0);
    }

    function test_snapshotGasNone() public {
        vm.stopSnapshotGas();
    }

    function test_snapshotGasName() public {
        vm.startSnapshotGas("x");
        vm.stopSnapshotGas("y");
    }

    function test_snapshotValue() public {
        vm.snapshotValue("x", 3);
    }

    function test_gasleftIs() public view {
        assertGt(gasleft(), 1e9);
    }
}

contract CheatEnv is FullTest {
    function test_setEnv() public {
        vm.setEnv("MY_X", "5");
        assertEq(vm.envUint("MY_X"), 5);
    }

    function test_none() public view {
        vm.envUint("NOT_SET_ANYWHERE");
    }

    function test_orUint() public view {
        assertEq(vm.envOr("NOT_SET_ANYWHERE", uint256(3)), 3);
    }

    function test_orBool() public view {
        assertTrue(vm.envOr("NOT_SET_ANYWHERE", true));
    }

    function test_orString() public view {
        assertEq(vm.envOr("NOT_SET_ANYWHERE", string("q")), "q");
    }

    function test_orBad() public {
        vm.setEnv("MY_Y", "zz");
        vm.envOr("MY_Y", uint256(3));
    }

    function test_list() public {
        vm.setEnv("MY_L", "1,2,3");
        uint256[] memory l = vm.envUint("MY_L", ",");
        assertEq(l.length, 3);
        assertEq(l[2], 3);
    }

    function test_listSpaces() public {
        vm.setEnv("MY_M", "1, 2, 3");
        uint256[] memory l = vm.envUint("MY_M", ",");
        assertEq(l[2], 3);
    }

    function test_bool() public {
        vm.setEnv("MY_B", "true");
        assertTrue(vm.envBool("MY_B"));
    }

    function test_addr() public {
        vm.setEnv("MY_A", "0x0000000000000000000000000000000000000005");
        assertEq(vm.envAddress("MY_A"), address(5));
    }

    function test_bytes() public {
        vm.setEnv("MY_C", "0x0505");
        assertEq(vm.envBytes("MY_C"), hex"0505");
    }

    function test_exists() public {
        vm.setEnv("MY_D", "");
        assertTrue(vm.envExists("MY_D"));
    }

    function test_existsNot() public view {
        assertTrue(vm.envExists("NOT_SET_ANYWHERE"));
    }

    function test_setEmptyName() public {
        vm.setEnv("", "x");
    }

    function test_setEquals() public {
        vm.setEnv("A=B", "x");
    }

    function test_breakpoint() public pure {
        vm.breakpoint("a");
    }

    function test_breakpointBad() public pure {
        vm.breakpoint("ab");
    }

    function test_breakpointDigit() public pure {
        vm.breakpoint("1");
    }
    function test_currentFilePath() public view {}
}

contract DeployCode is FullTest {
    function test_name() public {
        assertGt(vm.deployCode("Pot").code.length, 0);
    }

    function test_file() public {
        assertGt(vm.deployCode("Things.sol:Pot").code.length, 0);
    }

    function test_path() public {
        assertGt(vm.deployCode("src/Things.sol:Pot").code.length, 0);
    }

    function test_unknown() public {
        vm.deployCode("Nothing");
    }

    function test_fileOnly() public {
        vm.deployCode("Things.sol");
    }

    function test_args() public {
        Args a = Args(vm.deployCode("Args", abi.encode(uint256(5), "hi")));
        assertEq(a.x(), 5);
        assertEq(a.s(), "hi");
    }

    function test_argsRevert() public {
        vm.deployCode("Args", abi.encode(uint256(13), "hi"));
    }

    function test_argsMissing() public {
        vm.deployCode("Args");
    }

    function test_value() public {
        address a = vm.deployCode("Pot", uint256(7));
        assertEq(a.balance, 7);
    }

    function test_salt() public {
        bytes32 salt = bytes32(uint256(5));
        address a = vm.deployCode("Pot", salt);
        assertEq(a, vm.computeCreate2Address(salt, keccak256(type(Pot).creationCode), address(this)));
    }

    function test_vm() public {
        assertGt(vm.deployCode("Pot").code.length, 0);
    }

    function test_vmArgs() public {
        assertEq(Args(vm.deployCode("Args", abi.encode(uint256(5), "hi"))).x(), 5);
    }

    function test_vmPrank() public {
        vm.prank(address(7));
        address a = vm.deployCode("Pot");
        assertEq(a, vm.computeCreateAddress(address(this), 1));
    }

    function test_nonce() public {
        vm.deployCode("Pot");
        assertEq(vm.getNonce(address(this)), 2);
    }

    function test_expectRevert() public {
        vm.expectRevert("thirteen");
        vm.deployCode("Args", abi.encode(uint256(13), "hi"));
    }

    function test_getCode() public view {
        assertEq(vm.getCode("Pot"), type(Pot).creationCode);
    }

    function test_getDeployed() public {
        assertEq(vm.getDeployedCode("Pot"), address(new Pot()).code);
    }

    function test_getCodeUnknown() public view {
        vm.getCode("Zilch");
    }

    function test_getCodeThis() public view {
        vm.getCode("DeployCode");
    }

    function test_runtimeCode() public {
        assertEq(address(new Pot()).code, type(Pot).runtimeCode);
    }

    function test_etch() public {
        vm.etch(address(44), address(new Pot()).code);
        Pot(payable(address(44))).set(3);
        assertEq(Pot(payable(address(44))).a(), 3);
    }

    function test_etchEmpty() public {
        Pot p = new Pot();
        vm.etch(address(p), "");
        assertEq(address(p).code.length, 0);
    }

    function test_etchVm() public {
        vm.etch(address(vm), hex"00");
    }

    function test_etchThis() public {
        vm.etch(address(this), hex"00");
        this.test_etchEmpty();
    }
}

contract StdCheatsTest is FullTest {
    Pot p;
    Token t;

    function setUp() public {
        p = new Pot();
        t = new Token();
    }

    function test_changePrank() public {
        vm.startPrank(address(7));
        vm.stopPrank();
        vm.startPrank(address(8));
        assertEq(p.who(), address(8));
    }

    function test_dealEther() public {
        vm.deal(address(7), 3);
        assertEq(address(7).balance, 3);
    }

    function test_skip() public {
        vm.warp(block.timestamp + 100);
        assertEq(block.timestamp, 101);
    }

    function test_bound() public view {
        assertEq(vm.bound(uint256(5), 5, 5), 5);
    }

    function test_boundBad() public view {
        vm.bound(uint256(5), 6, 5);
    }

    function testFuzz_bound(uint256 x) public view {
        x = vm.bound(x, 10, 20);
        assertGe(x, 10);
        assertLe(x, 20);
    }

    function testFuzz_boundInt(int256 x) public view {
        x = vm.bound(x, -10, 20);
        assertGe(x, -10);
        assertLe(x, 20);
    }

    function test_etchTimestamp() public {
        vm.warp(1e10);
        assertEq(vm.getBlockTimestamp(), 1e10);
    }

    function test_broadcast() public {
        vm.broadcast();
        p.set(1);
        assertEq(p.m(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38), 1);
    }

    function test_startBroadcast() public {
        vm.startBroadcast(address(6));
        p.set(1);
        p.set(2);
        vm.stopBroadcast();
        assertEq(p.m(address(6)), 2);
    }

    function test_broadcastPrank() public {
        vm.startBroadcast(address(6));
        vm.prank(address(5));
        p.set(1);
    }

    function test_prankBroadcast() public {
        vm.startPrank(address(6));
        vm.broadcast(address(5));
        p.set(1);
    }

    function test_stopBroadcast() public {
        vm.stopBroadcast();
    }

    function test_broadcastNonce() public {
        vm.broadcast(address(6));
        p.set(1);
        assertEq(vm.getNonce(address(6)), 1);
    }

    function test_broadcastKey() public {
        vm.broadcast(uint256(5));
        p.set(1);
        assertEq(p.m(vm.addr(5)), 1);
    }

    function test_blobBase() public {
        vm.blobBaseFee(5);
        assertEq(vm.getBlobBaseFee(), 5);
        assertEq(block.blobbasefee, 5);
    }

    function test_blobhashes() public {
        bytes32[] memory h = new bytes32[](1);
        h[0] = bytes32(uint256(1));
        vm.blobhashes(h);
        assertEq(blobhash(0), h[0]);
    }

    function test_setBlockhash() public {
        vm.roll(10);
        vm.setBlockhash(5, bytes32(uint256(7)));
        assertEq(blockhash(5), bytes32(uint256(7)));
    }

    function test_setBlockhashFuture() public {
        vm.setBlockhash(50, bytes32(uint256(7)));
    }

    function test_difficulty() public {
        vm.difficulty(5);
    }

    function test_prevrandaoUint() public {
        vm.prevrandao(uint256(5));
        assertEq(block.prevrandao, 5);
    }

    function test_allowCheats() public {
        vm.allowCheatcodes(address(p));
    }

    function test_persistent() public {
        vm.makePersistent(address(p));
        assertTrue(vm.isPersistent(address(p)));
    }

    function test_isPersistentThis() public view {
        assertTrue(vm.isPersistent(address(this)));
    }

    function test_random() public {
        assertLe(vm.randomUint(8), 255);
        vm.randomAddress();
        vm.randomBool();
        vm.randomBytes(4);
        vm.randomInt();
    }

    function test_randomBits() public {
        vm.randomUint(257);
    }

    function test_randomInt() public {
        int256 x = vm.randomInt(8);
        assertTrue(x >= -128 && x <= 127);
    }

    function test_setSeed() public {
        vm.setSeed(5);
        uint256 a = vm.randomUint();
        vm.setSeed(5);
        assertEq(a, vm.randomUint());
    }

    function test_shuffle() public {
        uint256[] memory a = new uint256[](3);
        a[0] = 1;
        a[1] = 2;
        a[2] = 3;
        a = vm.shuffle(a);
        assertEq(a[0] + a[1] + a[2], 6);
    }

    function test_sort() public {
        uint256[] memory a = new uint256[](3);
        a[0] = 3;
        a[1] = 2;
        a[2] = 1;
        a = vm.sort(a);
        assertEq(a[0], 1);
    }

    function test_encodeRlp() public pure {
        bytes[] memory d = new bytes[](2);
        d[0] = hex"01";
        d[1] = hex"ffff";
        assertEq(vm.toRlp(d), hex"c40182ffff");
    }

    function test_bound_vm() public view {
        assertEq(vm.bound(uint256(30), 10, 20), 18);
    }

    function under(uint256 x) public pure returns (uint256) {
        return x - 1;
    }
}
