// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Six digits; a wrong one begins anew.
contract DigitsOfALock {
    bytes private constant DIGITS = hex"07010906030500";
    uint256 private place;

    function turn(uint8 digit) external {
        if (uint8(DIGITS[place]) == digit) place++;
        else place = 0;
    }

    function echidna_locked() external view returns (bool) { return place < 6; }
}
