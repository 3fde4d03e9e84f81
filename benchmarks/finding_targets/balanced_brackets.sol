// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A string of brackets that closes what it opens, eight deep.
contract BalancedBrackets {
    uint256 private deepest;

    function parse(bytes calldata text) external {
        uint256 depth;
        uint256 most;
        for (uint256 i; i < text.length; i++) {
            if (text[i] == "(") depth++;
            else if (text[i] == ")") depth--;
            else revert("bracket");
            if (depth > most) most = depth;
        }
        require(depth == 0, "open");
        if (most > deepest) deepest = most;
    }

    function echidna_flat() external view returns (bool) { return deepest < 8; }
}
