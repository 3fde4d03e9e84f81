// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: the preimage of a hash is another literal of the source; the comparison itself gives nothing away.
contract KeccakPreimage {
    uint256 public constant SERIAL = 6_203_117_449;
    /// keccak256(abi.encode(SERIAL))
    bytes32 private constant LOCK = 0xa489f9a96f552d8ec4afa1b619751f4f395fe1ab5fd92fc560b05fa9f9adbd2f;
    bool private hit;

    function unlock(uint256 serial) external {
        if (keccak256(abi.encode(serial)) == LOCK) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
