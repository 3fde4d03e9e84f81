// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// What was vested when a grant is topped up is vested a second time.
contract CliffOfAGrant {
    struct Grant { uint256 amount; uint256 start; uint256 claimed; bool revoked; }

    address private owner = msg.sender;
    mapping(address => Grant) public grants;
    mapping(address => uint256) public granted;
    mapping(address => uint256) public paid;
    uint256 private constant CLIFF = 90 days;
    uint256 private constant DURATION = 360 days;
    address[] private holders;

    function give(address who, uint256 amount) external {
        require(msg.sender == owner && who != address(0) && amount >= 1e6 && amount <= 1e24, "give");
        Grant storage one = grants[who];
        if (granted[who] == 0) holders.push(who);
        granted[who] += amount;
        if (one.amount == 0) { one.start = block.timestamp; one.amount = amount; }
        else { one.amount += amount; one.claimed = 0; }
    }
    function claim() external {
        Grant storage one = grants[msg.sender];
        require(one.amount > 0 && !one.revoked, "grant");
        require(block.timestamp >= one.start + CLIFF, "cliff");
        uint256 elapsed = block.timestamp - one.start;
        uint256 vested = elapsed >= DURATION ? one.amount : one.amount * elapsed / DURATION;
        uint256 due = vested - one.claimed;
        one.claimed = vested;
        paid[msg.sender] += due;
    }
    function revoke(address who) external { require(msg.sender == owner, "owner"); grants[who].revoked = true; }

    function echidna_pays_at_most_the_grant() external view returns (bool) {
        for (uint256 index = 0; index < holders.length; index++)
            if (paid[holders[index]] > granted[holders[index]]) return false;
        return true;
    }
}
