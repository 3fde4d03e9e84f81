// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A signature of a known key.
contract SignedPermit {
    bool private permitted;

    function permit(uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        require(amount > 1e6, "amount");
        // The address of the private key 1.
        address signer = ecrecover(keccak256(abi.encode(amount)), v, r, s);
        require(signer == 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf, "signer");
        permitted = true;
    }

    function echidna_not_permitted() external view returns (bool) { return !permitted; }
}
