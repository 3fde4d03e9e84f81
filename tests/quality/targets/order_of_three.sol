// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: three calls in one order; a call out of order starts again.
contract OrderOfThree {
    uint256 private progress;

    function first() external {
        progress = 1;
    }

    function second() external {
        progress = progress == 1 ? 2 : 0;
    }

    function third() external {
        progress = progress == 2 ? 3 : 0;
    }

    function echidna_never_complete() public view returns (bool) {
        return progress != 3;
    }
}
