// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: two arguments in an arithmetic relation, found by the operands of the comparison.
contract ArgumentRelation {
    bool private hit;

    function balance(uint64 left, uint128 right) external {
        if (left > 1000 && uint128(left) * 3 + 7 == right) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
