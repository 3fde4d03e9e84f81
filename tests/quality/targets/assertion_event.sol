// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: an event named `AssertionFailed` is a failure, whatever its arguments are.
contract AssertionEvent {
    event AssertionFailed(string reason, uint256 number);

    function check(uint16 number) external {
        if (number == 40_961) emit AssertionFailed("this number is not allowed", number);
    }
}
