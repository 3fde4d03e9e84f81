// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Erc20} from "./Erc20.sol";
import {Keccak} from "./Keccak.sol";
import {Maze} from "./Maze.sol";
import {Nested} from "./Nested.sol";
import {Storage} from "./Storage.sol";

/// The same targets for forge's invariant runner, which asks these functions what to call and from whom. One contract for
/// each target: its invariants are the properties of the target.
abstract contract Invariants {
    address internal target;

    function targetContracts() external view returns (address[] memory addresses) {
        addresses = new address[](1);
        addresses[0] = target;
    }

    function targetSenders() external pure returns (address[] memory senders) {
        senders = new address[](3);
        (senders[0], senders[1], senders[2]) = (address(0x10000), address(0x20000), address(0x30000));
    }
}

contract Erc20Invariants is Invariants {
    function setUp() external {
        target = address(new Erc20());
    }

    function invariant_holds() external view {
        require(Erc20(target).echidna_balances_are_within_supply());
        require(Erc20(target).echidna_ether_is_within_supply());
    }
}

contract MazeInvariants is Invariants {
    function setUp() external {
        target = address(new Maze());
    }

    function invariant_holds() external view {
        require(Maze(target).echidna_stays_inside());
    }
}

contract StorageInvariants is Invariants {
    function setUp() external {
        target = address(new Storage());
    }

    function invariant_holds() external view {
        require(Storage(target).echidna_checksums_match());
    }
}

contract KeccakInvariants is Invariants {
    function setUp() external {
        target = address(new Keccak());
    }

    function invariant_holds() external view {
        require(Keccak(target).echidna_zero_hash_is_kept());
    }
}

contract NestedInvariants is Invariants {
    function setUp() external {
        target = address(new Nested());
    }

    function invariant_holds() external view {
        require(Nested(target).echidna_pools_keep_tokens());
    }
}
