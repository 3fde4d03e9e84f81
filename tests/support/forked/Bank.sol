// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Stands on the chain before the campaign begins.
contract Bank {
    uint256 public total;
    mapping(address => uint256) public balances;
    Ledger public ledger;
    bytes32 public seen;

    constructor(uint256 start) payable {
        total = start;
        balances[msg.sender] = start;
        ledger = new Ledger();
    }

    function deposit(uint8 amount) external {
        balances[msg.sender] += amount;
        total += amount;
        ledger.note(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        require(balances[msg.sender] >= amount, "not enough");
        balances[msg.sender] -= amount;
        total -= amount;
    }

    function look(uint256 back, address who) external returns (bytes32, uint256, bytes32, uint256) {
        seen = blockhash(block.number - (back % 4));
        return (seen, who.balance, who.codehash, who.code.length);
    }

    function environment() external view returns (uint256, uint256, uint256, uint256, uint256, address, uint256) {
        return (
            block.number,
            block.timestamp,
            block.basefee,
            block.chainid,
            block.prevrandao,
            block.coinbase,
            block.gaslimit
        );
    }

    function clear() external {
        delete total;
        delete balances[msg.sender];
    }

    function make(bytes32 salt) external returns (address) {
        return address(new Ledger{salt: salt}());
    }
}

contract Ledger {
    mapping(address => uint256[]) internal entries;

    function note(address who, uint256 amount) external {
        entries[who].push(amount);
    }

    function count(address who) external view returns (uint256) {
        return entries[who].length;
    }
}
