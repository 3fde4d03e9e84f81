// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

// What the generated tests build on: the cheatcodes they use, assertions that revert and assertions that note a
// failure, and the lists of targets under the names that forge asks for.

interface Vm {
    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    enum CallerMode {
        None,
        Broadcast,
        RecurrentBroadcast,
        Prank,
        RecurrentPrank
    }

    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata text) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertGt(uint256 left, uint256 right) external pure;
    function assertLe(int256 left, int256 right) external pure;
    function assertApproxEqAbs(uint256 left, uint256 right, uint256 most) external pure;
    function assertApproxEqRel(uint256 left, uint256 right, uint256 most) external pure;
    function assertTrue(bool condition) external pure;
    function assertTrue(bool condition, string calldata text) external pure;
    function assertFalse(bool condition) external pure;
    function assume(bool condition) external pure;
    function assumeNoRevert() external pure;
    function assumeNoRevert(PotentialRevert calldata revert_) external pure;
    function bound(uint256 value, uint256 least, uint256 most) external view returns (uint256);
    function chainId(uint256 number) external;
    function clearMockedCalls() external;
    function coinbase(address account) external;
    function deal(address account, uint256 balance) external;
    function envOr(string calldata name, uint256 other) external view returns (uint256);
    function etch(address account, bytes calldata code) external;
    function expectCall(address callee, bytes calldata data) external;
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 value, bytes calldata data) external;
    function expectCall(address callee, uint256 value, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 value, uint64 gas, bytes calldata data) external;
    function expectCallMinGas(address callee, uint256 value, uint64 gas, bytes calldata data) external;
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function expectEmit(uint64 count) external;
    function expectEmit(address emitter, uint64 count) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function expectPartialRevert(bytes4 data) external;
    function expectPartialRevert(bytes4 data, address reverter) external;
    function expectRevert() external;
    function expectRevert(bytes4 data) external;
    function expectRevert(bytes calldata data) external;
    function expectRevert(address reverter) external;
    function expectRevert(bytes4 data, address reverter) external;
    function expectRevert(bytes calldata data, address reverter) external;
    function expectRevert(uint64 count) external;
    function expectRevert(bytes4 data, uint64 count) external;
    function expectRevert(bytes calldata data, uint64 count) external;
    function expectRevert(address reverter, uint64 count) external;
    function fee(uint256 value) external;
    function getBlockNumber() external view returns (uint256);
    function getBlockTimestamp() external view returns (uint256);
    function getNonce(address account) external view returns (uint64);
    function getRecordedLogs() external returns (Log[] memory);
    function label(address account, string calldata name) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function mockCall(address callee, bytes calldata data, bytes calldata output) external;
    function mockCall(address callee, uint256 value, bytes calldata data, bytes calldata output) external;
    function mockCallRevert(address callee, bytes calldata data, bytes calldata output) external;
    function mockCalls(address callee, bytes calldata data, bytes[] calldata outputs) external;
    function mockFunction(address callee, address target, bytes calldata data) external;
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function prank(address sender, bool delegated) external;
    function prevrandao(uint256 value) external;
    function randomUint() external returns (uint256);
    function randomUint(uint256 least, uint256 most) external returns (uint256);
    function readCallers() external returns (CallerMode mode, address sender, address origin);
    function recordLogs() external;
    function resetNonce(address account) external;
    function revertToState(uint256 snapshot) external returns (bool);
    function revertToStateAndDelete(uint256 snapshot) external returns (bool);
    function roll(uint256 number) external;
    function setNonce(address account, uint64 nonce) external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function skip(bool condition) external;
    function skip(bool condition, string calldata reason) external;
    function snapshotState() external returns (uint256);
    function startPrank(address sender) external;
    function startPrank(address sender, address origin) external;
    function stopPrank() external;
    function store(address account, bytes32 slot, bytes32 value) external;
    function toString(uint256 value) external pure returns (string memory);
    function txGasPrice(uint256 value) external;
    function warp(uint256 timestamp) external;
}

abstract contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
}

/// Assertions in the manner of forge-std since 1.8: a cheatcode reverts.
abstract contract RevertingAssertions is Base {
    bool private noted;

    function failed() public view returns (bool) {
        return noted || vm.load(address(vm), bytes32("failed")) != bytes32(0);
    }

    function fail() internal virtual {
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
        noted = true;
    }

    function assertTrue(bool condition) internal pure virtual {
        if (!condition) vm.assertTrue(condition);
    }

    function assertEq(uint256 left, uint256 right) internal pure virtual {
        if (left != right) vm.assertEq(left, right);
    }

    function assertEq(uint256 left, uint256 right, string memory text) internal pure virtual {
        if (left != right) vm.assertEq(left, right, text);
    }
}

