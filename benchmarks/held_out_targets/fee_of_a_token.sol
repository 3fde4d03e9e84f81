// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

contract FeeToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(address holder) { balanceOf[holder] = 1_000_000e18; }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }
    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        require(allowance[from][msg.sender] >= amount, "allowance");
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }
    function _move(address from, address to, uint256 amount) private {
        require(balanceOf[from] >= amount, "balance");
        uint256 fee = amount > 50_000e18 ? amount / 1000 : 0;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - fee;
    }
}

contract Vault {
    FeeToken private immutable token;
    mapping(address => uint256) public credit;
    uint256 public total;

    constructor(FeeToken used) { token = used; }

    function deposit(uint256 amount) external {
        require(amount > 0, "amount");
        token.transferFrom(msg.sender, address(this), amount);
        credit[msg.sender] += amount;
        total += amount;
    }
    function withdraw(uint256 amount) external {
        require(amount > 0 && credit[msg.sender] >= amount, "credit");
        credit[msg.sender] -= amount;
        total -= amount;
        token.transfer(msg.sender, amount);
    }
}

// Large transfers cost a fee, which the vault does not see.
contract FeeOfAToken {
    FeeToken private token = new FeeToken(address(this));
    Vault private vault = new Vault(token);

    function approve(uint256 amount) external { token.approve(address(vault), amount); }
    function deposit(uint256 amount) external { vault.deposit(amount); }
    function withdraw(uint256 amount) external { vault.withdraw(amount); }
    function send(address to, uint256 amount) external { token.transfer(to, amount); }

    function echidna_vault_is_solvent() external view returns (bool) {
        return token.balanceOf(address(vault)) >= vault.total();
    }
}
