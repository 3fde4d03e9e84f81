// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Borrowing looks at the age of the price, liquidation does not.
contract StalePrice {
    struct Position { uint256 collateral; uint256 debt; }

    address private immutable feeder;
    uint256 public price = 2_000e8;
    uint256 public updatedAt = block.timestamp;
    uint256 private truePrice = 2_000e8;
    mapping(address => Position) public positions;
    bool private unfair;

    constructor() { feeder = msg.sender; }

    function marketMoves(uint256 next) external {
        require(next > truePrice * 9 / 10 && next < truePrice * 11 / 10, "step");
        truePrice = next;
    }
    function push() external {
        require(msg.sender == feeder, "feeder");
        price = truePrice;
        updatedAt = block.timestamp;
    }
    function lock(uint256 amount) external {
        require(amount >= 1e15 && amount <= 1e24, "amount");
        positions[msg.sender].collateral += amount;
    }
    function borrow(uint256 amount) external {
        require(block.timestamp - updatedAt <= 1 hours, "stale");
        Position storage own = positions[msg.sender];
        own.debt += amount;
        require(amount >= 1e15, "dust");
        require(own.debt * 1e8 <= own.collateral * price * 75 / 100, "unsafe");
    }
    function liquidate(address who) external {
        Position storage one = positions[who];
        require(one.debt > 0, "nothing");
        require(one.debt * 1e8 > one.collateral * price * 80 / 100, "safe");
        if (one.debt * 1e8 <= one.collateral * truePrice * 80 / 100) unfair = true;
        delete positions[who];
    }

    function echidna_no_healthy_liquidation() external view returns (bool) { return !unfair; }
}
