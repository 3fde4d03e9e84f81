// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import "./Base.sol";

// Further cheatcodes, and assertions of every type, for the contracts that are written by hand.

interface MoreVm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct Gas {
        uint64 gasLimit;
        uint64 gasTotalUsed;
        uint64 gasMemoryUsed;
        int64 gasRefunded;
        uint64 gasRemaining;
    }
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function sign(bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function sign(address signer, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function envAddress(string calldata name) external view returns (address value);
    function envAddress(string calldata name, string calldata delim) external view returns (address[] memory value);
    function envBool(string calldata name) external view returns (bool value);
    function envBool(string calldata name, string calldata delim) external view returns (bool[] memory value);
    function envBytes(string calldata name) external view returns (bytes memory value);
    function envBytes(string calldata name, string calldata delim) external view returns (bytes[] memory value);
    function envExists(string calldata name) external view returns (bool result);
    function envOr(string calldata name, bool defaultValue) external view returns (bool value);
    function envOr(string calldata name, uint256 defaultValue) external view returns (uint256 value);
    function envOr(string calldata name, string calldata delim, address[] calldata defaultValue)
        external
        view
        returns (address[] memory value);
    function envOr(string calldata name, string calldata delim, bytes32[] calldata defaultValue)
        external
        view
        returns (bytes32[] memory value);
    function envOr(string calldata name, string calldata delim, string[] calldata defaultValue)
        external
        view
        returns (string[] memory value);
    function envOr(string calldata name, string calldata delim, bytes[] calldata defaultValue)
        external
        view
        returns (bytes[] memory value);
    function envOr(string calldata name, int256 defaultValue) external view returns (int256 value);
    function envOr(string calldata name, address defaultValue) external view returns (address value);
    function envOr(string calldata name, bytes32 defaultValue) external view returns (bytes32 value);
    function envOr(string calldata name, string calldata defaultValue) external view returns (string memory value);
    function envOr(string calldata name, bytes calldata defaultValue) external view returns (bytes memory value);
    function envOr(string calldata name, string calldata delim, bool[] calldata defaultValue)
        external
        view
        returns (bool[] memory value);
    function envOr(string calldata name, string calldata delim, uint256[] calldata defaultValue)
        external
        view
        returns (uint256[] memory value);
    function envOr(string calldata name, string calldata delim, int256[] calldata defaultValue)
        external
        view
        returns (int256[] memory value);
    function envUint(string calldata name) external view returns (uint256 value);
    function envUint(string calldata name, string calldata delim) external view returns (uint256[] memory value);
    function setEnv(string calldata name, string calldata value) external;
    function accesses(address target) external view returns (bytes32[] memory readSlots, bytes32[] memory writeSlots);
    function addr(uint256 privateKey) external pure returns (address keyAddr);
    function getBlobBaseFee() external view returns (uint256 blobBaseFee);
    function getBlockTimestamp() external view returns (uint256 timestamp);
    function getMappingKeyAndParentOf(address target, bytes32 elementSlot)
        external
        view
        returns (bool found, bytes32 key, bytes32 parent);
    function getMappingLength(address target, bytes32 mappingSlot) external view returns (uint256 length);
    function getMappingSlotAt(address target, bytes32 mappingSlot, uint256 idx) external view returns (bytes32 value);
    function getNonce(address account) external view returns (uint64 nonce);
    function getRecordedLogs() external view returns (Log[] memory logs);
    function lastCallGas() external view returns (Gas memory gas);
    function load(address target, bytes32 slot) external view returns (bytes32 data);
    function pauseGasMetering() external;
    function record() external;
    function recordLogs() external;
    function resumeGasMetering() external;
    function startMappingRecording() external;
    function stopMappingRecording() external;
    function stopRecord() external;
    function deployCode(string calldata artifactPath) external returns (address deployedAddress);
    function deployCode(string calldata artifactPath, bytes calldata constructorArgs)
        external
        returns (address deployedAddress);
    function deployCode(string calldata artifactPath, uint256 value) external returns (address deployedAddress);
    function deployCode(string calldata artifactPath, bytes calldata constructorArgs, uint256 value)
        external
        returns (address deployedAddress);
    function deployCode(string calldata artifactPath, bytes32 salt) external returns (address deployedAddress);
    function deployCode(string calldata artifactPath, bytes calldata constructorArgs, bytes32 salt)
        external
        returns (address deployedAddress);
    function deployCode(string calldata artifactPath, uint256 value, bytes32 salt)
        external
        returns (address deployedAddress);
    function deployCode(string calldata artifactPath, bytes calldata constructorArgs, uint256 value, bytes32 salt)
        external
        returns (address deployedAddress);
    function getCode(string calldata artifactPath) external view returns (bytes memory creationBytecode);
    function getDeployedCode(string calldata artifactPath) external view returns (bytes memory runtimeBytecode);
    function broadcast() external;
    function broadcast(address signer) external;
    function broadcast(uint256 privateKey) external;
    function startBroadcast() external;
    function startBroadcast(address signer) external;
    function startBroadcast(uint256 privateKey) external;
    function stopBroadcast() external;
    function contains(string calldata subject, string calldata search) external pure returns (bool result);
    function indexOf(string calldata input, string calldata key) external pure returns (uint256);
    function parseAddress(string calldata stringifiedValue) external pure returns (address parsedValue);
    function parseBool(string calldata stringifiedValue) external pure returns (bool parsedValue);
    function parseBytes(string calldata stringifiedValue) external pure returns (bytes memory parsedValue);
    function parseBytes32(string calldata stringifiedValue) external pure returns (bytes32 parsedValue);
    function parseInt(string calldata stringifiedValue) external pure returns (int256 parsedValue);
    function parseUint(string calldata stringifiedValue) external pure returns (uint256 parsedValue);
    function replace(string calldata input, string calldata from, string calldata to)
        external
        pure
        returns (string memory output);
    function split(string calldata input, string calldata delimiter) external pure returns (string[] memory outputs);
    function toLowercase(string calldata input) external pure returns (string memory output);
    function toString(address value) external pure returns (string memory stringifiedValue);
    function toString(bytes calldata value) external pure returns (string memory stringifiedValue);
    function toString(bytes32 value) external pure returns (string memory stringifiedValue);
    function toString(bool value) external pure returns (string memory stringifiedValue);
    function toString(uint256 value) external pure returns (string memory stringifiedValue);
    function toString(int256 value) external pure returns (string memory stringifiedValue);
    function toUppercase(string calldata input) external pure returns (string memory output);
    function trim(string calldata input) external pure returns (string memory output);
    function assertEq(bool left, bool right) external pure;
    function assertEq(bool left, bool right, string calldata err) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertEq(string calldata left, string calldata right, string calldata err) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata err) external pure;
    function assertEq(bool[] calldata left, bool[] calldata right) external pure;
    function assertEq(bool[] calldata left, bool[] calldata right, string calldata err) external pure;
    function assertEq(uint256[] calldata left, uint256[] calldata right) external pure;
    function assertEq(uint256[] calldata left, uint256[] calldata right, string calldata err) external pure;
    function assertEq(int256[] calldata left, int256[] calldata right) external pure;
    function assertEq(int256[] calldata left, int256[] calldata right, string calldata err) external pure;
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(address[] calldata left, address[] calldata right) external pure;
    function assertEq(address[] calldata left, address[] calldata right, string calldata err) external pure;
    function assertEq(bytes32[] calldata left, bytes32[] calldata right) external pure;
    function assertEq(bytes32[] calldata left, bytes32[] calldata right, string calldata err) external pure;
    function assertEq(string[] calldata left, string[] calldata right) external pure;
    function assertEq(string[] calldata left, string[] calldata right, string calldata err) external pure;
    function assertEq(bytes[] calldata left, bytes[] calldata right) external pure;
    function assertEq(bytes[] calldata left, bytes[] calldata right, string calldata err) external pure;
    function assertEq(uint256 left, uint256 right, string calldata err) external pure;
    function assertEq(int256 left, int256 right) external pure;
    function assertEq(int256 left, int256 right, string calldata err) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(address left, address right, string calldata err) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata err) external pure;
    function assertFalse(bool condition) external pure;
    function assertFalse(bool condition, string calldata err) external pure;
    function assertGe(uint256 left, uint256 right) external pure;
    function assertGe(uint256 left, uint256 right, string calldata err) external pure;
    function assertGe(int256 left, int256 right) external pure;
    function assertGe(int256 left, int256 right, string calldata err) external pure;
    function assertGt(uint256 left, uint256 right) external pure;
    function assertGt(uint256 left, uint256 right, string calldata err) external pure;
    function assertGt(int256 left, int256 right) external pure;
    function assertGt(int256 left, int256 right, string calldata err) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertLe(uint256 left, uint256 right, string calldata err) external pure;
    function assertLe(int256 left, int256 right) external pure;
    function assertLe(int256 left, int256 right, string calldata err) external pure;
    function assertLt(uint256 left, uint256 right) external pure;
    function assertLt(uint256 left, uint256 right, string calldata err) external pure;
    function assertLt(int256 left, int256 right) external pure;
    function assertLt(int256 left, int256 right, string calldata err) external pure;
    function assertNotEq(bool left, bool right) external pure;
    function assertNotEq(bool left, bool right, string calldata err) external pure;
    function assertNotEq(string calldata left, string calldata right) external pure;
    function assertNotEq(string calldata left, string calldata right, string calldata err) external pure;
    function assertNotEq(bytes calldata left, bytes calldata right) external pure;
    function assertNotEq(bytes calldata left, bytes calldata right, string calldata err) external pure;
    function assertNotEq(bool[] calldata left, bool[] calldata right) external pure;
    function assertNotEq(bool[] calldata left, bool[] calldata right, string calldata err) external pure;
    function assertNotEq(uint256[] calldata left, uint256[] calldata right) external pure;
    function assertNotEq(uint256[] calldata left, uint256[] calldata right, string calldata err) external pure;
    function assertNotEq(int256[] calldata left, int256[] calldata right) external pure;
    function assertNotEq(int256[] calldata left, int256[] calldata right, string calldata err) external pure;
    function assertNotEq(uint256 left, uint256 right) external pure;
    function assertNotEq(address[] calldata left, address[] calldata right) external pure;
    function assertNotEq(address[] calldata left, address[] calldata right, string calldata err) external pure;
    function assertNotEq(bytes32[] calldata left, bytes32[] calldata right) external pure;
    function assertNotEq(bytes32[] calldata left, bytes32[] calldata right, string calldata err) external pure;
    function assertNotEq(string[] calldata left, string[] calldata right) external pure;
    function assertNotEq(string[] calldata left, string[] calldata right, string calldata err) external pure;
    function assertNotEq(bytes[] calldata left, bytes[] calldata right) external pure;
    function assertNotEq(bytes[] calldata left, bytes[] calldata right, string calldata err) external pure;
    function assertNotEq(uint256 left, uint256 right, string calldata err) external pure;
    function assertNotEq(int256 left, int256 right) external pure;
    function assertNotEq(int256 left, int256 right, string calldata err) external pure;
    function assertNotEq(address left, address right) external pure;
    function assertNotEq(address left, address right, string calldata err) external pure;
    function assertNotEq(bytes32 left, bytes32 right) external pure;
    function assertNotEq(bytes32 left, bytes32 right, string calldata err) external pure;
    function assertTrue(bool condition) external pure;
    function assertTrue(bool condition, string calldata err) external pure;
    function assume(bool condition) external pure;
    function breakpoint(string calldata char) external pure;
    function breakpoint(string calldata char, bool value) external pure;
    function bound(uint256 current, uint256 min, uint256 max) external view returns (uint256);
    function bound(int256 current, int256 min, int256 max) external view returns (int256);
    function computeCreate2Address(bytes32 salt, bytes32 initCodeHash, address deployer) external pure returns (address);
    function computeCreate2Address(bytes32 salt, bytes32 initCodeHash) external pure returns (address);
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function ensNamehash(string calldata name) external pure returns (bytes32);
    function getLabel(address account) external view returns (string memory currentLabel);
    function randomAddress() external view returns (address);
    function randomBool() external view returns (bool);
    function randomBytes(uint256 len) external view returns (bytes memory);
    function randomInt() external view returns (int256);
    function randomInt(uint256 bits) external view returns (int256);
    function randomUint() external view returns (uint256);
    function randomUint(uint256 min, uint256 max) external view returns (uint256);
    function randomUint(uint256 bits) external view returns (uint256);
    function setSeed(uint256 seed) external;
    function shuffle(uint256[] calldata array) external returns (uint256[] memory);
    function sort(uint256[] calldata array) external returns (uint256[] memory);
    function toBase64URL(bytes calldata data) external pure returns (string memory);
    function toBase64URL(string calldata data) external pure returns (string memory);
    function toBase64(bytes calldata data) external pure returns (string memory);
    function toBase64(string calldata data) external pure returns (string memory);
    function toRlp(bytes[] calldata data) external pure returns (bytes memory);
    function allowCheatcodes(address account) external;
    function blobBaseFee(uint256 newBlobBaseFee) external;
    function blobhashes(bytes32[] calldata hashes) external;
    function chainId(uint256 newChainId) external;
    function coinbase(address newCoinbase) external;
    function deal(address account, uint256 newBalance) external;
    function difficulty(uint256 newDifficulty) external;
    function etch(address target, bytes calldata newRuntimeBytecode) external;
    function fee(uint256 newBasefee) external;
    function isPersistent(address account) external view returns (bool persistent);
    function makePersistent(address account) external;
    function makePersistent(address account0, address account1) external;
    function makePersistent(address account0, address account1, address account2) external;
    function makePersistent(address[] calldata accounts) external;
    function mockCall(address callee, bytes calldata data, bytes calldata returnData) external;
    function mockCall(address callee, uint256 msgValue, bytes calldata data, bytes calldata returnData) external;
    function mockCall(address callee, bytes4 data, bytes calldata returnData) external;
    function mockCall(address callee, uint256 msgValue, bytes4 data, bytes calldata returnData) external;
    function prank(address msgSender) external;
    function prank(address msgSender, address txOrigin) external;
    function prank(address msgSender, bool delegateCall) external;
    function prank(address msgSender, address txOrigin, bool delegateCall) external;
    function prevrandao(bytes32 newPrevrandao) external;
    function prevrandao(uint256 newPrevrandao) external;
    function revertToState(uint256 snapshotId) external returns (bool success);
    function roll(uint256 newHeight) external;
    function setBlockhash(uint256 blockNumber, bytes32 blockHash) external;
    function setNonce(address account, uint64 newNonce) external;
    function setNonceUnsafe(address account, uint64 newNonce) external;
    function snapshotGasLastCall(string calldata name) external returns (uint256 gasUsed);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256 gasUsed);
    function snapshotState() external returns (uint256 snapshotId);
    function snapshotValue(string calldata name, uint256 value) external;
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;
    function startPrank(address msgSender) external;
    function startPrank(address msgSender, address txOrigin) external;
    function startPrank(address msgSender, bool delegateCall) external;
    function startPrank(address msgSender, address txOrigin, bool delegateCall) external;
    function startSnapshotGas(string calldata name) external;
    function startSnapshotGas(string calldata group, string calldata name) external;
    function stopPrank() external;
    function stopSnapshotGas() external returns (uint256 gasUsed);
    function stopSnapshotGas(string calldata name) external returns (uint256 gasUsed);
    function stopSnapshotGas(string calldata group, string calldata name) external returns (uint256 gasUsed);
    function store(address target, bytes32 slot, bytes32 value) external;
    function txGasPrice(uint256 newGasPrice) external;
    function warp(uint256 newTimestamp) external;
    function expectCall(address callee, bytes calldata data) external;
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 msgValue, bytes calldata data) external;
    function expectCall(address callee, uint256 msgValue, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 msgValue, uint64 gas, bytes calldata data) external;
    function expectCall(address callee, uint256 msgValue, uint64 gas, bytes calldata data, uint64 count) external;
    function expectRevert() external;
    function expectRevert(bytes4 revertData) external;
    function expectRevert(bytes4 revertData, address reverter, uint64 count) external;
    function expectRevert(bytes calldata revertData, address reverter, uint64 count) external;
    function expectRevert(bytes calldata revertData) external;
    function expectRevert(address reverter) external;
    function expectRevert(bytes4 revertData, address reverter) external;
    function expectRevert(bytes calldata revertData, address reverter) external;
    function expectRevert(uint64 count) external;
    function expectRevert(bytes4 revertData, uint64 count) external;
    function expectRevert(bytes calldata revertData, uint64 count) external;
    function expectRevert(address reverter, uint64 count) external;
    function skip(bool skipTest) external;
    function skip(bool skipTest, string calldata reason) external;
    function copyStorage(address from, address to) external;
}

