// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IBank {
    function total() external view returns (uint256);
    function deposit(uint8 amount) external;
}

/// Deployed by the campaign; the bank is the first contract that the chain's first account made.
contract BankTest {
    IBank internal constant BANK = IBank(0x5FbDB2315678afecb367f032d93F642f64180aa3);

    function put(uint8 amount) public {
        BANK.deposit(amount);
    }

    /// 1000 are there already.
    function echidna_total_stays_small() public view returns (bool) {
        return BANK.total() < 1300;
    }

    function echidna_total_only_grows() public view returns (bool) {
        return BANK.total() >= 1000;
    }
}
