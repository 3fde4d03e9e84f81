// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: the smallest signed value is generated. Its absolute value does not exist.
contract Int256Minimum {
    int256 private absolute;

    function setAbsolute(int256 number) external {
        unchecked {
            absolute = number < 0 ? -number : number;
        }
    }

    function echidna_absolute_is_not_negative() public view returns (bool) {
        return absolute >= 0;
    }
}
