// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Permits without end leave the nonce as it was.
contract PermitAgain {
    address public immutable holder = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
    uint256 public nonce;
    mapping(bytes32 => uint256) private uses;
    mapping(address => uint256) public allowed;
    bool private again;

    function permit(address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        require(deadline >= block.timestamp, "late");
        bytes32 digest = keccak256(abi.encode(address(this), holder, spender, value, nonce, deadline));
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0) && signer == holder, "signer");
        allowed[spender] = value;
        if (deadline != type(uint256).max) nonce++;
        if (++uses[digest] == 2 && value > 1e18) again = true;
    }

    function echidna_once() external view returns (bool) { return !again; }
}
