// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Two slots, compared by an assertion.
contract AssertedSlots {
    uint256 private x;
    uint256 private y;

    function setX(uint256 value) external { x = value + 3; }
    function setY(uint256 value) external { y = value + 9; }
    function check() external view { assert(!(x == 10 && y == 80)); }
}
