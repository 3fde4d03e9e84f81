"""The Solidity that every exported test shares: the cheatcodes it uses and the functions that replay calls."""

from __future__ import annotations

import re

_LOG = """\
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }
"""

_ACCESSES = """\
    struct StorageAccess {
        address account;
        bytes32 slot;
        bool isWrite;
        bytes32 previousValue;
        bytes32 newValue;
        bool reverted;
    }

    struct AccountAccess {
        uint256 forkId;
        uint256 chainId;
        uint256 kind;
        address account;
        address accessor;
        bool initialized;
        uint256 oldBalance;
        uint256 newBalance;
        bytes deployedCode;
        uint256 value;
        bytes data;
        bool reverted;
        StorageAccess[] storageAccesses;
        uint64 depth;
        uint64 oldNonce;
        uint64 newNonce;
    }
"""

_FUNCTIONS = """\
    function roll(uint256) external;
    function warp(uint256) external;
    function getBlockNumber() external view returns (uint256);
    function getBlockTimestamp() external view returns (uint256);
    function chainId(uint256) external;
    function prevrandao(bytes32) external;
    function difficulty(uint256) external;
    function fee(uint256) external;
    function blobBaseFee(uint256) external;
    function coinbase(address) external;
    function txGasPrice(uint256) external;
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function getNonce(address) external view returns (uint64);
    function setNonce(address, uint64) external;
    function setNonceUnsafe(address, uint64) external;
    function prank(address, address) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function startStateDiffRecording() external;
    function stopAndReturnStateDiff() external returns (AccountAccess[] memory);
    function getCode(string calldata) external view returns (bytes memory);
    function envString(string calldata) external view returns (string memory);
    function createSelectFork(string calldata, uint256) external returns (uint256);
"""


def cheatcodes(source: str) -> str:
    """The interface of the cheatcodes that a source calls, so that it needs no forge-std."""
    used = set(re.findall(r"\bvm\.(\w+)\(", source))
    functions = [line for line in _FUNCTIONS.splitlines() if line.split()[1].partition("(")[0] in used]
    parts = [
        *([_LOG] if "getRecordedLogs" in used else []),
        *([_ACCESSES] if "stopAndReturnStateDiff" in used else []),
        "\n".join([*functions, ""]),
    ]
    return "interface ReplayVm {\n" + "\n".join(parts) + "}\n"


SEND = """\
    ReplayVm internal constant vm = ReplayVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    /// Calls as the campaign did: the callee gets the value, and the sender pays nothing.
    function send(address sender, address to, uint256 value, uint256 gasLimit, bytes memory data)
        internal
        returns (bool success, bytes memory result, bool usedAllGas)
    {
        bool isGiven = value <= ~uint256(0) - sender.balance;
        if (value > 0 && isGiven) vm.deal(sender, sender.balance + value);
        // A call with value gets 2300 gas on top.
        uint256 gasGiven = value > 0 && gasLimit > 2300 ? gasLimit - 2300 : gasLimit;
$CALL
        if (!success && value > 0 && isGiven) vm.deal(sender, sender.balance - value);
    }

    function wait_(uint256 secondsPassed, uint256 blocksPassed) internal {
        vm.warp(vm.getBlockTimestamp() + secondsPassed);
        vm.roll(vm.getBlockNumber() + blocksPassed);
    }

    /// `vm.assume` turned the inputs down, which says nothing about the contract.
    function isRejection(bytes memory result) internal pure returns (bool) {
        return keccak256(result) == keccak256("FOUNDRY::ASSUME");
    }
"""

BY_PRANK = """\
        vm.prank(sender, sender);
        uint256 gasBefore = gasleft();
        (success, result) = to.call{value: value, gas: gasGiven}(data);
        usedAllGas = gasBefore - gasleft() >= gasLimit;"""

BY_CALLER = """\
        vm.etch(sender, type(ReplayCaller).runtimeCode);
        (success, result, usedAllGas) = ReplayCaller(sender).forward(to, value, gasGiven, data);"""

CALLER = """\
/// Calls from the address of a sender. A prank would be in the way of the pranks that the contracts begin themselves;
/// `tx.origin` is not the sender here.
contract ReplayCaller {
    function forward(address to, uint256 value, uint256 gasLimit, bytes memory data)
        public
        returns (bool success, bytes memory result, bool usedAllGas)
    {
        // Senders have no code.
        Replay.vm.etch(address(this), "");
        uint256 gasBefore = gasleft();
        (success, result) = to.call{value: value, gas: gasLimit}(data);
        usedAllGas = gasBefore - gasleft() >= gasLimit;
    }
}

"""

