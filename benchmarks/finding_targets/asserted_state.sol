// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An assertion over what two calls stored.
contract AssertedState {
    uint256 private sum;
    uint256 private count;

    function add(uint32 value) external { sum += uint256(value) * 2; count++; }
    function reset() external { sum = 0; count = 0; }
    function record(uint256 factor) external view {
        if (count == 3 && sum == 2 * 777_777) assert(factor != sum - 5);
    }
}
