// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Ledger} from "./Ledger.sol";

/// Fails on demand. Its failures are its own: a caller that catches them has no failure.
contract Fragile {
    function assertSmall(uint256 number) external pure returns (uint256) {
        assert(number < 1000);
        return number;
    }
}

/// Everything here is correct, and much of it looks like a failure: reverts, panics other than a failed assertion,
/// failed assertions of others that were caught, events with a name nearly like `AssertionFailed`.
contract LedgerHarness is Ledger {
    Fragile private immutable fragile = new Fragile();
    uint256[] private history;
    uint256 private caught;
    uint256 private evaluations;

    event AssertionFailure(uint256 number);

    /// Panic 0x12 for a zero divisor: a revert, not a failed assertion.
    function divide(uint256 number, uint256 divisor) external returns (uint256 quotient) {
        quotient = number / divisor;
        assert(quotient * divisor <= number);
        history.push(quotient);
    }

    /// Panic 0x32 for an index out of range.
    function recall(uint256 index) external view returns (uint256) {
        return history[index];
    }

    /// Panic 0x11 on overflow.
    function triple(uint256 number) external {
        history.push(number * 3);
    }

    /// The callee's assertion fails for large numbers; the failure is caught and counted.
    function tryFragile(uint256 number) external {
        try fragile.assertSmall(number) returns (uint256 same) {
            assert(same == number);
        } catch {
            assert(number >= 1000);
            caught += 1;
            emit AssertionFailure(number);
        }
    }

    /// No account owns more than there is.
    function echidna_balance_is_within_total() public view returns (bool) {
        return balanceOf[address(0x10000)] + balanceOf[address(0x20000)] + balanceOf[address(0x30000)] <= total;
    }

    /// What a property writes is discarded after it was evaluated, so this counter is always at its first count.
    function echidna_property_leaves_no_trace() public returns (bool) {
        evaluations += 1;
        return evaluations == 1;
    }

    /// The property's sender is 0x10000, and nobody can debit more than they have: this call always reverts.
    function echidna_revert_debit_more_than_balance() public {
        debit(balanceOf[msg.sender] + 1);
    }
}
