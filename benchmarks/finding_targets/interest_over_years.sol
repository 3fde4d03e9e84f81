// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Interest that grows over many calls and long delays.
contract InterestOverYears {
    uint256 private debt = 1e18;
    uint256 private last = block.timestamp;
    uint256 private calls;

    function accrue() external {
        uint256 passed = block.timestamp - last;
        require(passed > 1 hours, "too soon");
        debt += debt * passed / 36_500 days;
        last = block.timestamp;
        calls++;
    }
    function repay(uint256 amount) external { require(amount <= debt / 2); debt -= amount; last = block.timestamp; }

    function echidna_bounded() external view returns (bool) { return debt < 1e18 + 5e15 || calls < 25; }
}
