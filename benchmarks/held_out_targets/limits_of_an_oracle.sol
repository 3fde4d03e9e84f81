// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A price within one part in a million of a square, and a round that follows.
contract LimitsOfAnOracle {
    uint256 private price = 1_000;
    uint256 private round = 40;
    uint256 private hits;

    function post(uint256 newRound, uint256 newPrice) external {
        require(newRound == round + 2, "round");
        round = newRound;
        price = newPrice;
    }
    function settle(uint256 strike) external {
        require(strike > 5_000 && price == strike * 7 + round, "price");
        hits++;
        price = 1;
    }

    function echidna_at_most_once() external view returns (bool) { return hits < 2; }
}
