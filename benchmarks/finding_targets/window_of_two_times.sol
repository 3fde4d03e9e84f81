// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Two calls within a narrow window of time.
contract WindowOfTwoTimes {
    uint256 private first;
    bool private hit;

    function begin() external { first = block.timestamp; }
    function end(uint256 amount) external {
        require(first != 0, "begin");
        require(block.timestamp - first == 86_477, "window");
        require(amount == first % 1_000_000, "amount");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
