// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Ten rounds in a row, each a comparison with state.
contract RoundsInARow {
    uint256 public round;
    uint256 private secret = 17;

    function play(uint256 guess) external {
        if (guess == secret) {
            round++;
            secret = (secret * 31 + 7) % 10_007;
        } else {
            round = 0;
            secret = 17;
        }
    }

    function echidna_round_stays_below_ten() external view returns (bool) {
        return round < 10;
    }
}
