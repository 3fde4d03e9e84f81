// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Keeps ether for many depositors.
contract Vault {
    uint256 public totalDeposits;
    mapping(address depositor => uint256 amount) public balanceOf;

    event Deposited(address indexed depositor, uint256 amount);
    event Withdrawn(address indexed depositor, uint256 amount);

    error NothingToWithdraw(address depositor);
    error PaymentFailed(address depositor, uint256 amount);

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        totalDeposits += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    /// PLANTED BUG: the ether leaves before the balance is cleared, so the receiver can call `withdrawAll` again from
    /// inside the payment and is paid once more for the same deposit.
    function withdrawAll() external {
        uint256 amount = balanceOf[msg.sender];
        if (amount == 0) revert NothingToWithdraw(msg.sender);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed(msg.sender, amount);
        balanceOf[msg.sender] = 0;
        totalDeposits -= amount;
        emit Withdrawn(msg.sender, amount);
    }
}
