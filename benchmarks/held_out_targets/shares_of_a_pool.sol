// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The first depositor's donation rounds the next deposit to no shares.
contract SharesOfAPool {
    uint256 private assets;
    uint256 private shares;
    mapping(address => uint256) private held;
    uint256 private lost;

    function deposit(uint256 amount) external {
        require(amount > 0 && amount < 1e27);
        uint256 minted = shares == 0 ? amount : amount * shares / assets;
        if (minted == 0) lost += amount;
        assets += amount;
        shares += minted;
        held[msg.sender] += minted;
    }
    function donate(uint256 amount) external { require(shares > 0 && amount < 1e27); assets += amount; }
    function redeem(uint256 amount) external {
        require(amount > 0 && amount <= held[msg.sender]);
        uint256 out = amount * assets / shares;
        held[msg.sender] -= amount;
        shares -= amount;
        assets -= out;
    }

    function echidna_nothing_lost() external view returns (bool) { return lost < 1e18; }
}