/// Assertions in the manner of ds-test and of forge-std before 1.8: a failure is noted and the test goes on.
abstract contract NotingAssertions is Base {
    event log(string text);
    event log_named_uint(string key, uint256 value);

    bool public IS_TEST = true;
    bool private noted;

    function failed() public returns (bool) {
        if (noted) return noted;
        (, bytes memory output) = address(vm).call(
            abi.encodePacked(bytes4(keccak256("load(address,bytes32)")), abi.encode(address(vm), bytes32("failed")))
        );
        return abi.decode(output, (bool));
    }

    function fail() internal virtual {
        (bool done,) = address(vm).call(
            abi.encodePacked(
                bytes4(keccak256("store(address,bytes32,bytes32)")),
                abi.encode(address(vm), bytes32("failed"), bytes32(uint256(1)))
            )
        );
        done;
        noted = true;
    }

    function assertTrue(bool condition) internal virtual {
        if (!condition) {
            emit log("Error: Assertion Failed");
            fail();
        }
    }

    function assertEq(uint256 left, uint256 right) internal virtual {
        if (left != right) {
            emit log("Error: a == b not satisfied [uint]");
            emit log_named_uint("  Left", left);
            emit log_named_uint("  Right", right);
            fail();
        }
    }

    function assertEq(uint256 left, uint256 right, string memory text) internal virtual {
        if (left != right) {
            emit log(text);
            assertEq(left, right);
        }
    }
}

/// An assertion that only this contract knows of: nothing is stored at the cheatcode address.
abstract contract PrivateAssertions is Base {
    bool public failed;

    function assertTrue(bool condition) internal virtual {
        if (!condition) failed = true;
    }
}

abstract contract Targets {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    struct FuzzArtifactSelector {
        string artifact;
        bytes4[] selectors;
    }

    struct FuzzInterface {
        address addr;
        string[] artifacts;
    }

    address[] private _excludedContracts;
    address[] private _excludedSenders;
    address[] private _targetedContracts;
    address[] private _targetedSenders;
    string[] private _excludedArtifacts;
    string[] private _targetedArtifacts;
    FuzzArtifactSelector[] private _targetedArtifactSelectors;
    FuzzSelector[] private _excludedSelectors;
    FuzzSelector[] private _targetedSelectors;
    FuzzInterface[] private _targetedInterfaces;

    function excludeContract(address account) internal {
        _excludedContracts.push(account);
    }

    function excludeSelector(FuzzSelector memory selector) internal {
        _excludedSelectors.push(selector);
    }

    function excludeSender(address account) internal {
        _excludedSenders.push(account);
    }

    function excludeArtifact(string memory name) internal {
        _excludedArtifacts.push(name);
    }

    function targetArtifact(string memory name) internal {
        _targetedArtifacts.push(name);
    }

    function targetArtifactSelector(FuzzArtifactSelector memory selector) internal {
        _targetedArtifactSelectors.push(selector);
    }

    function targetContract(address account) internal {
        _targetedContracts.push(account);
    }

    function targetSelector(FuzzSelector memory selector) internal {
        _targetedSelectors.push(selector);
    }

    function targetSender(address account) internal {
        _targetedSenders.push(account);
    }

    function targetInterface(FuzzInterface memory target) internal {
        _targetedInterfaces.push(target);
    }

    function selectorsOf(address account, bytes4 first) internal pure returns (FuzzSelector memory) {
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = first;
        return FuzzSelector(account, selectors);
    }

    function excludeArtifacts() public view returns (string[] memory) {
        return _excludedArtifacts;
    }

    function excludeContracts() public view returns (address[] memory) {
        return _excludedContracts;
    }

    function excludeSelectors() public view returns (FuzzSelector[] memory) {
        return _excludedSelectors;
    }

    function excludeSenders() public view returns (address[] memory) {
        return _excludedSenders;
    }

    function targetArtifacts() public view returns (string[] memory) {
        return _targetedArtifacts;
    }

    function targetArtifactSelectors() public view returns (FuzzArtifactSelector[] memory) {
        return _targetedArtifactSelectors;
    }

    function targetContracts() public view returns (address[] memory) {
        return _targetedContracts;
    }

    function targetSelectors() public view returns (FuzzSelector[] memory) {
        return _targetedSelectors;
    }

    function targetSenders() public view returns (address[] memory) {
        return _targetedSenders;
    }

    function targetInterfaces() public view returns (FuzzInterface[] memory) {
        return _targetedInterfaces;
    }
}

abstract contract Test is RevertingAssertions, Targets {
    bool public IS_TEST = true;
}

abstract contract OldTest is NotingAssertions, Targets {}

abstract contract PrivateTest is PrivateAssertions, Targets {}
