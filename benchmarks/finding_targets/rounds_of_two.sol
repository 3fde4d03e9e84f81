// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Ten rounds, each of two calls that have to be right one after the other.
contract RoundsOfTwo {
    uint256 private round;
    bool private committed;

    function commit(uint256 number) external {
        if (number % 1000 == (round * 137 + 11) % 1000 && !committed) committed = true;
        else reset();
    }
    function reveal(uint256 number) external {
        if (committed && number == round * round + 1) {
            round++;
            committed = false;
        } else reset();
    }
    function reset() public {
        round = 0;
        committed = false;
    }

    function echidna_round_stays_below_ten() external view returns (bool) { return round < 10; }
}
