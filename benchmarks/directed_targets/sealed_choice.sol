// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Commit and reveal; the commitment binds the player, and the winning choice moves.
contract SealedChoice {
    struct Seal {
        bytes32 hash;
        uint256 since;
    }

    mapping(address => Seal) private seals;
    uint256 private winning = 271_828;
    uint256 private wins;

    function commit(bytes32 hash) external {
        seals[msg.sender].hash = hash;
        seals[msg.sender].since = block.number;
    }

    function reveal(uint256 choice, uint256 salt) external {
        require(seals[msg.sender].hash == keccak256(abi.encode(choice, salt, msg.sender)), "another choice");
        require(block.number > seals[msg.sender].since + 10, "too early");
        seals[msg.sender].hash = 0;
        if (choice == winning && salt > 1e9) {
            wins++;
            winning = winning * 7 + 11;
        }
    }

    function echidna_no_two_wins() external view returns (bool) {
        return wins < 2;
    }
}
