// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A hill whose top is a number of nowhere.
contract HiddenPeak {
    uint256 private height;

    function measure(uint64 x) external {
        uint256 peak = uint64(uint256(keccak256("peak")));
        uint256 distance = x > peak ? x - peak : peak - x;
        height = 1e20 - distance;
    }

    function echidna_below_the_top() external view returns (bool) { return height < 1e20 - 1_000; }
}
