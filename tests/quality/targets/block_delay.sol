// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: blocks pass, and more of them than seconds alone would suggest.
contract BlockDelay {
    uint256 private startedAt;
    bool private hit;

    function start() external {
        if (startedAt == 0) startedAt = block.number;
    }

    function finish() external {
        if (startedAt != 0 && block.number >= startedAt + 45_000) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
