// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Products divided by a number, with the rounding in the name.
library MulDiv {
    function mulDivDown(uint256 a, uint256 b, uint256 divisor) internal pure returns (uint256) {
        return a * b / divisor;
    }

    function mulDivUp(uint256 a, uint256 b, uint256 divisor) internal pure returns (uint256) {
        uint256 product = a * b;
        return product == 0 ? 0 : (product - 1) / divisor + 1;
    }
}
