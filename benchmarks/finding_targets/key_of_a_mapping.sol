// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A key that is the hash of an address and a name.
contract KeyOfAMapping {
    mapping(bytes32 => uint256) private values;
    bool private hit;

    function put(address owner, uint8 kind, uint256 value) external {
        require(value != 0 && kind < 4);
        values[keccak256(abi.encodePacked(owner, kind))] = value;
    }
    function take(bytes32 key, uint256 value) external {
        require(value > 0 && values[key] == value, "no such value");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
