// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: Panic(1) of a failed assertion. The function next to it panics with other codes and is no failure.
contract AssertPanic {
    uint256[] private items;

    function check(uint16 number) external pure {
        assert(number != 40_961);
    }

    function otherPanics(uint8 kind, uint256 number) external {
        if (kind == 0) items.push(number * 2);
        if (kind == 1) items.push(100 / number);
        if (kind == 2) items.push(items[number]);
        if (kind == 3) items.pop();
    }
}
