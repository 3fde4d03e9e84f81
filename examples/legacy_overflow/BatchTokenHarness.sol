// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.4.26;

import "./BatchToken.sol";

contract BatchTokenHarness is BatchToken {
    /// Nobody can own more than there is. (The sum of all balances would wrap around too, and hide the damage.)
    function echidna_nobody_owns_more_than_supply() public view returns (bool) {
        return balanceOf[address(0x10000)] <= totalSupply && balanceOf[address(0x20000)] <= totalSupply
            && balanceOf[address(0x30000)] <= totalSupply;
    }

    /// The supply is fixed.
    function echidna_supply_is_fixed() public view returns (bool) {
        return totalSupply == 3000000;
    }
}
