// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

contract ReadsJson is RareTest {
    string constant DOC =
        '{"a": 1, "b": "two", "c": [1, 2, 3], "d": {"e": "0x0000000000000000000000000000000000000005", "f": true},'
        ' "g": "0x1234", "h": -7, "i": 1.5, "j": null, "k": [], "l": ["x", "y"], "m": "123", "n": "0x10",'
        ' "o": 115792089237316195423570985008687907853269984665640564039457584007913129639935, "p": "1e3",'
        ' "q": [{"r": 1}, {"r": 2}], "s": "true", "t": 1e18, "u.v": 5, "w x": 6}';

    struct Pair {
        uint256 x;
        string y;
    }

    function test_uint() public pure {
        assertEq(rare.parseJsonUint(DOC, ".a"), 1);
    }

    function test_uintOfString() public pure {
        assertEq(rare.parseJsonUint(DOC, ".m"), 123);
    }

    function test_uintOfHex() public pure {
        assertEq(rare.parseJsonUint(DOC, ".n"), 16);
    }

    function test_uintOfExponent() public pure {
        assertEq(rare.parseJsonUint(DOC, ".p"), 1000);
    }

    function test_uintOfExponentNumber() public pure {
        assertEq(rare.parseJsonUint(DOC, ".t"), 1e18);
    }

    function test_uintOfText() public pure {
        rare.parseJsonUint(DOC, ".b");
    }

    function test_uintOfNegative() public pure {
        rare.parseJsonUint(DOC, ".h");
    }

    function test_uintOfFraction() public pure {
        rare.parseJsonUint(DOC, ".i");
    }

    function test_uintOfNull() public pure {
        rare.parseJsonUint(DOC, ".j");
    }

    function test_uintMax() public pure {
        assertEq(rare.parseJsonUint(DOC, ".o"), type(uint256).max);
    }

    function test_uintOfArray() public pure {
        rare.parseJsonUint(DOC, ".c");
    }

    function test_noDot() public pure {
        assertEq(rare.parseJsonUint(DOC, "a"), 1);
    }

    function test_dollar() public pure {
        assertEq(rare.parseJsonUint(DOC, "$.a"), 1);
    }

    function test_bracket() public pure {
        assertEq(rare.parseJsonUint(DOC, "$['a']"), 1);
    }

    function test_bracketDotted() public pure {
        assertEq(rare.parseJsonUint(DOC, "['u.v']"), 5);
    }

    function test_bracketSpaced() public pure {
        assertEq(rare.parseJsonUint(DOC, ".['w x']"), 6);
    }

    function test_index() public pure {
        assertEq(rare.parseJsonUint(DOC, ".c[1]"), 2);
    }

    function test_indexNegative() public pure {
        assertEq(rare.parseJsonUint(DOC, ".c[-1]"), 3);
    }

    function test_indexTooFar() public pure {
        rare.parseJsonUint(DOC, ".c[9]");
    }

    function test_nested() public pure {
        assertEq(rare.parseJsonAddress(DOC, ".d.e"), address(5));
    }

    function test_nestedBool() public pure {
        assertTrue(rare.parseJsonBool(DOC, ".d.f"));
    }

    function test_boolOfString() public pure {
        assertTrue(rare.parseJsonBool(DOC, ".s"));
    }

    function test_boolOfNumber() public pure {
        rare.parseJsonBool(DOC, ".a");
    }

    function test_missing() public pure {
        rare.parseJsonUint(DOC, ".zz");
    }

    function test_bytes() public pure {
        assertEq(rare.parseJsonBytes(DOC, ".g"), hex"1234");
    }

    function test_bytes32Short() public pure {
        rare.parseJsonBytes32(DOC, ".g");
    }

    function test_int() public pure {
        assertEq(rare.parseJsonInt(DOC, ".h"), -7);
    }

    function test_string() public pure {
        assertEq(rare.parseJsonString(DOC, ".b"), "two");
    }

    function test_stringOfNumber() public pure {
        assertEq(rare.parseJsonString(DOC, ".a"), "1");
    }

    function test_stringOfObject() public pure {
        rare.parseJsonString(DOC, ".d");
    }

    function test_uintArray() public pure {
        assertEq(rare.parseJsonUintArray(DOC, ".c").length, 3);
    }

    function test_uintArrayOfOne() public pure {
        assertEq(rare.parseJsonUintArray(DOC, ".a").length, 1);
    }

    function test_uintArrayEmpty() public pure {
        assertEq(rare.parseJsonUintArray(DOC, ".k").length, 0);
    }

    function test_stringArray() public pure {
        assertEq(rare.parseJsonStringArray(DOC, ".l")[1], "y");
    }

    function test_wildcard() public pure {
        assertEq(rare.parseJsonUintArray(DOC, ".q[*].r")[1], 2);
    }

    function test_descendants() public pure {
        assertEq(rare.parseJsonUintArray(DOC, "..r").length, 2);
    }

    function test_keys() public pure {
        assertEq(rare.parseJsonKeys(DOC, ".d").length, 2);
    }

    function test_keysRoot() public pure {
        assertEq(rare.parseJsonKeys(DOC, "$").length, 22);
    }

    function test_keysDot() public pure {
        assertEq(rare.parseJsonKeys(DOC, ".").length, 22);
    }

    function test_keysOfArray() public pure {
        rare.parseJsonKeys(DOC, ".c");
    }

    function test_exists() public view {
        assertTrue(rare.keyExistsJson(DOC, ".d.f"));
        assertFalse(rare.keyExistsJson(DOC, ".d.z"));
    }

    function test_existsNull() public view {
        assertTrue(rare.keyExistsJson(DOC, ".j"));
    }

    function test_existsOld() public view {
        assertTrue(rare.keyExists(DOC, ".a"));
    }

    function test_raw() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".a"), (uint256)), 1);
    }

    function test_rawString() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".b"), (string)), "two");
    }

    function test_rawArray() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".c"), (uint256[])).length, 3);
    }

    function test_rawEmptyArray() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".k"), (uint256[])).length, 0);
    }

    function test_rawNull() public pure {
        assertEq(rare.parseJson(DOC, ".j").length, 32);
    }

    function test_rawMissing() public pure {
        assertEq(rare.parseJson(DOC, ".zz").length, 0);
    }

    function test_rawFraction() public pure {
        rare.parseJson(DOC, ".i");
    }

    function test_rawHexIsBytes() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".g"), (bytes)), hex"1234");
    }

    function test_rawAddress() public pure {
        assertEq(abi.decode(rare.parseJson(DOC, ".d.e"), (address)), address(5));
    }

    function test_rawObject() public pure {
        Pair memory pair = abi.decode(rare.parseJson('{"x": 4, "y": "w"}'), (Pair));
        assertEq(pair.x, 4);
        assertEq(pair.y, "w");
    }

    function test_rawObjectOrder() public pure {
        Pair memory pair = abi.decode(rare.parseJson('{"y": "w", "x": 4}'), (Pair));
        assertEq(pair.x, 4);
    }

    function test_rawObjects() public pure {
        Pair[] memory pairs =
            abi.decode(rare.parseJson('[{"x": 4, "y": "w"}, {"x": 5, "y": "z"}]', "."), (Pair[]));
        assertEq(pairs[1].x, 5);
    }

    function test_badJson() public pure {
        rare.parseJson("{a: 1}");
    }

    function test_emptyJson() public pure {
        rare.parseJson("");
    }

    function test_badPath() public pure {
        rare.parseJsonUint(DOC, ".[");
    }

    function test_mixedArray() public pure {
        rare.parseJson('[1, "a"]', ".");
    }

    function test_duplicateKeys() public pure {
        assertEq(rare.parseJsonUint('{"a": 1, "a": 2}', ".a"), 2);
    }

    function test_unicode() public pure {
        assertEq(rare.parseJsonString('{"a": "\\u0041"}', ".a"), "A");
    }
}

