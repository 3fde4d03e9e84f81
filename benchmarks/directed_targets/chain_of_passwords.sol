// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// One-time passwords: each is the preimage of the one before.
contract ChainOfPasswords {
    bytes32 private head;
    uint256 public used;

    constructor() {
        bytes32 link = keccak256(abi.encode("seed", uint256(20_240_817)));
        for (uint256 i = 0; i < 4; i++) link = keccak256(abi.encode(link));
        head = link;
    }

    function login(bytes32 password) external {
        require(keccak256(abi.encode(password)) == head, "wrong password");
        head = password;
        used++;
    }

    function echidna_chain_is_not_used_up() external view returns (bool) {
        return used < 3;
    }
}
