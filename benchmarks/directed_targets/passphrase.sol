// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A passphrase of three words, of which no comparison tells anything but its hash.
contract Passphrase {
    uint256 public year = 1_984;
    address public keeper = msg.sender;
    bool private open;

    function enter(string calldata word, uint256 number, address who) external {
        bytes32 given = keccak256(abi.encode(word, number, who));
        require(given == keccak256(abi.encode("open, sesame", year * 12 + 7, keeper)), "wrong passphrase");
        open = true;
    }

    function later(uint256 years_) external {
        require(years_ < 100, "too far");
        year += years_;
    }

    function echidna_stays_shut() external view returns (bool) {
        return !open;
    }
}
