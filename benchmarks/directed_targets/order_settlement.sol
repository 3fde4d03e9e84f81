// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An order is known by the hash of its terms, of which the caller gives only some when it is placed.
contract OrderSettlement {
    uint256 public nonce = 41;
    uint256 public settlements;
    mapping(bytes32 => uint256) private open;

    function place(uint128 amount, uint64 price) external {
        require(amount > 1e9 && price > 100, "too small");
        nonce += 3;
        open[keccak256(abi.encode(msg.sender, amount, price, nonce, block.timestamp + 1 days))] = amount;
    }

    function cancel(address maker, uint128 amount, uint64 price, uint256 number, uint256 deadline) external {
        require(msg.sender == maker, "not the maker");
        open[keccak256(abi.encode(maker, amount, price, number, deadline))] = 0;
    }

    function settle(address maker, uint128 amount, uint64 price, uint256 number, uint256 deadline) external {
        bytes32 key = keccak256(abi.encode(maker, amount, price, number, deadline));
        require(open[key] == amount && amount > 0, "unknown order");
        require(msg.sender != maker, "own order");
        require(block.timestamp <= deadline, "expired");
        // The order stays open.
        settlements++;
    }

    function echidna_orders_settle_once() external view returns (bool) {
        return settlements == 0;
    }
}
