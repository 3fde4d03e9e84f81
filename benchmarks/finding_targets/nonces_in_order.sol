// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Eight calls, each with the next nonce.
contract NoncesInOrder {
    uint256 private next = 1_000;
    uint256 private done;

    function execute(uint256 nonce, uint256 payload) external {
        require(nonce == next, "nonce");
        require(payload > 50, "payload");
        next = next * 2 + payload % 7;
        done++;
    }

    function echidna_stays_low() external view returns (bool) { return done < 8; }
}
