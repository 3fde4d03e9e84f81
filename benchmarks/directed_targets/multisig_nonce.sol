// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Two owners confirm the hash of a transaction, and a third party executes it.
contract MultisigNonce {
    mapping(bytes32 => mapping(address => bool)) private confirmed;
    mapping(bytes32 => uint256) private confirmations;
    uint256 public nonce = 1_000_003;
    bool private drained;

    function confirm(bytes32 hash) external {
        require(msg.sender == address(0x10000) || msg.sender == address(0x20000), "owners only");
        require(!confirmed[hash][msg.sender], "confirmed before");
        confirmed[hash][msg.sender] = true;
        confirmations[hash]++;
    }

    function execute(address to, uint256 amount, uint256 limit) external {
        bytes32 hash = keccak256(abi.encode(to, amount, limit, nonce));
        require(confirmations[hash] >= 2, "two owners");
        require(limit > amount && amount >= 1e21, "limit");
        nonce = nonce * 2 + 1;
        if (to == msg.sender && msg.sender == address(0x30000)) drained = true;
    }

    function echidna_vault_is_kept() external view returns (bool) {
        return !drained;
    }
}
