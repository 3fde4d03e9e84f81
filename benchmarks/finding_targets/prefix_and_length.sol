// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Prefix and length of a stored string.
contract PrefixAndLength {
    string private text;

    function set(string calldata given) external { text = given; }

    function echidna_not_hit() external view returns (bool) {
        bytes memory b = bytes(text);
        if (b.length != 12) return true;
        return !(b[0] == "p" && b[1] == "a" && b[2] == "y" && b[3] == ":" && b[11] == "!");
    }
}
