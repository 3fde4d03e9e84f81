// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Claims are remembered by their signature, of which there are two.
contract OtherHalfOfASignature {
    address private constant SIGNER = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
    mapping(bytes32 => bool) private seen;
    mapping(bytes32 => uint256) private claims;
    bool private twice;

    function claim(uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 id = keccak256(abi.encode(v, r, s));
        require(!seen[id] && amount > 0, "seen");
        bytes32 digest = keccak256(abi.encode("claim", msg.sender, amount));
        require(ecrecover(digest, v, r, s) == SIGNER, "signer");
        seen[id] = true;
        if (++claims[digest] == 2) twice = true;
    }

    function echidna_claims_once() external view returns (bool) { return !twice; }
}
