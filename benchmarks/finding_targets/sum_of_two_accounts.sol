// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// What two senders own together.
contract SumOfTwoAccounts {
    mapping(address => uint256) private owned;

    function register(uint128 amount) external { owned[msg.sender] = uint256(amount) * 3; }

    function echidna_not_hit() external view returns (bool) {
        return owned[address(0x10000)] != 3 * 11_111 || owned[address(0x10000)] + owned[address(0x20000)] != 3 * 88_888;
    }
}
