// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Pays a constant stream of rewards to stakers in proportion to their stake (the accumulator design that most staking
/// contracts use). Stakes and rewards are plain numbers here.
contract StakingPool {
    uint256 public constant REWARD_PER_SECOND = 1e6;
    uint256 private constant PRECISION = 1e12;

    struct Position {
        uint256 stake;
        /// Reward per unit of stake that was already accounted for when the position was last settled.
        uint256 settledPerUnit;
        uint256 reward;
    }

    uint256 public immutable startedAt = block.timestamp;
    uint256 public updatedAt = block.timestamp;
    uint256 public rewardPerUnit;
    uint256 public totalStake;
    uint256 public totalPaid;
    mapping(address staker => Position position) public positions;

    event Staked(address indexed staker, uint256 amount);
    event Unstaked(address indexed staker, uint256 amount);
    event Claimed(address indexed staker, uint256 reward);

    /// PLANTED BUG: a position with no stake is not settled, to save gas. Its `settledPerUnit` then stays at zero, or at
    /// the day of its last exit, and a fresh stake earns the rewards of a time in which it was not there.
    function stake(uint96 amount) external {
        Position storage position = _settle(msg.sender);
        position.stake += amount;
        totalStake += amount;
        emit Staked(msg.sender, amount);
    }

    function unstake(uint96 amount) external {
        Position storage position = _settle(msg.sender);
        position.stake -= amount;
        totalStake -= amount;
        emit Unstaked(msg.sender, amount);
    }

    function claim() external returns (uint256 reward) {
        Position storage position = _settle(msg.sender);
        reward = position.reward;
        position.reward = 0;
        totalPaid += reward;
        emit Claimed(msg.sender, reward);
    }

    function _settle(address staker) private returns (Position storage position) {
        if (totalStake > 0) {
            rewardPerUnit += (block.timestamp - updatedAt) * REWARD_PER_SECOND * PRECISION / totalStake;
        }
        updatedAt = block.timestamp;

        position = positions[staker];
        if (position.stake == 0) return position;
        position.reward += position.stake * (rewardPerUnit - position.settledPerUnit) / PRECISION;
        position.settledPerUnit = rewardPerUnit;
    }
}
