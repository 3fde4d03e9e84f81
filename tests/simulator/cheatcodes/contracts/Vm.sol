// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The cheatcodes that these tests call from Solidity.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function warp(uint256 timestamp) external;
    function roll(uint256 number) external;
    function fee(uint256 baseFee) external;
    function chainId(uint256 id) external;
    function coinbase(address account) external;
    function prevrandao(bytes32 value) external;
    function txGasPrice(uint256 price) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function store(address account, bytes32 slot, bytes32 value) external;
    function getNonce(address account) external view returns (uint64);
    function setNonce(address account, uint64 nonce) external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8, bytes32, bytes32);
    function addr(uint256 key) external pure returns (address);
    function label(address account, string calldata name) external;
    function assume(bool condition) external pure;
    function setEnv(string calldata name, string calldata value) external;
    function randomUint() external returns (uint256);
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function prank(address sender, bool delegateCall) external;
    function startPrank(address sender) external;
    function startPrank(address sender, address origin) external;
    function stopPrank() external;
    function prankHere(address sender) external;
    function startBroadcast(address sender) external;
    function stopBroadcast() external;
    function readCallers() external view returns (uint8, address, address);
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata data) external;
    function expectRevert(address reverter) external;
    function expectRevert(uint64 count) external;
    function expectPartialRevert(bytes4 selector) external;
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data) external;
    function expectCall(address callee, bytes calldata data) external;
    function expectCall(address callee, uint256 value, bytes calldata data) external;
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    function mockCall(address callee, bytes calldata data, bytes calldata output) external;
    function mockCall(address callee, uint256 value, bytes calldata data, bytes calldata output) external;
    function mockCalls(address callee, bytes calldata data, bytes[] calldata outputs) external;
    function mockCallRevert(address callee, bytes calldata data, bytes calldata output) external;
    function mockFunction(address callee, address target, bytes calldata data) external;
    function clearMockedCalls() external;
    function record() external;
    function accesses(address account) external returns (bytes32[] memory, bytes32[] memory);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
    function revertToStateAndDelete(uint256 id) external returns (bool);
    function deleteStateSnapshot(uint256 id) external returns (bool);
    function getCode(string calldata name) external view returns (bytes memory);
    function getDeployedCode(string calldata name) external view returns (bytes memory);
    function deployCode(string calldata name) external returns (address);
    function deployCode(string calldata name, bytes calldata arguments) external returns (address);
    function deployCode(string calldata name, bytes calldata arguments, uint256 value) external returns (address);
    function deployCode(string calldata name, bytes32 salt) external returns (address);
    function createFork(string calldata url) external returns (uint256);
}

Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
