// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The cheatcodes that tell what calls do.
interface RecordingVm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct ChainInfo {
        uint256 forkId;
        uint256 chainId;
    }

    struct StorageAccess {
        address account;
        bytes32 slot;
        bool isWrite;
        bytes32 previousValue;
        bytes32 newValue;
        bool reverted;
    }

    struct AccountAccess {
        ChainInfo chainInfo;
        uint8 kind;
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

    function record() external;
    function stopRecord() external;
    function accesses(address account) external returns (bytes32[] memory, bytes32[] memory);
    function label(address account, string calldata name) external;
    function deal(address account, uint256 balance) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function getRecordedLogsJson() external view returns (string memory);
    function startStateDiffRecording() external;
    function stopAndReturnStateDiff() external returns (AccountAccess[] memory);
    function getStateDiff() external view returns (string memory);
    function getStateDiffJson() external view returns (string memory);
    function getStorageAccesses() external view returns (StorageAccess[] memory);
    function interceptInitcode() external;
    function startMappingRecording() external;
    function stopMappingRecording() external;
    function getMappingLength(address account, bytes32 mappingSlot) external returns (uint256);
    function getMappingSlotAt(address account, bytes32 mappingSlot, uint256 index) external returns (bytes32);
    function getMappingKeyAndParentOf(address account, bytes32 slot) external returns (bool, bytes32, bytes32);
    function currentFilePath() external view returns (string memory);
    function getArtifactPathByDeployedCode(bytes calldata code) external view returns (string memory);
    function getArtifactPathByCode(bytes calldata code) external view returns (string memory);
}

RecordingVm constant recorder = RecordingVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

contract Box {
    uint256 public value;
    uint256 public other;
    mapping(address => uint256) public map;

    event Set(uint256 value);

    constructor(uint256 v) payable {
        value = v;
    }

    function set(uint256 v) external payable {
        value = v;
        emit Set(v);
    }

    function put(address a, uint256 v) external {
        map[a] = v;
    }

    function bad(uint256 v) external {
        other = v;
        emit Set(v);
        revert("bad");
    }

    function nested(Box to, uint256 v) external {
        value = v;
        try to.bad(v) {} catch {}
        other = v + 1;
        to.set(v);
        value = other;
        emit Set(v + 5);
    }

    function failing(Box to) external {
        emit Set(100);
        try to.bad(7) {} catch {}
        emit Set(101);
        to.set(9);
        revert("failing");
    }

    function kill(address payable to) external {
        selfdestruct(to);
    }

    function look(address a) external view returns (uint256, uint256) {
        return (a.balance, a.code.length);
    }
}

contract Maps {
    mapping(uint256 => uint256) private first;
    mapping(address => mapping(uint256 => uint256)) private second;
    uint256 private plain;

    function set(uint256 key, uint256 value) external {
        first[key] = value;
        plain = value;
    }

    function set(address key, uint256 inner, uint256 value) external {
        second[key][inner] = value;
    }
}

