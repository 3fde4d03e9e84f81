// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Requirements one after the other, each with the numbers of those before.
contract StackedRequirements {
    bool private hit;

    function pass(uint256 a, uint256 b, uint256 c, uint256 d) external {
        require(a > 1e6 && a < 1e9, "a");
        require(a % 97 == 13, "remainder");
        require(b == a * 3 + 1, "b");
        require(c ^ b == 0x123456, "c");
        require(d + c == b * 2, "d");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
