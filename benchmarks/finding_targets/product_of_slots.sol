// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The product of two slots.
contract ProductOfSlots {
    uint256 private left;
    uint256 private right;

    function setLeft(uint128 value) external { left = value; }
    function setRight(uint128 value) external { right = value; }

    function echidna_not_hit() external view returns (bool) {
        return left <= 5 || left >= 1_000 || left * right != 17 * 1_000_003;
    }
}
