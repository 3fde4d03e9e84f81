// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Pair} from "./Pair.sol";

/// Inherits the pair, so that senders trade and provide liquidity as themselves.
contract PairHarness is Pair {
    /// Shares are worth at least what they cost. With k the product of the reserves, sqrt(k) per share starts at one;
    /// adding and removing liquidity keeps it (rounding favours the pool) and the swap fee raises it.
    function echidna_shares_keep_their_value() public view returns (bool) {
        return reserve[0] * reserve[1] >= totalShares ** 2;
    }

    /// While there are shares, there is something of both tokens to redeem them for.
    function echidna_shares_stand_for_both_tokens() public view returns (bool) {
        return totalShares == 0 || (reserve[0] > 0 && reserve[1] > 0);
    }
}
