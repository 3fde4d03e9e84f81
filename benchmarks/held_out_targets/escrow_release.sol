// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An arbiter's signature over an order that is stored under its hash.
contract EscrowRelease {
    address private constant ARBITER = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
    mapping(bytes32 => uint256) private amounts;
    bool private released;

    function open(uint256 amount, address seller) external {
        require(amount > 100, "amount");
        amounts[keccak256(abi.encodePacked(amount, seller))] = amount;
    }
    function release(bytes32 id, bytes calldata signature) external {
        require(amounts[id] != 0, "unknown");
        require(signature.length == 65, "length");
        bytes32 digest = keccak256(abi.encodePacked("release", id));
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        require(signer == ARBITER, "signer");
        released = true;
    }

    function echidna_not_released() external view returns (bool) { return !released; }
}
