// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a value that one call returns is an argument of a later call. It is never an operand of a comparison.
contract ReturnedValue {
    uint256 private issued;
    mapping(bytes32 ticket => bool valid) private tickets;
    bool private hit;

    function issue() external returns (bytes32 ticket) {
        issued += 1;
        ticket = keccak256(abi.encode(msg.sender, issued));
        tickets[ticket] = true;
    }

    function redeem(bytes32 ticket) external {
        if (tickets[ticket]) hit = true;
    }

    function echidna_not_redeemed() public view returns (bool) {
        return !hit;
    }
}
