// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a value that is stored at run time, never returned or logged, is passed to a later call.
contract StoredValue {
    bytes32 private ticket;
    bool private hit;

    function issue() external {
        if (ticket == 0) ticket = keccak256(abi.encode(address(this), block.timestamp));
    }

    function redeem(bytes32 presented) external {
        if (ticket != 0 && presented == ticket) hit = true;
    }

    function echidna_not_redeemed() public view returns (bool) {
        return !hit;
    }
}
