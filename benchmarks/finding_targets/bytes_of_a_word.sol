// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The bytes of a stored bytes8, each with another condition.
contract BytesOfAWord {
    bytes8 private word;

    function set(bytes8 value) external { word = value; }

    function echidna_not_hit() external view returns (bool) {
        return !(word[0] == 0xde && word[2] == 0x0a && uint8(word[5]) == uint8(word[0]) - 3 && word[7] == word[2]);
    }
}
