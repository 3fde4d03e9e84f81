// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Asset} from "./Asset.sol";

/// The heart of an ERC-4626 vault: assets go in, shares come out, a share is a part of all assets.
contract ShareVault {
    Asset public immutable asset;
    uint256 public totalSupply;
    mapping(address account => uint256 shares) public balanceOf;

    event Deposit(address indexed sender, uint256 assets, uint256 shares);
    event Withdraw(address indexed sender, uint256 assets, uint256 shares);

    constructor(Asset asset_) {
        asset = asset_;
    }

    /// PLANTED BUG: the vault believes its token balance, which anybody can raise by a plain transfer, and has neither
    /// virtual shares nor a minimum first deposit. An early depositor with one share can make that share so dear that
    /// the next deposit is rounded down to no shares at all.
    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        return totalSupply == 0 ? assets : assets * totalSupply / totalAssets();
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? 0 : shares * totalAssets() / totalSupply;
    }

    function deposit(uint256 assets) external returns (uint256 shares) {
        shares = previewDeposit(assets);
        asset.transferFrom(msg.sender, address(this), assets);
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
        emit Deposit(msg.sender, assets, shares);
    }

    function redeem(uint256 shares) external returns (uint256 assets) {
        assets = previewRedeem(shares);
        balanceOf[msg.sender] -= shares;
        totalSupply -= shares;
        asset.transfer(msg.sender, assets);
        emit Withdraw(msg.sender, assets, shares);
    }
}
