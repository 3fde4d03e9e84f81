// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.4.26;

/// A token of the time when arithmetic wrapped around silently.
contract BatchToken {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    constructor() public {
        totalSupply = 3000000;
        balanceOf[address(0x10000)] = 1000000;
        balanceOf[address(0x20000)] = 1000000;
        balanceOf[address(0x30000)] = 1000000;
    }

    function transfer(address to, uint256 amount) public returns (bool) {
        require(balanceOf[msg.sender] >= amount);
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    /// PLANTED BUG: the product can wrap around to (nearly) nothing, which the sender can afford, while each receiver
    /// gets the full amount. Tokens worth a fortune were printed by this line in 2018.
    function batchTransfer(address[] memory receivers, uint256 amount) public returns (bool) {
        uint256 cost = receivers.length * amount;
        require(receivers.length > 0 && receivers.length <= 20);
        require(amount > 0 && balanceOf[msg.sender] >= cost);
        balanceOf[msg.sender] -= cost;
        for (uint256 i = 0; i < receivers.length; i++) {
            balanceOf[receivers[i]] += amount;
            emit Transfer(msg.sender, receivers[i], amount);
        }
        return true;
    }
}
