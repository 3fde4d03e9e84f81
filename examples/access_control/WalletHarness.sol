// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Airdrop} from "./Airdrop.sol";
import {Wallet} from "./Wallet.sol";

/// The wallet belongs to the sender 0x30000. `allContracts` lets all senders call the wallet and the airdrop directly,
/// as they could on a chain.
contract WalletHarness {
    address private constant OWNER = address(0x30000);

    Wallet private immutable wallet = new Wallet(OWNER);
    Airdrop private immutable airdrop = new Airdrop(wallet);

    constructor() payable {
        payable(wallet).transfer(msg.value);
    }

    /// The owner may pay whom they like by calling the wallet. Claiming an airdrop must not spend anything.
    function echidna_claiming_spends_nothing() public view returns (bool) {
        return airdrop.loot() == 0;
    }

    /// Ownership is fixed at deployment.
    function echidna_owner_stays() public view returns (bool) {
        return wallet.owner() == OWNER;
    }
}
