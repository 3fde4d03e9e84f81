// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Claims against the root of a tree with four leaves, made when the contract is deployed.
contract MerkleClaim {
    bytes32 private root;
    mapping(address => uint256) private claims;
    bool private twice;

    constructor() {
        bytes32 left = join(leaf(address(0x10000), 314_159), leaf(address(0x20000), 271_828));
        bytes32 right = join(leaf(address(0x30000), 161_803), leaf(address(0x40000), 141_421));
        root = join(left, right);
    }

    function leaf(address account, uint256 amount) internal pure returns (bytes32) {
        return keccak256(abi.encode(account, amount));
    }

    function join(bytes32 left, bytes32 right) internal pure returns (bytes32) {
        return keccak256(abi.encode(left, right));
    }

    function claim(uint256 amount, bytes32 sibling, bytes32 uncle) external {
        require(join(join(leaf(msg.sender, amount), sibling), uncle) == root, "no proof");
        claims[msg.sender] += amount;
        if (claims[msg.sender] == 2 * amount) twice = true;
    }

    function echidna_claims_are_single() external view returns (bool) {
        return !twice;
    }
}
