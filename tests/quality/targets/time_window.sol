// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a delay between two calls falls into a window of one hour out of a week.
contract TimeWindow {
    uint256 private startedAt;
    bool private hit;

    function start() external {
        if (startedAt == 0) startedAt = block.timestamp;
    }

    function finish() external {
        if (startedAt == 0) return;
        uint256 elapsed = block.timestamp - startedAt;
        if (elapsed >= 2 days && elapsed < 2 days + 1 hours) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
