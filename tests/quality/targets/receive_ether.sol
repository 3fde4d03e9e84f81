// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: calls without call data, with ether, reach `receive`.
contract ReceiveEther {
    bool private hit;

    receive() external payable {
        if (msg.value > 0) hit = true;
    }

    function echidna_no_plain_transfer() public view returns (bool) {
        return !hit;
    }
}
