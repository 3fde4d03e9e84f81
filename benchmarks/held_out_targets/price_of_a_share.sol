// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Withdrawing burns shares rounded down; the price falls where there was a gain.
contract PriceOfAShare {
    uint256 public assets = 1e12;
    uint256 public supply = 1e12;
    mapping(address => uint256) public sharesOf;
    uint256 private lowest = 1e18;
    bool private fell;

    function deposit(uint256 amount) external {
        require(amount >= 1e6 && amount <= 1e24, "amount");
        uint256 minted = amount * supply / assets;
        sharesOf[msg.sender] += minted;
        supply += minted;
        assets += amount;
    }
    function accrue(uint256 gain) external {
        require(gain > assets / 100 && gain < assets, "gain");
        assets += gain;
    }
    function withdraw(uint256 amount) external {
        require(amount > 0 && amount < assets, "amount");
        uint256 burnt = amount * supply / assets;
        require(burnt <= sharesOf[msg.sender], "shares");
        uint256 before = assets * 1e18 / supply;
        sharesOf[msg.sender] -= burnt;
        supply -= burnt;
        assets -= amount;
        if (assets * 1e18 / supply < before && sharesOf[msg.sender] > 0) fell = true;
    }

    function echidna_price_never_falls() external view returns (bool) { return !fell; }
}
