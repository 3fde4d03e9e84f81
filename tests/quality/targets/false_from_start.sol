// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a property that is false right after the constructor is reported without any call.
contract FalseFromStart {
    uint256 private supply;

    constructor() {
        supply = 21_000_001;
    }

    function burn(uint256 amount) external {
        supply -= amount;
    }

    function echidna_supply_is_capped() public view returns (bool) {
        return supply <= 21_000_000;
    }
}
