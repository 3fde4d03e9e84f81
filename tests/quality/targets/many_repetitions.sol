// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a long sequence of one call among calls that spoil it, and its shrinking to the exact count.
contract ManyRepetitions {
    uint256 private count;

    function push() external {
        count += 1;
    }

    function pop() external {
        if (count > 0) count -= 1;
    }

    function echidna_stays_low() public view returns (bool) {
        return count < 12;
    }
}
