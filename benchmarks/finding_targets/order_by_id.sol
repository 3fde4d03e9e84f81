// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An order under a hash that its first call makes, filled by another account and cancelled by its maker.
contract OrderById {
    struct Order { address maker; uint256 amount; uint8 state; }

    mapping(bytes32 => Order) private orders;
    uint256 private next;
    bool private cancelledLate;

    function place(uint256 amount) external returns (bytes32 id) {
        require(amount > 1e6);
        id = keccak256(abi.encode(msg.sender, next++, amount));
        orders[id] = Order(msg.sender, amount, 1);
    }
    function fill(bytes32 id, uint256 amount) external {
        Order storage order = orders[id];
        require(order.state == 1, "state");
        require(msg.sender != order.maker && amount == order.amount, "fill");
        order.state = 2;
    }
    function cancel(bytes32 id) external {
        Order storage order = orders[id];
        require(order.maker == msg.sender, "maker");
        if (order.state == 2) cancelledLate = true;
        order.state = 3;
    }

    function echidna_not_cancelled_late() external view returns (bool) { return !cancelledLate; }
}
