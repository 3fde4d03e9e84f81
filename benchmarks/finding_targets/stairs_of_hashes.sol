// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Stairs, each a number that the stair's hash tells.
contract StairsOfHashes {
    uint256 private stair;

    function climb(uint16 guess) external {
        uint256 wanted = uint256(keccak256(abi.encode(stair))) % 50_000;
        if (guess == wanted) stair++;
        else if (stair > 0) stair--;
    }

    function echidna_below() external view returns (bool) { return stair < 5; }
}
