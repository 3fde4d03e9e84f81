// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The same struct in three calls.
contract OrderHash {
    struct Order {
        address maker;
        uint256 amount;
        uint256 price;
    }

    mapping(bytes32 => bool) public placed;
    bool public settledTwice;
    mapping(bytes32 => uint256) private settled;

    function place(Order calldata order) external {
        require(order.amount > 1e6 && order.price > 0);
        placed[keccak256(abi.encode(order))] = true;
    }

    function settle(Order calldata order) external {
        bytes32 key = keccak256(abi.encode(order));
        require(placed[key], "unknown order");
        settled[key]++;
        if (settled[key] == 2) settledTwice = true;
    }

    function echidna_settles_once() external view returns (bool) {
        return !settledTwice;
    }
}