contract WritesJson is RareTest {
    function test_one() public {
        assertEq(rare.serializeUint("o", "a", 1), '{"a":1}');
    }

    function test_two() public {
        rare.serializeUint("o", "b", 1);
        assertEq(rare.serializeUint("o", "a", 2), '{"a":2,"b":1}');
    }

    function test_string() public {
        assertEq(rare.serializeString("o", "a", "x\"y"), '{"a":"x\\"y"}');
    }

    function test_nested() public {
        string memory inner = rare.serializeUint("i", "a", 1);
        assertEq(rare.serializeString("o", "in", inner), '{"in":{"a":1}}');
    }

    function test_stringOfNumber() public {
        assertEq(rare.serializeString("o", "a", "12"), '{"a":12}');
    }

    function test_stringOfBool() public {
        assertEq(rare.serializeString("o", "a", "true"), '{"a":true}');
    }

    function test_address() public {
        assertEq(
            rare.serializeAddress("o", "a", address(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38)),
            '{"a":"0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38"}'
        );
    }

    function test_big() public {
        string memory text = rare.serializeUint("o", "a", type(uint256).max);
        assertEq(rare.parseJsonUint(text, ".a"), type(uint256).max);
    }

    function test_bigText() public {
        assertEq(
            rare.serializeUint("o", "a", 1 << 64), '{"a":"18446744073709551616"}'
        );
    }

    function test_bytes() public {
        assertEq(rare.serializeBytes("o", "a", hex"00ff"), '{"a":"0x00ff"}');
    }

    function test_array() public {
        uint256[] memory list = new uint256[](2);
        list[0] = 7;
        assertEq(rare.serializeUint("o", "a", list), '{"a":[7,0]}');
    }

    function test_bool() public {
        assertEq(rare.serializeBool("o", "a", false), '{"a":false}');
    }

    function test_separateObjects() public {
        rare.serializeBool("o", "a", false);
        assertEq(rare.serializeBool("p", "b", true), '{"b":true}');
    }

    function test_writeForbidden() public {
        rare.writeJson("{}", "./out.json");
    }

    function test_writeFileForbidden() public {
        rare.writeFile("./some.txt", "x");
    }

    function test_readForbidden() public view {
        rare.readFile("foundry.toml");
    }

    function test_readDirForbidden() public view {
        rare.readDir(".");
    }

    function test_existsForbidden() public view {
        rare.exists("foundry.toml");
    }

    function test_isFileForbidden() public view {
        rare.isFile("foundry.toml");
    }

    function test_projectRoot() public view {
        assertGt(bytes(rare.projectRoot()).length, 0);
    }

    function test_ffiOff() public {
        string[] memory words = new string[](1);
        words[0] = "true";
        rare.ffi(words);
    }

    function test_tryFfiOff() public {
        string[] memory words = new string[](1);
        words[0] = "true";
        rare.tryFfi(words);
    }

    function test_ffiOffExpected() public {
        string[] memory words = new string[](1);
        words[0] = "true";
        vm.expectRevert();
        rare.ffi(words);
    }

    function test_ffiOffCaught() public {
        string[] memory words = new string[](1);
        words[0] = "true";
        try rare.ffi(words) {
            revert("works");
        } catch {}
    }

    function test_readForbiddenCaught() public view {
        try rare.readFile("foundry.toml") {
            revert("works");
        } catch {}
    }
}

