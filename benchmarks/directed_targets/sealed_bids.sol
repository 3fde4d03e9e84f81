// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Bids are hashes until they are revealed with the amount that they were for.
contract SealedBids {
    mapping(address => bytes32) private bids;
    address public best;
    uint256 public highest = 90_000;
    uint256 public owed;

    function bid(bytes32 seal) external {
        require(bids[msg.sender] == 0, "one bid each");
        bids[msg.sender] = seal;
    }

    function reveal(uint256 amount, bytes32 secret) external payable {
        require(keccak256(abi.encode(amount, secret, msg.sender)) == bids[msg.sender], "another bid");
        require(msg.value * 10 == amount && amount > highest, "deposit");
        bids[msg.sender] = 0;
        highest = amount;
        best = msg.sender;
    }

    function settle() external {
        require(msg.sender != best && best != address(0), "winner pays");
        owed += highest;
    }

    function echidna_best_bid_is_paid() external view returns (bool) {
        return owed == 0;
    }
}
