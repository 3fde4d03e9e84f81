// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A slot that holds a third of an argument, and one that holds what an argument leaves.
contract QuotientOfASlot {
    uint256 private x;
    uint256 private y;

    function setX(uint256 value) external { x = value / 3; }
    function setY(uint256 value) external { y = 5 ether - value; }

    function echidna_not_hit() external view returns (bool) { return !(x == 123456789012345678 && y == 1234567); }
}
