// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Nonces are bits of words; the mask forgets one bit of the place.
contract BitmapOfNonces {
    mapping(address => mapping(uint256 => uint256)) private words;
    mapping(address => mapping(uint256 => bool)) private used;
    bool private refused;

    function use(uint256 nonce) external {
        require(nonce > 1_000, "reserved");
        uint256 bit = 1 << (nonce & 0x7f);
        if (words[msg.sender][nonce >> 8] & bit != 0) {
            if (!used[msg.sender][nonce]) refused = true;
            return;
        }
        words[msg.sender][nonce >> 8] |= bit;
        used[msg.sender][nonce] = true;
    }

    function echidna_fresh_nonces_work() external view returns (bool) { return !refused; }
}
