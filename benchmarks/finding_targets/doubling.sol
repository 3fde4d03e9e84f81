// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Twelve doublings without a loss.
contract Doubling {
    uint256 private stake = 1;

    function bet(uint256 amount, uint8 side) external {
        require(amount == stake, "all of it");
        if (side == uint8(stake % 251) + 3) stake *= 2;
        else stake = 1;
    }

    function echidna_small() external view returns (bool) { return stake < 4_096; }
}
