// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A proposal, votes of three senders, a delay, an execution.
contract VoteWithQuorum {
    struct Proposal {
        bytes32 what;
        uint256 votes;
        uint256 ready;
    }

    mapping(uint256 => Proposal) private proposals;
    mapping(uint256 => mapping(address => bool)) private voted;
    uint256 private next = 900_000;
    bool private executed;

    function propose(bytes32 what) external returns (uint256 id) {
        require(what != 0);
        id = next++;
        proposals[id].what = what;
    }
    function vote(uint256 id) external {
        require(proposals[id].what != 0 && !voted[id][msg.sender], "vote");
        voted[id][msg.sender] = true;
        if (++proposals[id].votes == 3) proposals[id].ready = block.timestamp + 1 days;
    }
    function execute(uint256 id, bytes32 what) external {
        Proposal storage p = proposals[id];
        require(p.ready != 0 && block.timestamp >= p.ready, "not ready");
        require(p.what == what, "another proposal");
        executed = true;
    }

    function echidna_not_executed() external view returns (bool) { return !executed; }
}
