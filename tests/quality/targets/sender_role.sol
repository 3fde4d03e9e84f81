// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: two roles. The deployer appoints, somebody else acts; the reproducer keeps exactly these senders.
contract SenderRole {
    address private immutable owner = msg.sender;
    address private operator;
    bool private hit;

    function appoint(address account) external {
        require(msg.sender == owner, "only the owner appoints");
        operator = account;
    }

    function operate() external {
        require(msg.sender == operator && msg.sender != owner, "only an operator who is not the owner");
        hit = true;
    }

    function echidna_not_operated() public view returns (bool) {
        return !hit;
    }
}
