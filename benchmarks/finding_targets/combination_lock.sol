// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Ten digits, each a hash; no property sees how many were right.
contract CombinationLock {
    uint8[10] private code;
    uint256 private at;
    bool private open;

    constructor() {
        for (uint256 index = 0; index < 10; index++) code[index] = uint8(uint256(keccak256(abi.encode(index, "lock"))));
    }

    function press(uint8 digit) external {
        at = digit == code[at] ? at + 1 : 0;
        if (at == 10) {
            open = true;
            at = 0;
        }
    }

    function echidna_locked() external view returns (bool) { return !open; }
}
