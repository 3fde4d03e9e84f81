// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A correct ledger with credits, transfers and debits. Its assertions hold for every input.
contract Ledger {
    uint256 public total;
    mapping(address account => uint256 amount) public balanceOf;

    event Moved(address indexed from, address indexed to, uint256 amount);

    error InsufficientBalance(address account, uint256 balance, uint256 needed);

    function credit(uint128 amount) public {
        total += amount;
        balanceOf[msg.sender] += amount;
        assert(balanceOf[msg.sender] <= total);
        emit Moved(address(0), msg.sender, amount);
    }

    function debit(uint256 amount) public {
        uint256 balance = balanceOf[msg.sender];
        if (balance < amount) revert InsufficientBalance(msg.sender, balance, amount);
        balanceOf[msg.sender] = balance - amount;
        total -= amount;
        assert(balanceOf[msg.sender] <= total);
        emit Moved(msg.sender, address(0), amount);
    }

    function move(address to, uint256 amount) public {
        uint256 balance = balanceOf[msg.sender];
        if (balance < amount) revert InsufficientBalance(msg.sender, balance, amount);
        uint256 sum = msg.sender == to ? balance : balance + balanceOf[to];
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        assert(sum == (msg.sender == to ? balanceOf[to] : balanceOf[msg.sender] + balanceOf[to]));
        emit Moved(msg.sender, to, amount);
    }
}
