// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A commitment that a later call opens.
contract CommitAndReveal {
    mapping(address => bytes32) private committed;
    mapping(address => uint256) private since;
    uint256 private wins;

    function commit(uint256 choice, uint256 salt) external {
        committed[msg.sender] = keccak256(abi.encode(choice, salt));
        since[msg.sender] = block.number;
    }
    function reveal(uint256 choice, uint256 salt) external {
        require(committed[msg.sender] == keccak256(abi.encode(choice, salt)), "another choice");
        require(block.number > since[msg.sender] + 5, "too early");
        require(choice % 11 == 4 && salt > 1_000, "lost");
        committed[msg.sender] = 0;
        wins++;
    }

    function echidna_not_hit() external view returns (bool) { return wins < 2; }
}
