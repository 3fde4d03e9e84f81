// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An argument that is the sum of two constants.
contract SumOfConstants {
    uint256 private constant FEE = 123_456_789;
    uint256 private constant LIMIT = 9_876_543_210_000;
    bool private hit;

    function pay(uint256 amount) external {
        if (keccak256(abi.encode(amount)) == keccak256(abi.encode(FEE + LIMIT))) hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
