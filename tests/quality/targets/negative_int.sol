// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: negative numbers are generated, and a negative constant of the source is found.
contract NegativeInt {
    bool private hit;

    function guess(int256 number) external {
        if (number == -982_451_653) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
