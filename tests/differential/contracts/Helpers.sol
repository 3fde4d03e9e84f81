// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Base} from "./Base.sol";

error Custom();
error CustomWith(uint256 number, address account);

/// A way to fail in every function but `nothing`.
contract Failures is Base {
    enum Choice {
        First,
        Second
    }

    uint256[] internal empty;
    uint256 internal zero;

    function nothing() public {}

    function bareRevert() public pure {
        revert();
    }

    function textRevert() public pure {
        revert("text");
    }

    function emptyText() public pure {
        revert("");
    }

    function customRevert() public pure {
        revert Custom();
    }

    function customWith() public view {
        revert CustomWith(7, address(this));
    }

    function requireBare() public view {
        require(zero == 1);
    }

    function requireText() public view {
        require(zero == 1, "text");
    }

    function assertFails() public view {
        assert(zero == 1);
    }

    function overflows() public view returns (uint256) {
        return zero - 1;
    }

    function divides() public view returns (uint256) {
        return 1 / zero;
    }

    function outOfBounds() public view returns (uint256) {
        return empty[zero];
    }

    function badEnum() public view returns (Choice) {
        return Choice(zero + 2);
    }

    function popsEmpty() public {
        empty.pop();
    }

    function invalidCode() public pure {
        assembly {
            invalid()
        }
    }

    function rawData() public pure {
        assembly {
            mstore(0, shl(232, 0x010203))
            revert(0, 3)
        }
    }

    function vmAssertEq() public pure {
        vm.assertEq(uint256(1), uint256(2));
    }

    function vmAssertEqText() public pure {
        vm.assertEq(uint256(1), uint256(2), "text");
    }

    function vmAssertTrue() public pure {
        vm.assertTrue(false);
    }

    function vmAssertTrueText() public pure {
        vm.assertTrue(false, "text");
    }

    function vmAssertApprox() public pure {
        vm.assertApproxEqAbs(10, 20, 5);
    }

    function misusedCheat() public {
        vm.prank(address(1));
        vm.prank(address(2));
    }

    function notesFailure() public {
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
    }

    function looksLikeAssertion() public pure {
        revert("assertion failed: 1 != 2");
    }

    function assumesFalse() public pure {
        vm.assume(false);
    }

    function skips() public {
        vm.skip(true);
    }
}

contract FailsInConstructor {
    constructor(address failing, bytes memory data) {
        (bool done, bytes memory output) = failing.call(data);
        if (!done) {
            assembly {
                revert(add(output, 32), mload(output))
            }
        }
    }
}

/// Calls on and lets what comes back through.
contract Relay {
    function relay(address callee, bytes calldata data) public payable returns (bytes memory) {
        (bool done, bytes memory output) = callee.call{value: msg.value}(data);
        if (!done) {
            assembly {
                revert(add(output, 32), mload(output))
            }
        }
        return output;
    }

    function swallow(address callee, bytes calldata data) public {
        (bool done,) = callee.call(data);
        done;
    }

    function wrap(address callee, bytes calldata data) public {
        (bool done,) = callee.call(data);
        require(done, "wrapped");
    }
}

/// Tells who calls, and counts.
contract Counter {
    event Set(uint256 indexed number, address indexed sender, uint256 old);
    event Other(uint256 number);
    event Plain();

    uint256 public number;
    address public lastSender;
    address public lastOrigin;

    function set(uint256 value) public payable {
        emit Set(value, msg.sender, number);
        number = value;
        lastSender = msg.sender;
        lastOrigin = tx.origin;
    }

    function setTwice(uint256 value) public {
        set(value);
        set(value + 1);
    }

    function plain() public {
        emit Plain();
    }

    function other(uint256 value) public {
        emit Other(value);
    }

    function silent() public {}

    function increment() public {
        number++;
    }

    function who() public view returns (address) {
        return msg.sender;
    }

    function origin() public view returns (address) {
        return tx.origin;
    }

    function fails() public pure {
        revert("text");
    }

    function failsIf(bool condition) public pure {
        require(!condition, "text");
    }

    receive() external payable {}
}

contract OtherCounter {
    function number() public pure returns (uint256) {
        return 99;
    }
}

contract Creator {
    Counter public made;

    constructor() {
        made = new Counter();
    }
}

interface DoesA {
    function doA() external;
}

contract Left {
    uint256 public a;
    uint256 public b;
    uint256 public byAlice;
    uint256 public byOther;
    uint256 public byTest;
    address private immutable maker = msg.sender;

    function note() private {
        if (msg.sender == address(0xA11CE)) byAlice = 1;
        else if (msg.sender == maker) byTest = 1;
        else byOther = 1;
    }

    function doA() public {
        a = 1;
        note();
    }

    function doB() public {
        b = 1;
        note();
    }

    function look() public view returns (uint256) {
        return a;
    }
}

contract Right {
    uint256 public a;

    function doA() public {
        a = 1;
    }
}

contract PaidHandler {
    uint256 public called;
    uint256 public paid;

    function pay() public payable {
        called = 1;
        if (msg.value > 0) paid = 1;
    }

    receive() external payable {}

    fallback() external payable {}
}

contract EmitsPlain {
    event Plain();

    constructor() {
        emit Plain();
    }
}
