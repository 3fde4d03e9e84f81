// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Three slots of a mapping.
contract ThreeSlots {
    mapping(uint256 => uint256) private values;

    function store(uint256 place, uint256 value) external {
        require(place < 3);
        values[place] = value * 7;
    }

    function echidna_not_hit() external view returns (bool) {
        return values[0] != 7 * 1234 || values[1] != 7 * 99_887 || values[2] != 7 * 31_337_000;
    }
}
