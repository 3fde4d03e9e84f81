// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Four conditions on slots, one inside the other.
contract FourSlots {
    uint256 private a;
    uint256 private b;
    uint256 private c;
    uint256 private d;

    function setA(uint256 value) external { a = value * 5 + 11; }
    function setB(uint256 value) external { b = value ^ 0xbeef; }
    function setC(uint256 value) external { c = value - 77; }
    function setD(uint256 value) external { d = a + value; }

    function echidna_not_hit() external view returns (bool) {
        if (a == 5 * 4_321 + 11)
            if (b == 0x600d)
                if (c == 1_000_033)
                    if (d == 99_999_999) return false;
        return true;
    }
}
