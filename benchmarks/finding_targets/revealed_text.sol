// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A text and a number of which the hash was stored by another call.
contract RevealedText {
    bytes32 private expected;
    bool private revealed;

    function commit(uint64 number, uint64 other) external {
        require(number > 1e6 && other > number);
        expected = keccak256(abi.encode("reveal", uint256(number) + 77, uint256(other) * 3));
    }
    function reveal(uint256 number, uint256 other) external {
        require(expected != 0 && keccak256(abi.encode("reveal", number, other)) == expected, "other");
        revealed = true;
    }

    function echidna_not_revealed() external view returns (bool) { return !revealed; }
}