/// What forge-std's assertions do, by the cheatcodes alone.
abstract contract FullTest is Targets {
    bool public IS_TEST = true;
    MoreVm internal constant vm = MoreVm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function failed() public view returns (bool) {
        return vm.load(address(vm), bytes32("failed")) != bytes32(0);
    }

    function assertEq(bool a, bool b) internal pure {
        vm.assertEq(a, b);
    }

    function assertEq(uint256 a, uint256 b) internal pure {
        vm.assertEq(a, b);
    }

    function assertNotEq(uint256 a, uint256 b) internal pure {
        vm.assertNotEq(a, b);
    }

    function assertEq(int256 a, int256 b) internal pure {
        vm.assertEq(a, b);
    }

    function assertNotEq(int256 a, int256 b) internal pure {
        vm.assertNotEq(a, b);
    }

    function assertEq(address a, address b) internal pure {
        vm.assertEq(a, b);
    }

    function assertNotEq(address a, address b) internal pure {
        vm.assertNotEq(a, b);
    }

    function assertEq(bytes32 a, bytes32 b) internal pure {
        vm.assertEq(a, b);
    }

    function assertNotEq(bytes32 a, bytes32 b) internal pure {
        vm.assertNotEq(a, b);
    }

    function assertEq(string memory a, string memory b) internal pure {
        vm.assertEq(a, b);
    }

    function assertEq(bytes memory a, bytes memory b) internal pure {
        vm.assertEq(a, b);
    }

    function assertLt(uint256 a, uint256 b) internal pure {
        vm.assertLt(a, b);
    }

    function assertLe(uint256 a, uint256 b) internal pure {
        vm.assertLe(a, b);
    }

    function assertGt(uint256 a, uint256 b) internal pure {
        vm.assertGt(a, b);
    }

    function assertGe(uint256 a, uint256 b) internal pure {
        vm.assertGe(a, b);
    }

    function assertLt(int256 a, int256 b) internal pure {
        vm.assertLt(a, b);
    }

    function assertLe(int256 a, int256 b) internal pure {
        vm.assertLe(a, b);
    }

    function assertGt(int256 a, int256 b) internal pure {
        vm.assertGt(a, b);
    }

    function assertGe(int256 a, int256 b) internal pure {
        vm.assertGe(a, b);
    }

    function assertTrue(bool a) internal pure {
        vm.assertTrue(a);
    }

    function assertTrue(bool a, string memory text) internal pure {
        vm.assertTrue(a, text);
    }

    function assertFalse(bool a) internal pure {
        vm.assertFalse(a);
    }

    function assertFalse(bool a, string memory text) internal pure {
        vm.assertFalse(a, text);
    }
}
