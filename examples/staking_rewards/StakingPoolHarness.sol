// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {StakingPool} from "./StakingPool.sol";

/// Inherits the pool, so that the campaign's senders stake as themselves.
contract StakingPoolHarness is StakingPool {
    /// The pool never pays more than the stream has brought since the start.
    function echidna_paid_is_within_stream() public view returns (bool) {
        return totalPaid <= (block.timestamp - startedAt) * REWARD_PER_SECOND;
    }

    /// The total is the sum of all stakes; only the three senders stake.
    function echidna_stakes_add_up() public view returns (bool) {
        return totalStake
            == positions[address(0x10000)].stake + positions[address(0x20000)].stake + positions[address(0x30000)].stake;
    }
}
