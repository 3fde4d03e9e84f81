// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An allowance whose recall forgets what was promised on top.
contract AllowanceOfAnother {
    mapping(address => mapping(address => uint256)) private allowed;
    mapping(address => uint256) private bonus;
    mapping(address => uint256) private balance;
    uint256 private stolen;

    function fund(uint256 amount) external { require(amount < 1e24); balance[msg.sender] += amount; }
    function approve(address who, uint256 amount) external {
        require(who != msg.sender && amount <= balance[msg.sender]);
        allowed[msg.sender][who] = amount;
        bonus[who] = amount / 10;
    }
    function recall(address who) external { require(allowed[msg.sender][who] > 1e6); allowed[msg.sender][who] = 0; }
    function take(address from, uint256 amount) external {
        require(amount > 0 && amount <= allowed[from][msg.sender] + bonus[msg.sender], "allowance");
        if (allowed[from][msg.sender] == 0 && from != msg.sender && balance[from] >= amount) stolen += amount;
        bonus[msg.sender] = 0;
    }

    function echidna_nothing_stolen() external view returns (bool) { return stolen < 1e5; }
}
