// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a 256-bit constant of the source reaches an argument.
contract MagicUint {
    bool private hit;

    function guess(uint256 number) external {
        if (number == 0x517cc1b727220a94fe13abe8fa9a6ee06db14acc9e21c820ff28b1d5ef5de2b0) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
