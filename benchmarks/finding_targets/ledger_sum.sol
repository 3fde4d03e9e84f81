// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A transfer to oneself after a large deposit.
contract LedgerSum {
    mapping(address => uint256) private balances;
    uint256 private total;

    function deposit(uint256 amount) external {
        require(amount <= 1e24);
        balances[msg.sender] += amount;
        total += amount;
    }

    function move(address to, uint256 amount) external {
        uint256 from = balances[msg.sender];
        uint256 target = balances[to];
        require(amount <= from && amount > 1e20);
        balances[msg.sender] = from - amount;
        balances[to] = target + amount;
        if (to == msg.sender) total -= 1;
    }

    function echidna_total_covers_the_caller() external view returns (bool) {
        return balances[msg.sender] <= total;
    }
}
