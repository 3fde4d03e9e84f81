// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// An ERC-20 token backed one to one by ether: `deposit` mints, `withdraw` burns and pays out.
contract Token {
    string public constant name = "Backed Token";
    string public constant symbol = "BACK";
    uint8 public constant decimals = 18;

    uint256 public totalSupply;
    mapping(address account => uint256 amount) public balanceOf;
    mapping(address owner => mapping(address spender => uint256 amount)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    error InsufficientBalance(address account, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error PaymentFailed(address account, uint256 amount);

    function deposit() external payable {
        totalSupply += msg.value;
        balanceOf[msg.sender] += msg.value;
        emit Transfer(address(0), msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        uint256 balance = balanceOf[msg.sender];
        if (balance < amount) revert InsufficientBalance(msg.sender, balance, amount);
        balanceOf[msg.sender] = balance - amount;
        totalSupply -= amount;
        emit Transfer(msg.sender, address(0), amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed(msg.sender, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance(msg.sender, allowed, amount);
        allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    /// PLANTED BUG: both balances are read before either is written. When `from` and `to` are the same account the
    /// second write wins, so a transfer to oneself creates tokens out of nothing. Lending protocols have been drained
    /// by exactly this mistake.
    function _move(address from, address to, uint256 amount) internal {
        uint256 fromBalance = balanceOf[from];
        uint256 toBalance = balanceOf[to];
        if (fromBalance < amount) revert InsufficientBalance(from, fromBalance, amount);
        balanceOf[from] = fromBalance - amount;
        balanceOf[to] = toBalance + amount;
        emit Transfer(from, to, amount);
    }
}
