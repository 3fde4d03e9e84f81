// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: the argument is changed before it is compared; the solution is no constant of the source.
contract XorRelation {
    bool private hit;

    function unlock(uint256 key) external {
        if ((key ^ 0x5bd1e9955bd1e995) == 0x1b873593cc9e2d51) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
