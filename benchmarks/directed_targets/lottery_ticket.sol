// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A ticket is a hash of when and by whom it was bought; its owner has to say so again.
contract LotteryTicket {
    mapping(bytes32 => bool) private sold;
    uint256 public tickets = 5_000;
    uint256 public prizes;

    function buy() external payable {
        require(msg.value == 3 gwei, "price");
        tickets += 17;
        sold[keccak256(abi.encodePacked(msg.sender, block.timestamp, tickets))] = true;
    }

    function claim(uint256 boughtAt, uint256 number) external {
        bytes32 ticket = keccak256(abi.encodePacked(msg.sender, boughtAt, number));
        require(sold[ticket], "no such ticket");
        require(block.timestamp > boughtAt + 30 days, "too early");
        sold[ticket] = false;
        prizes++;
    }

    function echidna_no_prize_for_old_tickets() external view returns (bool) {
        return prizes == 0;
    }
}
