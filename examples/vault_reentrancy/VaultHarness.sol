// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Attacker} from "./Attacker.sol";
import {Vault} from "./Vault.sol";

/// Deploys the vault and an attacker, and is itself the honest depositor: the ether that `balanceContract` gives to the
/// constructor is in the vault before the campaign starts.
contract VaultHarness {
    Vault private immutable vault = new Vault();
    Attacker private immutable attacker = new Attacker(vault);

    constructor() payable {
        vault.deposit{value: msg.value}();
    }

    function honestDeposit() external payable {
        vault.deposit{value: msg.value}();
    }

    function attackerDeposit() external payable {
        attacker.deposit{value: msg.value}();
    }

    function attackerWithdraw(uint8 extraRounds) external {
        attacker.withdraw(extraRounds);
    }

    /// Depositing and withdrawing earns nothing, in whatever order and however nested.
    function echidna_attacker_makes_no_profit() public view returns (bool) {
        return attacker.wealth() <= attacker.invested();
    }

    /// The vault can pay every depositor in full at the same time.
    function echidna_vault_can_pay_everyone() public view returns (bool) {
        return address(vault).balance >= vault.balanceOf(address(this)) + vault.balanceOf(address(attacker));
    }

    /// The running total follows the vault's ether. It stays true under attack: a total that adds up does not mean
    /// that the single balances do.
    function echidna_total_follows_ether() public view returns (bool) {
        return address(vault).balance == vault.totalDeposits();
    }
}
