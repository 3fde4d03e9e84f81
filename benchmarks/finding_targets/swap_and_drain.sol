// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A pool whose fee is rounded away by many small swaps.
contract SwapAndDrain {
    uint256 private x = 1e6;
    uint256 private y = 1e6;
    uint256 private swaps;

    function swapX(uint256 given) external {
        require(given > 0 && given < 1e5);
        uint256 fee = given * 3 / 1_000;
        uint256 out = y * (given - fee) / (x + given) + (fee == 0 ? 1 : 0);
        x += given;
        y -= out;
        swaps++;
    }
    function swapY(uint256 given) external {
        require(given > 0 && given < 1e5);
        uint256 fee = given * 3 / 1_000;
        uint256 out = x * (given - fee) / (y + given);
        y += given;
        x -= out;
        swaps++;
    }

    function echidna_product_grows() external view returns (bool) { return x * y >= 1e12 - 15e6; }
}
