// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Letters of a string that stands nowhere as a whole.
contract LettersApart {
    bool private hit;

    function say(string calldata text) external {
        bytes memory b = bytes(text);
        if (b.length > 5 && b[0] == "q" && b[1] == "z" && b[2] == "x" && b[3] == "j" && b[4] == "v" && b[5] == "w")
            hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
