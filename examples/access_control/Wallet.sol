// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A wallet that only its owner may spend from.
contract Wallet {
    address public immutable owner;

    event Spent(address indexed to, uint256 amount);

    error NotOwner(address caller);
    error PaymentFailed(address to, uint256 amount);

    constructor(address owner_) payable {
        owner = owner_;
    }

    /// PLANTED BUG: `tx.origin` is whoever signed the transaction, not whoever calls. Any contract that the owner
    /// touches can spend from the wallet in the owner's name.
    function spend(address to, uint256 amount) external {
        if (tx.origin != owner) revert NotOwner(tx.origin);
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert PaymentFailed(to, amount);
        emit Spent(to, amount);
    }

    receive() external payable {}
}
