// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: the target's own address is an argument.
contract AddressOfContract {
    bool private hit;

    function send(address to) external {
        if (to == address(this)) hit = true;
    }

    function echidna_nothing_sent_to_itself() public view returns (bool) {
        return !hit;
    }
}
