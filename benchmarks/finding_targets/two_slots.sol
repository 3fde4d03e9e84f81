// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Two slots, each written from an argument.
contract TwoSlots {
    uint256 private x;
    uint256 private y;

    function setX(uint256 value) external {
        x = value + 3;
    }

    function setY(uint256 value) external {
        y = value + 9;
    }

    function echidna_not_hit() external view returns (bool) {
        return !(x == 10 && y == 80);
    }
}
