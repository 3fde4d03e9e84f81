// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Packed fields of one slot.
contract ShiftedPacked {
    uint256 private packed;

    function setLow(uint64 value) external {
        packed = (packed & ~uint256(type(uint64).max)) | value;
    }

    function setMiddle(uint64 value) external {
        packed = (packed & ~(uint256(type(uint64).max) << 64)) | (uint256(value) << 64);
    }

    function echidna_not_hit() external view returns (bool) {
        return !(uint64(packed) == 0xdecaf && uint64(packed >> 64) == 0xc0ffee);
    }
}
