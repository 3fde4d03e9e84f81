// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {SavingsPoolHarness} from "./SavingsPoolHarness.sol";

/// The same pool for assertion mode. A failed `assert` reverts the call and with it the damage, so assertions and
/// properties over the same state are kept in two harnesses: in one, the properties would never see the damage.
contract SavingsPoolAssertions is SavingsPoolHarness {
    /// A withdrawal does not lower the price of the shares that stay.
    function withdraw(uint64 assets) public override {
        uint256 assetsBefore = pool.totalAssets();
        uint256 sharesBefore = pool.totalShares();
        super.withdraw(assets);
        assert(pool.totalAssets() * sharesBefore >= assetsBefore * pool.totalShares());
    }
}
