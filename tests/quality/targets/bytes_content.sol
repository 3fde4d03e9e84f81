// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: length and content of a dynamic byte string vary independently.
contract BytesContent {
    bool private hit;

    function submit(bytes calldata packet) external {
        if (packet.length == 6 && packet[0] == 0x7f && packet[5] == 0x00) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
