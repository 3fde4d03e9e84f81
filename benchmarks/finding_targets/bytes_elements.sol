// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Elements of a stored string.
contract BytesElements {
    string private example = "abcdef123";
    string private given;

    function set(string calldata text) external {
        given = text;
    }

    function echidna_not_hit() external view returns (bool) {
        bytes memory bs = bytes(given);
        if (bs.length < 3) return true;
        return !(bs[0] == "a" && bs[1] == "b" && bs[2] == "c" && keccak256(bs) != keccak256(bytes(example)));
    }
}
