// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A role that is the hash of a text and an account.
contract RoleByName {
    mapping(bytes32 => bool) private granted;
    uint256 private level;

    function grant(string calldata name, address who) external {
        require(bytes(name).length > 3, "name");
        granted[keccak256(abi.encodePacked(name, who))] = true;
    }
    function raise(bytes32 role, uint256 to) external {
        require(granted[role], "role");
        require(to == level + 3, "step");
        level = to;
    }

    function echidna_low() external view returns (bool) { return level < 9; }
}
