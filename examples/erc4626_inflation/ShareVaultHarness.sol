// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Asset} from "./Asset.sol";
import {Investor} from "./Investor.sol";
import {ShareVault} from "./ShareVault.sol";

/// Two investors share a vault that earns nothing. Amounts are `uint64`: wide enough for every effect, and no call is
/// wasted on more than an investor owns.
contract ShareVaultHarness {
    uint256 private constant ENDOWMENT = 1e24;
    uint256 private constant MINIMUM_VICTIM_DEPOSIT = 1000;

    Asset private immutable asset = new Asset(2 * ENDOWMENT);
    ShareVault private immutable vault = new ShareVault(asset);
    Investor private immutable attacker = new Investor(asset, vault);
    Investor private immutable victim = new Investor(asset, vault);

    /// Sum of all deposits of the victim.
    uint256 private victimDeposited;

    constructor() {
        asset.transfer(address(attacker), ENDOWMENT);
        asset.transfer(address(victim), ENDOWMENT);
    }

    function attackerDeposits(uint64 assets) external {
        attacker.deposit(assets);
    }

    function attackerDonates(uint64 assets) external {
        attacker.donate(assets);
    }

    function attackerRedeems() external {
        attacker.redeemAll();
    }

    /// Deposits of dust lose a large part to honest rounding, therefore the victim does not make them.
    function victimDeposits(uint64 assets) external {
        require(assets >= MINIMUM_VICTIM_DEPOSIT, "the victim deposits at least 1000");
        victimDeposited += assets;
        victim.deposit(assets);
    }

    function victimRedeems() external {
        victim.redeemAll();
    }

    /// Rounding costs a depositor at most one percent of what was deposited.
    function echidna_victim_loses_at_most_one_percent() public view returns (bool) {
        uint256 wealth = victim.wealth();
        return wealth >= ENDOWMENT || (ENDOWMENT - wealth) * 100 <= victimDeposited;
    }

    /// The vault earns nothing, so whatever somebody gains, somebody else has lost.
    function echidna_attacker_makes_no_profit() public view returns (bool) {
        return attacker.wealth() <= ENDOWMENT + victimDeposited / 100;
    }

    /// The two investors hold all shares.
    function echidna_shares_add_up() public view returns (bool) {
        return vault.totalSupply() == vault.balanceOf(address(attacker)) + vault.balanceOf(address(victim));
    }

    /// Assets move, none appear or vanish.
    function echidna_assets_add_up() public view returns (bool) {
        return vault.totalAssets() + asset.balanceOf(address(attacker)) + asset.balanceOf(address(victim))
            == asset.totalSupply();
    }
}
