// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A stored word that is the hash of a string of the source.
contract HashOfAConstant {
    bytes32 private word;

    function set(bytes32 value) external { word = value; }

    function echidna_not_hit() external view returns (bool) {
        return word != keccak256(abi.encodePacked("door", uint256(9)));
    }
}
