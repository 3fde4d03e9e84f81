// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Seven right answers in a row, each other than the one before.
contract StreakOfAnswers {
    uint256 private state = 5;
    uint256 private streak;

    function answer(uint64 guess) external {
        uint256 wanted = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        if (guess == wanted) { streak++; state = wanted; }
        else { streak = 0; state = 5; }
    }

    function echidna_short() external view returns (bool) { return streak < 7; }
}
