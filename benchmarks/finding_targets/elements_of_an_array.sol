// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Elements and length of a stored array.
contract ElementsOfAnArray {
    uint256[] private items;

    function push(uint256 item) external { items.push(item + 1); }
    function pop() external { items.pop(); }

    function echidna_not_hit() external view returns (bool) {
        return items.length != 3 || items[0] != 40_001 || items[1] != 50_001 || items[2] != 60_001;
    }
}
