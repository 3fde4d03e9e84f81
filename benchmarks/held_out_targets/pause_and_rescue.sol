// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Deposit, pause, rescue, resume, and withdraw again what was rescued.
contract PauseAndRescue {
    mapping(address => uint256) private held;
    uint256 private total;
    uint256 private paid;
    bool private paused;

    function deposit(uint256 amount) external {
        require(!paused && amount > 0 && amount < 1e30);
        held[msg.sender] += amount;
        total += amount;
    }
    function pause() external { require(total > 1e9, "nothing to save"); paused = true; }
    function resume() external { paused = false; }
    function rescue() external {
        require(paused, "not paused");
        paid += held[msg.sender];
    }
    function withdraw(uint256 amount) external {
        require(!paused);
        held[msg.sender] -= amount;
        paid += amount;
    }

    function echidna_pays_what_it_has() external view returns (bool) { return paid <= total; }
}
