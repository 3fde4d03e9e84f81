// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A queued proposal that is cancelled can still be executed after the delay.
contract CancelledProposal {
    enum State { None, Open, Queued, Executed }
    struct Proposal { address by; uint64 opened; uint64 eta; uint128 votes; State state; bool cancelled; }

    mapping(address => uint128) public power;
    mapping(address => mapping(uint256 => bool)) public voted;
    Proposal[] private proposals;
    bool private wrong;

    constructor() { power[address(0x10000)] = 30; power[address(0x20000)] = 40; power[address(0x30000)] = 30; }

    function propose() external {
        require(power[msg.sender] >= 30, "power");
        proposals.push(Proposal(msg.sender, uint64(block.timestamp), 0, 0, State.Open, false));
    }
    function vote(uint256 id) external {
        require(proposals[id].state == State.Open && !voted[msg.sender][id], "vote");
        voted[msg.sender][id] = true;
        proposals[id].votes += power[msg.sender];
    }
    function queue(uint256 id) external {
        Proposal storage one = proposals[id];
        require(one.state == State.Open && one.votes > 50, "quorum");
        require(block.timestamp >= one.opened + 3 days, "voting");
        one.state = State.Queued;
        one.eta = uint64(block.timestamp + 2 days);
    }
    function cancel(uint256 id) external {
        Proposal storage one = proposals[id];
        require(msg.sender == one.by && one.state != State.Executed, "cancel");
        one.cancelled = true;
    }
    function execute(uint256 id) external {
        Proposal storage one = proposals[id];
        require(one.state == State.Queued, "state");
        require(block.timestamp >= one.eta && block.timestamp <= one.eta + 14 days, "delay");
        one.state = State.Executed;
        if (one.cancelled) wrong = true;
    }

    function echidna_cancelled_stays_so() external view returns (bool) { return !wrong; }
}
