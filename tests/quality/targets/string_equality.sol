// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a string literal of the source reaches a string argument. The contract compares hashes only.
contract StringEquality {
    bool private hit;

    function say(string calldata word) external {
        if (keccak256(bytes(word)) == keccak256("friend and enter")) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
