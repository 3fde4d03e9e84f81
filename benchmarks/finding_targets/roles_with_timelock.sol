// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A role handed over after a delay.
contract RolesWithTimelock {
    address public admin = msg.sender;
    address public pending;
    uint256 public readyAt;
    bool public drained;

    function propose(address next) external {
        require(msg.sender == admin, "admin only");
        pending = next;
        readyAt = block.timestamp + 2 days;
    }

    function accept() external {
        require(msg.sender == pending && block.timestamp >= readyAt && readyAt != 0, "not yet");
        admin = pending;
        pending = address(0);
    }

    function drain(uint256 amount) external {
        require(msg.sender == admin && msg.sender != address(0x30000), "a later admin only");
        require(amount == 424_242, "wrong amount");
        drained = true;
    }

    function echidna_not_drained() external view returns (bool) {
        return !drained;
    }
}
