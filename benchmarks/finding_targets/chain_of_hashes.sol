// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An argument that is read from state, and a partial hash.
contract ChainOfHashes {
    bytes32 public head = keccak256("genesis");
    uint256 public height;

    function extend(bytes32 previous, uint8 nonce) external {
        require(previous == head, "not the head");
        require(uint8(uint256(keccak256(abi.encode(previous, nonce)))) < 8, "no work");
        head = keccak256(abi.encode(previous, nonce));
        height++;
    }

    function echidna_stays_low() external view returns (bool) {
        return height < 4;
    }
}
