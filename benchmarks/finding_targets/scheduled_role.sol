// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A role by its name's hash, scheduled, granted after a day, and used.
contract ScheduledRole {
    bytes32 private constant MINTER = keccak256("MINTER");
    bytes32 private constant ADMIN = keccak256("ADMIN");
    mapping(bytes32 => mapping(address => bool)) private has;
    mapping(bytes32 => uint256) private ready;
    uint256 private supply;

    constructor() { has[ADMIN][msg.sender] = true; }

    function schedule(bytes32 role, address who) external {
        require(has[ADMIN][msg.sender], "admin");
        ready[keccak256(abi.encode(role, who))] = block.timestamp + 1 days;
    }
    function grant(bytes32 role, address who) external {
        bytes32 key = keccak256(abi.encode(role, who));
        require(ready[key] != 0 && block.timestamp >= ready[key], "early");
        delete ready[key];
        has[role][who] = true;
    }
    function mint(uint256 amount) external {
        require(has[MINTER][msg.sender], "minter");
        supply += amount;
    }

    function echidna_little_supply() external view returns (bool) { return supply < 1_000_000 ether; }
}
