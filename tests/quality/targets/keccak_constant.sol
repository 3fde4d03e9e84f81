// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a hash of a literal, computed at run time, reaches an argument.
contract KeccakConstant {
    bool private hit;

    function unlock(bytes32 key) external {
        if (key == keccak256("monotreme/keccak/constant")) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
