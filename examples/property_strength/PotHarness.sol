// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Pot} from "./Pot.sol";

/// Properties that look complete: each function of the pot has one, and every line is executed. Senders are 0x10000,
/// 0x20000 and 0x30000; properties are called by 0x10000, who is the keeper.
contract PotHarness is Pot(address(0x10000)) {
    /// The accounts add up.
    function echidna_total_is_the_sum_of_shares() public view returns (bool) {
        return shareOf[address(0x10000)] + shareOf[address(0x20000)] + shareOf[address(0x30000)] == total;
    }

    /// While it is open, a payment arrives.
    function echidna_an_open_pot_takes_payments() public returns (bool) {
        if (closed) return true;
        uint256 before = shareOf[msg.sender];
        pay(1);
        return shareOf[msg.sender] == before + 1;
    }

    /// The keeper closes it.
    function echidna_the_keeper_can_close() public returns (bool) {
        close();
        return closed;
    }
}

/// The same, and what mutants showed to be missing: that what must fail does fail, and what just may work does work.
contract StrongPotHarness is PotHarness {
    /// A closed pot takes nothing.
    function echidna_a_closed_pot_takes_nothing() public returns (bool) {
        if (!closed) return true;
        try this.pay(1) {
            return false;
        } catch {
            return true;
        }
    }

    /// Everybody can take all that is theirs, to the last wei.
    function echidna_a_whole_share_can_be_taken() public returns (bool) {
        take(shareOf[msg.sender]);
        return shareOf[msg.sender] == 0;
    }

    /// Nobody but the keeper closes it: this contract is not the keeper.
    function echidna_nobody_else_closes() public returns (bool) {
        if (closed) return true;
        try this.close() {
            return false;
        } catch {
            return true;
        }
    }
}
