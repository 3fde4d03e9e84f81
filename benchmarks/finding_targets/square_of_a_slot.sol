// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The square of a slot, which no step solves at once.
contract SquareOfASlot {
    uint256 private root;

    function set(uint64 value) external { root = value; }

    function echidna_not_hit() external view returns (bool) {
        return root * root != 15_241_383_936;
    }
}
