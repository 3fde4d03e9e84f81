// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "../src/Base.sol";

contract ConsoleCalls is Test {
    address constant C = 0x000000000000000000636F6e736F6c652e6c6f67;

    function send(bytes memory data, uint256 value) internal returns (bool ok) {
        (ok,) = C.call{value: value}(data);
    }

    function look(bytes memory data) internal view returns (bool ok) {
        (ok,) = C.staticcall(data);
    }

    function test_empty() public {
        require(send("", 0));
    }

    function test_emptyValue() public {
        require(send("", 1));
    }

    function test_emptyStatic() public view {
        require(look(""));
    }

    function test_unknown() public {
        require(send(hex"12345678", 0));
    }

    function test_short() public {
        require(send(hex"1234", 0));
    }

    function test_known() public {
        require(send(abi.encodeWithSignature("log(uint256)", 1), 0));
    }

    function test_knownValue() public {
        require(send(abi.encodeWithSignature("log(uint256)", 1), 1));
    }

    function test_old() public {
        require(send(abi.encodeWithSignature("log(uint)", 1), 0));
    }

    function test_truncated() public {
        require(send(abi.encodeWithSignature("log(uint256)"), 0));
    }

    function test_more() public {
        require(send(abi.encodePacked(abi.encodeWithSignature("log(uint256)", 1), uint256(5)), 0));
    }

    function test_badBool() public {
        require(send(abi.encodePacked(bytes4(keccak256("log(bool)")), uint256(5)), 0));
    }

    function test_badAddress() public {
        require(send(abi.encodePacked(bytes4(keccak256("log(address)")), type(uint256).max), 0));
    }

    function test_badOffset() public {
        require(send(abi.encodePacked(bytes4(keccak256("log(string)")), type(uint256).max), 0));
    }

    function test_badUtf8() public {
        require(send(abi.encodeWithSignature("log(string)", hex"ff"), 0));
    }

    function test_int() public {
        require(send(abi.encodeWithSignature("log(int256)", -1), 0));
    }

    function test_intPair() public {
        require(send(abi.encodeWithSignature("log(string,int256)", "a", -1), 0));
    }

    function test_intThree() public {
        require(send(abi.encodeWithSignature("log(string,int256,int256)", "a", -1, 1), 0));
    }

    function test_bytes() public {
        require(send(abi.encodeWithSignature("logBytes(bytes)", hex"01"), 0));
    }

    function test_logBytesLog() public {
        require(send(abi.encodeWithSignature("log(bytes)", hex"01"), 0));
    }

    function test_bytes4() public {
        require(send(abi.encodeWithSignature("logBytes4(bytes4)", bytes4(0x01020304)), 0));
    }

    function test_bytes4Dirty() public {
        require(send(abi.encodePacked(bytes4(keccak256("logBytes4(bytes4)")), type(uint256).max), 0));
    }

    function test_logBytes4() public {
        require(send(abi.encodeWithSignature("log(bytes4)", bytes4(0x01020304)), 0));
    }

    function test_logUint() public {
        require(send(abi.encodeWithSignature("logUint(uint256)", 1), 0));
    }

    function test_logIntOld() public {
        require(send(abi.encodeWithSignature("logInt(int)", 1), 0));
    }

    function test_five() public {
        require(send(abi.encodeWithSignature("log(uint256,uint256,uint256,uint256,uint256)", 1, 1, 1, 1, 1), 0));
    }

    function test_bytes32Four() public {
        require(send(abi.encodeWithSignature("log(bytes32,uint256)", bytes32(0), 1), 0));
    }

    function test_delegate() public {
        (bool ok,) = C.delegatecall(hex"12345678");
        require(ok);
    }

    function test_expect() public {
        vm.expectRevert();
        send("", 0);
    }

    function test_output() public {
        (, bytes memory out) = C.call(hex"12345678");
        require(out.length == 0);
    }

    function test_balance() public {
        uint256 b = address(this).balance;
        send("", 5);
        require(address(this).balance == b);
    }

    function test_balanceKnown() public {
        uint256 b = address(this).balance;
        send(abi.encodeWithSignature("log(uint256)", 1), 5);
        require(address(this).balance == b);
    }
}
