// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Bids that rise by a tenth, an end, and a claim by the winner.
contract AuctionOfBids {
    uint256 private best = 1_000;
    address private leader;
    uint256 private rounds;
    uint256 private last;
    bool private claimed;

    function bid(uint256 amount) external {
        require(amount >= best + best / 10 && amount <= best * 2, "amount");
        require(msg.sender != leader, "leader");
        best = amount;
        leader = msg.sender;
        rounds++;
        last = block.timestamp;
    }
    function claim() external {
        require(msg.sender == leader && rounds >= 6, "leader");
        require(block.timestamp > last + 3 days, "open");
        claimed = true;
    }

    function echidna_not_claimed() external view returns (bool) { return !claimed; }
}
