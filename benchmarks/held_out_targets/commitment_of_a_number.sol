// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Commit to a hash, then reveal what it is of, a block later.
contract CommitmentOfANumber {
    mapping(address => bytes32) private commitment;
    mapping(address => uint256) private since;
    bool private won;

    function commit(bytes32 hash) external { commitment[msg.sender] = hash; since[msg.sender] = block.number; }
    function reveal(uint96 number, uint32 salt) external {
        bytes32 hash = keccak256(abi.encodePacked(number, salt));
        require(commitment[msg.sender] == hash, "commitment");
        require(block.number > since[msg.sender], "same block");
        if (number % 1_000 == 77) won = true;
    }

    function echidna_not_won() external view returns (bool) { return !won; }
}
