// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Two relayed calls with consecutive nonces, signed by the same key.
contract RelayedNonce {
    address private immutable owner = 0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF;
    uint256 private nonce;

    function relay(uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        require(amount != 0, "amount");
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", address(this), nonce, amount));
        require(ecrecover(digest, v, r, s) == owner, "signer");
        nonce++;
    }

    function echidna_at_most_one() external view returns (bool) { return nonce < 2; }
}
