// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A hill over two numbers.
contract TwoSidedPeak {
    uint256 private x;
    uint256 private y;

    function setX(uint32 value) external { x = value; }
    function setY(uint32 value) external { y = value; }

    function echidna_below_the_top() external view returns (bool) {
        uint256 peak = uint32(uint256(keccak256("x")));
        uint256 other = uint32(uint256(keccak256("y")));
        uint256 distance = (x > peak ? x - peak : peak - x) + (y > other ? y - other : other - y);
        return distance > 3;
    }
}