contract ReadsToml is RareTest {
    string constant DOC =
        "a = 1\nb = \"two\"\nc = [1, 2, 3]\nd = true\nh = -7\nn = \"0x10\"\nx = 0x1f\ny = 1_000\n[t]\ne = \"0x0000000000000000000000000000000000000005\"\n[t.u]\nv = 9\n";

    function test_uint() public pure {
        assertEq(rare.parseTomlUint(DOC, ".a"), 1);
    }

    function test_hex() public pure {
        assertEq(rare.parseTomlUint(DOC, ".x"), 31);
    }

    function test_underscore() public pure {
        assertEq(rare.parseTomlUint(DOC, ".y"), 1000);
    }

    function test_uintOfHexText() public pure {
        assertEq(rare.parseTomlUint(DOC, ".n"), 16);
    }

    function test_string() public pure {
        assertEq(rare.parseTomlString(DOC, ".b"), "two");
    }

    function test_array() public pure {
        assertEq(rare.parseTomlUintArray(DOC, ".c").length, 3);
    }

    function test_bool() public pure {
        assertTrue(rare.parseTomlBool(DOC, "$.d"));
    }

    function test_nested() public pure {
        assertEq(rare.parseTomlUint(DOC, ".t.u.v"), 9);
    }

    function test_keys() public pure {
        assertEq(rare.parseTomlKeys(DOC, ".t").length, 2);
    }

    function test_missing() public pure {
        rare.parseTomlUint(DOC, ".zz");
    }

    function test_exists() public view {
        assertTrue(rare.keyExistsToml(DOC, ".t.e"));
        assertFalse(rare.keyExistsToml(DOC, ".t.f"));
    }

    function test_bad() public pure {
        rare.parseTomlUint("a = = 1", ".a");
    }

    function test_raw() public pure {
        assertEq(abi.decode(rare.parseToml(DOC, ".a"), (uint256)), 1);
    }
}
