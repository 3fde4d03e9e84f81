// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {MulDiv} from "fixed-point/MulDiv.sol";

/// Savers hold shares of a pool whose assets grow by interest. Assets are plain numbers here.
contract SavingsPool {
    using MulDiv for uint256;

    uint256 public totalAssets;
    uint256 public totalShares;
    mapping(address saver => uint256 shares) public sharesOf;

    event Deposited(address indexed saver, uint256 assets, uint256 shares);
    event Withdrawn(address indexed saver, uint256 assets, uint256 shares);
    event InterestAdded(uint256 assets);

    function deposit(uint256 assets) external returns (uint256 shares) {
        shares = totalShares == 0 ? assets : assets.mulDivDown(totalShares, totalAssets);
        totalAssets += assets;
        totalShares += shares;
        sharesOf[msg.sender] += shares;
        emit Deposited(msg.sender, assets, shares);
    }

    /// PLANTED BUG: rounds in favour of the saver. Whoever withdraws little enough pays no share for it. Withdrawals
    /// by assets must round the shares up (`mulDivUp`).
    function withdraw(uint256 assets) external returns (uint256 shares) {
        shares = assets.mulDivDown(totalShares, totalAssets);
        totalAssets -= assets;
        totalShares -= shares;
        sharesOf[msg.sender] -= shares;
        emit Withdrawn(msg.sender, assets, shares);
    }

    function addInterest(uint256 assets) external {
        totalAssets += assets;
        emit InterestAdded(assets);
    }
}
