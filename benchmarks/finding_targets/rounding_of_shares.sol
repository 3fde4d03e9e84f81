// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A first deposit, a donation, and a victim whose shares round to nothing.
contract RoundingOfShares {
    mapping(address => uint256) private shares;
    uint256 private supply;
    uint256 private assets;
    uint256 private lost;

    function deposit(uint96 amount) external {
        require(amount > 0);
        uint256 minted = supply == 0 ? amount : uint256(amount) * supply / assets;
        if (minted == 0 && amount > 1e15) lost += amount;
        assets += amount;
        supply += minted;
        shares[msg.sender] += minted;
    }
    function donate(uint96 amount) external { require(supply > 0); assets += amount; }
    function redeem(uint256 amount) external {
        require(amount <= shares[msg.sender] && amount > 0, "shares");
        uint256 out = amount * assets / supply;
        shares[msg.sender] -= amount;
        supply -= amount;
        assets -= out;
    }

    function echidna_nobody_loses() external view returns (bool) { return lost == 0; }
}
