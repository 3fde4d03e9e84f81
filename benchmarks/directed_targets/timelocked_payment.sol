// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A role, a delay, and an action that is named by its hash only.
contract TimelockedPayment {
    address public admin = msg.sender;
    address public executor;
    mapping(bytes32 => uint256) private readyAt;
    uint256 public paid;

    function appoint(address next) external {
        require(msg.sender == admin, "admin only");
        executor = next;
    }

    function queue(bytes32 action) external {
        require(msg.sender == admin, "admin only");
        readyAt[action] = block.timestamp + 2 days;
    }

    function drop(bytes32 action) external {
        require(msg.sender == admin, "admin only");
        readyAt[action] = 0;
    }

    function execute(address to, uint256 amount, bytes32 salt) external {
        require(msg.sender == executor && msg.sender != admin, "executor only");
        bytes32 action = keccak256(abi.encode(to, amount, salt));
        uint256 ready = readyAt[action];
        require(ready != 0 && block.timestamp >= ready, "not ready");
        require(amount == 1_337 ether && to != address(0), "amount");
        readyAt[action] = 0;
        paid += amount;
    }

    function echidna_nothing_is_paid_out() external view returns (bool) {
        return paid == 0;
    }
}
