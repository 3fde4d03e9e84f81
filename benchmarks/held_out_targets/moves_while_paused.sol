// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Exits are closed by a pause, but not through an operator that was named before.
contract MovesWhilePaused {
    address private guardian = msg.sender;
    bool public paused;
    mapping(address => uint256) public balance;
    mapping(address => mapping(address => bool)) public operator;
    uint256 public total;
    uint256 private totalAtPause;

    modifier open() { require(!paused, "paused"); _; }

    function pause() external {
        require(msg.sender == guardian && total > 1e18, "guardian");
        paused = true;
        totalAtPause = total;
    }
    function unpause() external { require(msg.sender == guardian, "guardian"); paused = false; }
    function deposit(uint256 amount) external open {
        require(amount > 1e15 && amount <= 10e18, "amount");
        balance[msg.sender] += amount;
        total += amount;
    }
    function withdraw(uint256 amount) external open { _leave(msg.sender, amount); }
    function appoint(address who, bool on) external open { require(who != msg.sender, "self"); operator[msg.sender][who] = on; }
    function withdrawFor(address owner, uint256 amount) external {
        require(operator[owner][msg.sender] && amount > 1e15, "operator");
        _leave(owner, amount);
    }
    function _leave(address owner, uint256 amount) private {
        require(amount > 0 && balance[owner] >= amount, "balance");
        balance[owner] -= amount;
        total -= amount;
    }

    function echidna_paused_means_still() external view returns (bool) { return !paused || total == totalAtPause; }
}
