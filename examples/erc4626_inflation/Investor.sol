// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Asset} from "./Asset.sol";
import {ShareVault} from "./ShareVault.sol";

/// An account of its own for one participant.
contract Investor {
    Asset private immutable asset;
    ShareVault private immutable vault;

    constructor(Asset asset_, ShareVault vault_) {
        asset = asset_;
        vault = vault_;
        asset_.approve(address(vault_), type(uint256).max);
    }

    function deposit(uint256 assets) external {
        vault.deposit(assets);
    }

    function donate(uint256 assets) external {
        asset.transfer(address(vault), assets);
    }

    function redeemAll() external {
        vault.redeem(vault.balanceOf(address(this)));
    }

    /// Assets in hand and what the shares would fetch at this moment.
    function wealth() external view returns (uint256) {
        return asset.balanceOf(address(this)) + vault.previewRedeem(vault.balanceOf(address(this)));
    }
}
