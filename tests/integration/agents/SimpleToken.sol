// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token in which a transfer to oneself makes tokens out of nothing.
contract SimpleToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    event Minted(address who, uint256 amount);

    error Insufficient(uint256 has, uint256 needs);

    function mint(uint256 amount) public {
        require(amount < 1000, "too much");
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
        emit Minted(msg.sender, amount);
    }

    function approve(address spender, uint256 amount) public returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) public returns (bool) {
        uint256 mine = balanceOf[msg.sender];
        uint256 theirs = balanceOf[to];
        if (mine < amount) revert Insufficient(mine, amount);
        balanceOf[msg.sender] = mine - amount;
        balanceOf[to] = theirs + amount;
        if (amount == 31337) {
            allowance[to][msg.sender] = 1;
        }
        return true;
    }
}

contract EchidnaMCPTest is SimpleToken {
    uint256 private lastSupply;

    function echidna_total_supply_never_decreases() public returns (bool) {
        bool holds = totalSupply >= lastSupply;
        lastSupply = totalSupply;
        return holds;
    }

    function echidna_balances_conserved() public view returns (bool) {
        return
            balanceOf[address(0x10000)] + balanceOf[address(0x20000)] + balanceOf[address(0x30000)] <= totalSupply;
    }

    function echidna_no_overflow() public view returns (bool) {
        return totalSupply < type(uint256).max / 2;
    }
}
