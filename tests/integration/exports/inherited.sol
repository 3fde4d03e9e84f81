// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

bool constant BROKEN = true;

contract Counter {
    uint256 public count;

    function add(uint256 amount) public {
        count += amount;
    }

    function checks(uint256 amount) public {
        count += amount;
        assert(!BROKEN || amount < 10);
    }

    function reverts(uint256 amount) public {
        count += amount;
        require(!BROKEN || amount < 10, "ContractBug");
    }
}

/// A Foundry test, as forge deploys and calls it.
contract Findings {
    Counter private counter;

    constructor() {
        require(address(this) == 0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496 && msg.sender == tx.origin);
    }

    function setUp() public {
        require(block.number == 1 && block.timestamp == 1 && block.chainid == 31337);
        counter = new Counter();
    }

    function test_small(uint256 amount) public view {
        require(!BROKEN || amount < 10, "too large");
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }

    function invariant_small() public view {
        require(!BROKEN || counter.count() < 10, "too many");
    }

    function invariant_true() public pure {}

    function afterInvariant() public view {
        require(!BROKEN || counter.count() < 10, "too many");
    }
}
