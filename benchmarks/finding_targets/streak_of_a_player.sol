// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Ten right answers of one account in blocks of their own.
contract StreakOfAPlayer {
    mapping(address => uint256) private streak;
    mapping(address => uint256) private last;
    bool private won;

    function play(uint256 guess) external {
        uint256 wanted = (streak[msg.sender] + 1) * 7919 % 10_007 + uint160(msg.sender) % 13;
        require(block.number > last[msg.sender], "block");
        last[msg.sender] = block.number;
        if (guess != wanted) streak[msg.sender] = 0;
        else if (++streak[msg.sender] == 10) won = true;
    }

    function echidna_not_won() external view returns (bool) { return !won; }
}
