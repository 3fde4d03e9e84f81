// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An argument that is a constant less than what is stored.
contract LessThanStored {
    uint256 private total = 1e18;
    bool private hit;

    function add(uint64 amount) external { total += amount; }
    function take(uint256 amount) external {
        if (keccak256(abi.encode(amount)) == keccak256(abi.encode(total - 1_337))) hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
