// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a revert whose reason starts with "assertion failed" is a failure (as the assertions of test libraries
/// revert), any other reason is not.
contract AssertionReason {
    function check(uint16 number) external pure {
        require(number != 40_961, "assertion failed: 40961 is not allowed");
    }

    function refuse(uint16 number) external pure {
        require(number == 0, "only zero");
    }
}
