// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Ten secrets, each the hash of the one before, and a prize that asks for all.
contract PrizeAfterRounds {
    uint256 private round;
    uint256 private secret = 17;
    bool private claimed;

    function play(uint256 guess) external {
        require(guess == secret, "wrong");
        round++;
        secret = uint256(keccak256(abi.encode(secret)));
    }
    function stop() external {
        round = 0;
        secret = 17;
    }
    function claim() external {
        require(round >= 10, "rounds");
        claimed = true;
    }

    function echidna_not_claimed() external view returns (bool) { return !claimed; }
}
