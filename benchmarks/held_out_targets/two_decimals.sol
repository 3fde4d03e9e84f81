// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// The second asset has six decimals; borrowing against both forgets it.
contract TwoDecimals {
    uint8[2] private decimals = [18, 6];
    uint256[2] private prices = [uint256(3_000e8), 1e8];
    mapping(address => uint256[2]) private collateral;
    mapping(address => uint256[2]) private debt;
    address[] private users;

    function supply(uint8 asset, uint256 amount) external {
        require(asset < 2 && amount > 0 && amount <= 1e24, "supply");
        if (collateral[msg.sender][0] + collateral[msg.sender][1] == 0) users.push(msg.sender);
        collateral[msg.sender][asset] += amount;
    }
    function borrow(uint8 asset, uint256 amount) external {
        require(asset < 2 && amount >= 1e6 && amount <= 1e24, "borrow");
        uint256[2] storage own = collateral[msg.sender];
        uint256 limit = own[0] * prices[0] / 1e18 + own[1] * prices[1] / 1e6;
        uint256 scale = own[0] > 0 && own[1] > 0 ? 1e18 : 10 ** decimals[asset];
        uint256 value = (debt[msg.sender][asset] + amount) * prices[asset] / scale;
        require(value > 0 && value * 100 <= limit * 80, "limit");
        debt[msg.sender][asset] += amount;
    }

    function echidna_debt_is_covered() external view returns (bool) {
        for (uint256 index = 0; index < users.length; index++) {
            uint256[2] storage own = collateral[users[index]];
            uint256[2] storage owed = debt[users[index]];
            uint256 has = own[0] * prices[0] / 1e18 + own[1] * prices[1] / 1e6;
            if (owed[0] * prices[0] / 1e18 + owed[1] * prices[1] / 1e6 > has * 2) return false;
        }
        return true;
    }
}
