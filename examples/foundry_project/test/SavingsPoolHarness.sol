// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {SavingsPool} from "../src/SavingsPool.sol";

/// Drives the pool as its only saver, for property mode. Amounts are `uint64`, so that no product overflows.
contract SavingsPoolHarness {
    SavingsPool internal immutable pool = new SavingsPool();

    /// Assets and shares at the best price (assets per share) that there ever was.
    uint256 private bestAssets;
    uint256 private bestShares;

    function deposit(uint64 assets) external {
        pool.deposit(assets);
        _remember();
    }

    function withdraw(uint64 assets) public virtual {
        pool.withdraw(assets);
        _remember();
    }

    function addInterest(uint64 assets) external {
        require(pool.totalShares() > 0, "interest needs savers");
        pool.addInterest(assets);
        _remember();
    }

    /// The price of a share never falls.
    function echidna_price_never_falls() public view returns (bool) {
        return pool.totalAssets() * bestShares >= bestAssets * pool.totalShares();
    }

    /// The harness is the only saver, so all shares are its own.
    function echidna_shares_add_up() public view returns (bool) {
        return pool.totalShares() == pool.sharesOf(address(this));
    }

    /// Starts again when the pool is empty: without shares there is no price.
    function _remember() private {
        uint256 assets = pool.totalAssets();
        uint256 shares = pool.totalShares();
        if (shares == 0) {
            (bestAssets, bestShares) = (0, 0);
        } else if (assets * bestShares >= bestAssets * shares) {
            (bestAssets, bestShares) = (assets, shares);
        }
    }
}
