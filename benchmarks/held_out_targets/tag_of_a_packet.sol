// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A packet with a tag, a length byte and a checksum.
contract TagOfAPacket {
    bool private accepted;

    function send(bytes calldata packet) external {
        require(packet.length > 6, "short");
        require(bytes4(packet[:4]) == 0xcafe0102, "tag");
        require(uint8(packet[4]) == packet.length - 5, "length");
        uint256 sum;
        for (uint256 i = 5; i < packet.length; i++) sum += uint8(packet[i]);
        require(sum == 777, "sum");
        accepted = true;
    }

    function echidna_not_accepted() external view returns (bool) { return !accepted; }
}
