// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: the largest value of a type is generated. One more than 255 wraps around to 0.
contract Uint8Maximum {
    uint8 private low;
    uint8 private high = 1;

    function place(uint8 number) external {
        low = number;
        unchecked {
            high = number + 1;
        }
    }

    function echidna_high_is_above_low() public view returns (bool) {
        return high > low;
    }
}
