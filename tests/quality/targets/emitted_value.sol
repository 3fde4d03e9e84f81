// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a value that one call logs is an argument of a later call. It is never an operand of a comparison.
contract EmittedValue {
    uint256 private issued;
    mapping(uint256 ticket => bool valid) private tickets;
    bool private hit;

    event Issued(address indexed holder, uint256 ticket);

    function issue() external {
        issued += 1;
        uint256 ticket = uint256(keccak256(abi.encode(msg.sender, issued)));
        tickets[ticket] = true;
        emit Issued(msg.sender, ticket);
    }

    function redeem(uint256 ticket) external {
        if (tickets[ticket]) hit = true;
    }

    function echidna_not_redeemed() public view returns (bool) {
        return !hit;
    }
}
