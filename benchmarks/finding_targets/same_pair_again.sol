// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The same pair of numbers in three functions.
contract SamePairAgain {
    mapping(uint256 => mapping(uint256 => uint256)) private state;
    bool private hit;

    function open(uint256 x, uint256 y) external { require(x > 1e12 && y > 1e12); state[x][y] = 1; }
    function check(uint256 x, uint256 y) external { require(state[x][y] == 1, "not open"); state[x][y] = 2; }
    function close(uint256 y, uint256 x) external { require(state[x][y] == 2, "not checked"); hit = true; }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
