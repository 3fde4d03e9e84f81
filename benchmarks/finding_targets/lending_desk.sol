// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Deposit, borrow, a price that falls, liquidation.
contract LendingDesk {
    mapping(address => uint256) private collateral;
    mapping(address => uint256) private debt;
    uint256 private price = 1_000;
    uint256 private badDebt;

    function deposit(uint96 amount) external { require(amount > 1e9); collateral[msg.sender] += amount; }
    function borrow(uint96 amount) external {
        require(amount > 1e9);
        require((debt[msg.sender] + amount) * 1_500 <= collateral[msg.sender] * price, "collateral");
        debt[msg.sender] += amount;
    }
    function fall(uint256 to) external { require(to < price && to * 100 >= price * 60, "too fast"); price = to; }
    function liquidate(address who) external {
        require(debt[who] > 0 && debt[who] * 1_500 > collateral[who] * price, "healthy");
        uint256 worth = collateral[who] * price / 1_000;
        if (worth < debt[who]) badDebt += debt[who] - worth;
        collateral[who] = 0;
        debt[who] = 0;
    }

    function echidna_solvent() external view returns (bool) { return badDebt == 0; }
}
