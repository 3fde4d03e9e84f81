// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a failed assertion in a call that is caught does not count.
contract Inner {
    function check(uint256 number) external pure {
        assert(number < 10);
    }
}

contract InnerPanic {
    Inner private immutable inner = new Inner();
    uint256 public failures;

    function tryCheck(uint256 number) external {
        try inner.check(number) {}
        catch {
            failures += 1;
        }
    }
}