/// Its results were compared with those of forge 1.7.1, apart from the chain's id.
contract StateDiffs {
    Box private a;
    Box private b;
    uint256 private own;

    function make() private {
        recorder.deal(address(this), 1000);
        a = new Box(1);
        b = new Box(2);
    }

    function describe(RecordingVm.AccountAccess[] memory all) private view returns (string memory text) {
        for (uint256 i = 0; i < all.length; i++) {
            RecordingVm.AccountAccess memory x = all[i];
            text = string.concat(text, num(x.kind), " ", who(x.account), " by ", who(x.accessor));
            text = string.concat(text, x.initialized ? "" : " new", x.reverted ? " failed" : "", " d", num(x.depth));
            text = string.concat(text, " b", num(x.oldBalance), ">", num(x.newBalance), " v", num(x.value));
            text = string.concat(text, " n", num(x.oldNonce), ">", num(x.newNonce), " ", num(x.data.length > 68 ? 1 : 0));
            text = string.concat(text, num(x.deployedCode.length > 0 ? 1 : 0), num(x.chainInfo.forkId), "\n");
            for (uint256 j = 0; j < x.storageAccesses.length; j++) {
                RecordingVm.StorageAccess memory s = x.storageAccesses[j];
                text = string.concat(text, "  ", s.isWrite ? "W " : "R ", who(s.account), "[", num(uint256(s.slot) % 1000));
                text = string.concat(text, "] ", num(uint256(s.previousValue)), ">", num(uint256(s.newValue)));
                text = string.concat(text, s.reverted ? " failed\n" : "\n");
            }
        }
    }

    function who(address x) private view returns (string memory) {
        if (x == address(this)) return "this";
        if (x == address(a)) return "a";
        if (x == address(b)) return "b";
        return x == address(0xbeef) ? "beef" : "?";
    }

    function num(uint256 x) private pure returns (string memory) {
        if (x == 0) return "0";
        bytes memory out = "";
        for (; x > 0; x /= 10) {
            out = abi.encodePacked(bytes1(uint8(48 + x % 10)), out);
        }
        return string(out);
    }

    function calls() external returns (string memory) {
        make();
        recorder.startStateDiffRecording();
        a.set{value: 5}(7);
        b.set(8);
        return describe(recorder.stopAndReturnStateDiff());
    }

    function nestedCalls() external returns (string memory) {
        make();
        recorder.startStateDiffRecording();
        own = 1;
        a.nested(b, 3);
        own = 2;
        a.put(address(1), 4);
        (bool ok,) = address(a).call(abi.encodeCall(Box.failing, (b)));
        require(!ok);
        return describe(recorder.stopAndReturnStateDiff());
    }

    function looks() external returns (string memory) {
        make();
        recorder.startStateDiffRecording();
        Box c = new Box{value: 3}(9);
        payable(address(0xbeef)).transfer(2);
        a.look(address(b));
        c.kill(payable(address(0xbeef)));
        uint256 x = address(b).balance;
        (bool ok,) = address(a).delegatecall(abi.encodeCall(Box.look, (address(b))));
        require(ok && x == 0);
        return describe(recorder.stopAndReturnStateDiff());
    }

    function texts() external returns (address, address, address, string memory, string memory, uint256, uint256) {
        make();
        recorder.label(address(a), "the box");
        recorder.startStateDiffRecording();
        a.set{value: 5}(7);
        a.nested(b, 3);
        address c = address(new Box(5));
        string memory text = recorder.getStateDiff();
        string memory json = recorder.getStateDiffJson();
        uint256 slots = recorder.getStorageAccesses().length;
        return (address(a), address(b), c, text, json, slots, recorder.stopAndReturnStateDiff().length);
    }

    function logs() external returns (string memory text) {
        make();
        recorder.recordLogs();
        a.set(1);
        a.nested(b, 3);
        (bool ok,) = address(a).call(abi.encodeCall(Box.failing, (b)));
        b.set(2);
        text = list(recorder.getRecordedLogs());
        b.set(3);
        (ok,) = address(b).call(abi.encodeCall(Box.bad, (55)));
        text = string.concat(text, list(recorder.getRecordedLogs()));
    }

    function list(RecordingVm.Log[] memory all) private view returns (string memory text) {
        for (uint256 i = 0; i < all.length; i++) {
            text = string.concat(text, who(all[i].emitter), num(abi.decode(all[i].data, (uint256))), " ");
        }
    }

    function logsAsJson() external returns (address, string memory) {
        make();
        recorder.recordLogs();
        a.set(1);
        return (address(a), recorder.getRecordedLogsJson());
    }

    function logsOnce() external {
        recorder.recordLogs();
        a.set(1);
    }

    function logsLater() external returns (string memory) {
        (bool ok,) = address(b).call(abi.encodeCall(Box.bad, (5)));
        require(!ok);
        return list(recorder.getRecordedLogs());
    }

    function both() external returns (uint256, uint256, uint256, uint256) {
        make();
        recorder.record();
        a.set(1);
        recorder.startStateDiffRecording();
        a.set(2);
        recorder.stopRecord();
        a.set(3);
        (bytes32[] memory reads, bytes32[] memory writes) = recorder.accesses(address(a));
        uint256 slots = recorder.getStorageAccesses().length;
        return (reads.length, writes.length, slots, recorder.stopAndReturnStateDiff().length);
    }

    function undone() external returns (uint256, uint256) {
        make();
        try this.startAndFail() {} catch {}
        a.set(1);
        uint256 seen = recorder.getStorageAccesses().length;
        return (seen, recorder.stopAndReturnStateDiff().length);
    }

    function startAndFail() external {
        recorder.startStateDiffRecording();
        revert();
    }

    function intercepted() external returns (uint256) {
        recorder.interceptInitcode();
        try new Box(77) {
            revert("created");
        } catch (bytes memory code) {
            require(keccak256(code) == keccak256(abi.encodePacked(type(Box).creationCode, abi.encode(77))));
        }
        return new Box(5).value();
    }

    function paths() external returns (string memory, string memory, string memory) {
        address box = address(new Box(1));
        bytes memory code = abi.encodePacked(type(Box).creationCode, abi.encode(3));
        return (
            recorder.getArtifactPathByDeployedCode(box.code),
            recorder.getArtifactPathByCode(code),
            recorder.currentFilePath()
        );
    }

}

contract MappingRecords {
    function mappings() external returns (uint256[5] memory lengths, bytes32[6] memory words, bool[3] memory found) {
        Maps m = new Maps();
        m.set(9, 9);
        recorder.startMappingRecording();
        m.set(1, 10);
        m.set(2, 20);
        m.set(1, 11);
        m.set(address(7), 8, 9);
        m.set(address(7), 9, 9);
        address at = address(m);
        bytes32 one = bytes32(uint256(1));
        bytes32 slot = recorder.getMappingSlotAt(at, 0, 0);
        bytes32 inner = recorder.getMappingSlotAt(at, one, 0);
        lengths[0] = recorder.getMappingLength(at, 0);
        lengths[1] = recorder.getMappingLength(at, one);
        lengths[2] = recorder.getMappingLength(at, bytes32(uint256(2)));
        lengths[3] = recorder.getMappingLength(at, inner);
        words[0] = slot;
        words[1] = recorder.getMappingSlotAt(at, 0, 5);
        (found[0], words[2], words[3]) = recorder.getMappingKeyAndParentOf(at, slot);
        (found[1], words[4], words[5]) =
            recorder.getMappingKeyAndParentOf(at, recorder.getMappingSlotAt(at, inner, 1));
        words[5] = words[5] == inner ? one : bytes32(0);
        (found[2],,) = recorder.getMappingKeyAndParentOf(at, bytes32(uint256(55)));
        recorder.stopMappingRecording();
        lengths[4] = recorder.getMappingLength(at, 0);
    }
}
