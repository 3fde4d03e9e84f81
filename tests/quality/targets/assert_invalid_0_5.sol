// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.5.17;

/// Ability: 0xfe again, behind arithmetic that wraps around: two large parts have a small sum.
contract AssertInvalid {
    uint256 private supply = 1000;

    function mint(uint256 amount) public {
        uint256 before = supply;
        supply = before + amount;
        assert(supply >= before);
    }
}
