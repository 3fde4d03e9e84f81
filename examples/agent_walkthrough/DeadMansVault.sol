// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A vault whose heir may empty it, once they know the password.
contract DeadMansVault {
    /// The hash of the founder's birthday as a number, year, month and day, such as 20010911.
    bytes32 private constant PASSWORD = 0xbd84729385499f75650d6f644f9ab30c270528bf0a7090f5f7173c31c6b1b810;

    uint256 public deposits;
    address public heir;

    function deposit() external payable {
        deposits += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(msg.sender == heir, "only the heir");
        deposits -= amount;
        payable(msg.sender).transfer(amount);
    }

    function claim(uint256 password) external {
        require(keccak256(abi.encode(password)) == PASSWORD, "wrong password");
        heir = msg.sender;
    }

    /// The mistake: everything is paid out, and `deposits` still says that it is there.
    function sweep() external {
        require(msg.sender == heir, "only the heir");
        payable(msg.sender).transfer(address(this).balance);
    }
}

contract DeadMansVaultHarness is DeadMansVault {
    /// What was deposited is there until somebody withdraws it.
    function echidna_deposits_are_there() external view returns (bool) {
        return address(this).balance >= deposits;
    }
}
