// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Token} from "./Token.sol";

/// Inherits the token, so that the campaign's three senders hold, spend and approve tokens as themselves.
contract TokenHarness is Token {
    address private constant ALICE = address(0x10000);
    address private constant BOB = address(0x20000);
    address private constant CAROL = address(0x30000);

    /// No set of accounts can hold more tokens than exist. Senders may also give tokens to strangers, hence "at most".
    function echidna_balances_are_within_supply() public view returns (bool) {
        return balanceOf[ALICE] + balanceOf[BOB] + balanceOf[CAROL] <= totalSupply;
    }

    /// Every token in the supply can be redeemed: the contract owns at least that much ether.
    function echidna_supply_is_backed_by_ether() public view returns (bool) {
        return address(this).balance >= totalSupply;
    }
}
