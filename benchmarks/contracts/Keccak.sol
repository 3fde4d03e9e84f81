// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Hashes in each call: an incremental Merkle tree, a chain of commitments, messages of many lengths.
contract Keccak {
    uint256 private constant DEPTH = 16;

    bytes32[DEPTH] public branch;
    bytes32[DEPTH] public zeros;
    bytes32 public root;
    bytes32 public chain;
    uint256 public leaves;
    mapping(bytes32 digest => bool) public seen;

    constructor() {
        bytes32 node = bytes32(0);
        for (uint256 level = 0; level < DEPTH; level++) {
            zeros[level] = node;
            node = keccak256(abi.encode(node, node));
        }
        root = node;
    }

    function insert(bytes32 leaf) external {
        uint256 index = leaves++;
        bytes32 node = leaf;
        bool kept = false;
        for (uint256 level = 0; level < DEPTH; level++) {
            if (index & 1 == 0) {
                if (!kept) branch[level] = node;
                kept = true;
                node = keccak256(abi.encode(node, zeros[level]));
            } else {
                node = keccak256(abi.encode(branch[level], node));
            }
            index >>= 1;
        }
        root = node;
    }

    function extend(uint8 rounds, uint256 salt) external {
        bytes32 link = chain;
        for (uint256 round = 0; round < rounds % 12; round++) {
            link = keccak256(abi.encodePacked(link, salt, round, msg.sender));
        }
        chain = link;
    }

    function commit(uint256 a, uint256 b, uint256 c, uint256 d) external {
        bytes32 digest = keccak256(abi.encode("commitment", a, b, c, d, msg.sender, block.number));
        seen[digest] = true;
    }

    function message(bytes calldata text) external {
        bytes32 digest = keccak256(abi.encodePacked("\x19Message:\n", text.length, text));
        if (!seen[digest]) seen[digest] = true;
    }

    function verify(bytes32 leaf, bytes32[8] calldata path) external view returns (bool) {
        bytes32 node = leaf;
        for (uint256 level = 0; level < 8; level++) {
            node = node < path[level] ? keccak256(abi.encode(node, path[level])) : keccak256(abi.encode(path[level], node));
        }
        return node == root;
    }

    function echidna_zero_hash_is_kept() public view returns (bool) {
        return zeros[1] == keccak256(abi.encode(bytes32(0), bytes32(0)));
    }
}
