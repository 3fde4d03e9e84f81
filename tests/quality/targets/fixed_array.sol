// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: elements of one array stand in a relation to each other.
contract FixedArray {
    bool private hit;

    function submit(uint32[3] calldata parts) external {
        if (parts[0] != 1733) return;
        if (parts[1] != parts[0] * 2) return;
        if (parts[2] == parts[1] + parts[0]) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
