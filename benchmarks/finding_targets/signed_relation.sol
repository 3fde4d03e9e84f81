// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A relation between two slots.
contract SignedRelation {
    int256 private low;
    int256 private high;

    function setLow(int256 value) external {
        require(value > -1e18 && value < 1e18);
        low = value;
    }

    function setHigh(int256 value) external {
        require(value > low);
        high = value;
    }

    function echidna_difference() external view returns (bool) {
        return high - low != 777_777_777;
    }
}
