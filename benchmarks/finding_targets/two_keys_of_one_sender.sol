// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A second key that only the owner of the first may set.
contract TwoKeysOfOneSender {
    mapping(bytes32 => address) private owner;
    mapping(bytes32 => bytes32) private link;
    bool private hit;

    function claim(bytes32 key) external { require(key != 0 && owner[key] == address(0), "taken"); owner[key] = msg.sender; }
    function connect(bytes32 from, bytes32 to) external {
        require(from != to && owner[from] == msg.sender && owner[to] != address(0) && owner[to] != msg.sender, "owner");
        link[from] = to;
    }
    function follow(bytes32 from, bytes32 through) external {
        require(link[from] == through && through != 0 && link[through] == from, "no circle");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
