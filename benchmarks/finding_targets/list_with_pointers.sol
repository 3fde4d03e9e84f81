// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A linked list whose elements are named by their neighbours.
contract ListWithPointers {
    mapping(uint256 => uint256) private following;
    uint256 private length;

    constructor() { following[1] = 1; }

    function insert(uint256 after_, uint256 item) external {
        require(following[after_] != 0, "no neighbour");
        require(item > after_ && item > 100_000 && following[item] == 0, "item");
        require(following[after_] == 1 || item < following[after_], "order");
        following[item] = following[after_];
        following[after_] = item;
        length++;
    }
    function remove(uint256 before, uint256 item) external {
        require(item != 1 && following[before] == item, "not behind it");
        following[before] = following[item];
        following[item] = 0;
        length -= 1;
    }

    function echidna_short() external view returns (bool) { return length < 5; }
}
