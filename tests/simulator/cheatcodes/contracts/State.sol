// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Vm.sol";

/// Cheatcodes that set state.
contract State {
    uint256 public stored = 7;
    address constant OTHER = address(0xBEEF);

    function block_() external returns (uint256, uint256, uint256, uint256, address, uint256, uint256) {
        vm.warp(111);
        vm.roll(222);
        vm.fee(333);
        vm.chainId(444);
        vm.coinbase(OTHER);
        vm.prevrandao(bytes32(uint256(666)));
        vm.txGasPrice(777);
        return (
            block.timestamp,
            block.number,
            block.basefee,
            block.chainid,
            block.coinbase,
            block.prevrandao,
            tx.gasprice
        );
    }

    function now_() external view returns (uint256) {
        return block.timestamp;
    }

    function warpAndRevert() external {
        vm.warp(999);
        vm.setEnv("MONOTREME_TEST", "1");
        revert("no");
    }

    function warpInside() external returns (uint256) {
        try this.warpAndRevert() {} catch {}
        return block.timestamp;
    }

    function dealAndEtch() external returns (uint256, uint256) {
        vm.deal(OTHER, 5 ether);
        vm.etch(OTHER, hex"602a60005260206000f3");
        (, bytes memory output) = OTHER.call("");
        return (OTHER.balance, abi.decode(output, (uint256)));
    }

    function storeAndLoad() external returns (uint256, uint256) {
        vm.store(address(this), bytes32(0), bytes32(uint256(99)));
        return (stored, uint256(vm.load(address(this), bytes32(0))));
    }

    function nonces() external returns (uint64) {
        vm.setNonce(OTHER, 12);
        return vm.getNonce(OTHER);
    }

    function recovers(uint256 key) external pure returns (bool) {
        bytes32 digest = keccak256("message");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return ecrecover(digest, v, r, s) == vm.addr(key);
    }

    function assumes(uint256 value) external returns (uint256) {
        vm.assume(value > 10);
        vm.label(OTHER, "other");
        return value;
    }

    function unsupported() external {
        vm.createFork("somewhere");
    }

    function draws() external returns (uint256) {
        return vm.randomUint();
    }
}

library console {
    function log(string memory text, uint256 value) internal view {
        address to = 0x000000000000000000636F6e736F6c652e6c6f67;
        (bool ok,) = to.staticcall(abi.encodeWithSignature("log(string,uint256)", text, value));
        ok;
    }
}

contract Talkative {
    function talk() external view {
        console.log("the value is %d", 42);
    }
}