DEPLOY = """
    /// Runs the creation code at the address that the contract had in the campaign.
    function deploy(address deployer, address at, bytes memory creationCode, uint256 value) internal {
        vm.etch(at, creationCode);
        vm.setNonce(at, 1);
        (bool created, bytes memory runtimeCode,) = send(deployer, at, value, gasleft() / 2, "");
        require(created, "the constructor reverts");
        vm.etch(at, runtimeCode);
        vm.setNonce(deployer, vm.getNonce(deployer) + 1);
    }

    function setUp(address deployer, address target) internal {
        (bool success,,) = send(deployer, target, 0, gasleft() / 2, abi.encodeWithSignature("setUp()"));
        require(success, "setUp() reverts");
    }

    function fund(address account, uint256 balance) internal {
        $FUND
    }
"""

CALL_INITIALLY = """
    /// A call of the initialization that came before everything else.
    function callInitially(address sender, address to, uint256 value, bytes memory data) internal {
        (bool success,,) = send(sender, to, value, gasleft() / 2, data);
        require(success, "a call of the initialization reverts");
    }
"""

EVENTS = """
    function assertionEventEmitted() internal returns (bool) {
        ReplayVm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) {
            if (logs[i].topics.length > 0 && isAssertionEvent(logs[i].topics[0])) return true;
        }
        return false;
    }

    function isAssertionEvent(bytes32 topic) private pure returns (bool) {
        return $TOPICS;
    }
"""

ASSERTION = """
    /// An invalid opcode uses all gas and returns nothing; the other forms are told by logs and return data.
    function assertionFailed(bool success, bytes memory result, bool usedAllGas) internal returns (bool) {
        if (assertionEventEmitted()) return true;
        if (success) return false;
        return result.length == 0 ? usedAllGas : isAssertionFailure(result);
    }
"""

PANIC = """
    /// A panic that counts as a failed assertion besides that of `assert`.
    function isOtherPanic(bool success, bytes memory result) internal pure returns (bool) {
        if (success || result.length != 36) return false;
        bytes4 selector;
        uint256 code;
        assembly {
            selector := mload(add(result, 32))
            code := mload(add(result, 36))
        }
        return selector == 0x4e487b71 && ($CODES);
    }
"""

ASSERTION_DATA = """
    /// A panic with code 1, or `Error(string)` of ds-test and old forge-std, `CheatcodeError(string)` of `vm.assert*`:
    /// selector, offset and length are 68 bytes, then comes the text.
    function isAssertionFailure(bytes memory result) internal pure returns (bool) {
        if (keccak256(result) == keccak256(abi.encodeWithSignature("Panic(uint256)", uint256(1)))) return true;
        bytes memory expected = "assertion failed";
        if (result.length < 68 + expected.length) return false;
        bytes4 selector;
        assembly {
            selector := mload(add(result, 32))
        }
        if (selector != 0x08c379a0 && selector != 0xeeaa9e6f) return false;
        for (uint256 i = 0; i < expected.length; i++) {
            if (result[68 + i] != expected[i]) return false;
        }
        return true;
    }
"""

DESTRUCTION = """
    /// Whether the recorded call destroyed this account, or any account where none is given.
    function isDestroyed(address account) internal returns (bool) {
        ReplayVm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        for (uint256 i = 0; i < accesses.length; i++) {
            bool isWanted = account == address(0) || accesses[i].accessor == account;
            if (accesses[i].kind == $SELFDESTRUCT && isWanted && !accesses[i].reverted) return true;
        }
        return false;
    }
"""

MARKED = """
    /// Whether the test says of itself, in ds-test's ways, that it has failed.
    function isMarkedFailed(address test) internal returns (bool) {
        bytes32 slot = "failed";
        (bool success, bytes memory result) =
            address(vm).call(abi.encodeWithSignature("load(address,bytes32)", address(vm), slot));
        if (isSet(success, result)) return true;
        (success, result) = test.call(abi.encodeWithSignature("failed()"));
        return isSet(success, result);
    }

    function isSet(bool success, bytes memory result) private pure returns (bool) {
        return success && result.length == 32 && abi.decode(result, (uint256)) != 0;
    }
"""

SELFDESTRUCT_KIND = 5
KEEP_FUNDS = "if (account.balance < balance) vm.deal(account, balance);"
SET_FUNDS = "vm.deal(account, balance);"
