// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A header, a length field and a mark at the end of a byte string.
contract HeaderOfBytes {
    bool private hit;

    function parse(bytes calldata data) external {
        require(data.length >= 8, "short");
        require(data[0] == 0x19 && data[1] == 0x45, "header");
        require(uint8(data[2]) == data.length, "length");
        require(data[data.length - 1] == 0x7f, "end");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
