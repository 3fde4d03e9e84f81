// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A withdrawal that an account with a well-known key has signed can be repeated.
contract SignedWithdrawal {
    address private constant SIGNER = 0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF;
    mapping(bytes32 => uint256) private uses;
    bool private repeated;

    function digest(address to, uint256 amount, uint256 number) public view returns (bytes32) {
        return keccak256(abi.encode(address(this), to, amount, number));
    }

    function withdraw(uint256 amount, uint256 number, uint8 v, bytes32 r, bytes32 s) external {
        require(amount >= 1 ether && number > 7, "terms");
        bytes32 hash = digest(msg.sender, amount, number);
        require(ecrecover(hash, v, r, s) == SIGNER, "signature");
        uses[hash]++;
        if (uses[hash] == 2) repeated = true;
    }

    function echidna_signature_is_needed_once() external view returns (bool) {
        return !repeated;
    }
}
