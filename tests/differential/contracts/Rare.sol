// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./More.sol";
import "./Things.sol";

// Cheatcodes that few tests use, and things to use them on.

interface RareVm {
    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    struct Wallet {
        address addr;
        uint256 publicKeyX;
        uint256 publicKeyY;
        uint256 privateKey;
    }

    struct FfiResult {
        int32 exitCode;
        bytes stdout;
        bytes stderr;
    }

    function activeFork() external view returns (uint256);
    function assertApproxEqAbs(uint256 left, uint256 right, uint256 most) external pure;
    function assertApproxEqAbs(int256 left, int256 right, uint256 most) external pure;
    function assertApproxEqRel(uint256 left, uint256 right, uint256 most) external pure;
    function assertApproxEqRel(int256 left, int256 right, uint256 most) external pure;
    function assertEqDecimal(uint256 left, uint256 right, uint256 decimals) external pure;
    function assertApproxEqAbsDecimal(uint256 left, uint256 right, uint256 most, uint256 decimals) external pure;
    function assumeNoRevert() external pure;
    function assumeNoRevert(PotentialRevert calldata one) external pure;
    function assumeNoRevert(PotentialRevert[] calldata several) external pure;
    function attachBlob(bytes calldata blob) external;
    function cloneAccount(address source, address target) external;
    function cool(address target) external;
    function createDir(string calldata path, bool recursive) external;
    function createFork(string calldata name) external returns (uint256);
    function createSelectFork(string calldata name) external returns (uint256);
    function createSelectFork(string calldata name, uint256 number) external returns (uint256);
    function createWallet(string calldata label) external returns (Wallet memory);
    function createWallet(uint256 key) external returns (Wallet memory);
    function deleteStateSnapshot(uint256 id) external returns (bool);
    function deleteStateSnapshots() external;
    function deriveKey(string calldata words, uint32 index) external pure returns (uint256);
    function deriveKey(string calldata words, string calldata path, uint32 index) external pure returns (uint256);
    function exists(string calldata path) external view returns (bool);
    function expectEmitAnonymous() external;
    function expectEmitAnonymous(address emitter) external;
    function expectEmitAnonymous(bool t0, bool t1, bool t2, bool t3, bool data) external;
    function expectEmitAnonymous(bool t0, bool t1, bool t2, bool t3, bool data, address emitter) external;
    function expectEmit(bool t1, bool t2, bool t3, bool data, uint64 count) external;
    function expectEmit(bool t1, bool t2, bool t3, bool data, address emitter, uint64 count) external;
    function expectCallMinGas(address callee, uint256 value, uint64 gas, bytes calldata data, uint64 count) external;
    function expectCreate(bytes calldata code, address deployer) external;
    function expectCreate2(bytes calldata code, address deployer) external;
    function ffi(string[] calldata words) external returns (bytes memory);
    function tryFfi(string[] calldata words) external returns (FfiResult memory);
    function fromRlp(bytes calldata data) external pure returns (bytes[] memory);
    function toRlp(bytes[] calldata data) external pure returns (bytes memory);
    function getBlockNumber() external view returns (uint256);
    function getChainId() external view returns (uint256);
    function getFoundryVersion() external view returns (string memory);
    function getStorageSlots(address target, string calldata variable) external view returns (uint256[] memory);
    function getStateDiff() external view returns (string memory);
    function interceptInitcode() external;
    function isContext(uint8 context) external view returns (bool);
    function isDir(string calldata path) external view returns (bool);
    function isFile(string calldata path) external view returns (bool);
    function keyExists(string calldata json, string calldata key) external view returns (bool);
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function keyExistsToml(string calldata toml, string calldata key) external view returns (bool);
    function mockCalls(address callee, bytes calldata data, bytes[] calldata outputs) external;
    function mockCallRevert(address callee, bytes calldata data, bytes calldata output) external;
    function mockCallRevert(address callee, uint256 value, bytes calldata data, bytes calldata output) external;
    function mockCallRevert(address callee, bytes4 data, bytes calldata output) external;
    function mockFunction(address callee, address target, bytes calldata data) external;
    function clearMockedCalls() external;
    function expectRevert(address reverter, uint64 count) external;
    function parseJson(string calldata json) external pure returns (bytes memory);
    function parseJson(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
    function parseJsonAddressArray(string calldata json, string calldata key) external pure returns (address[] memory);
    function parseJsonBool(string calldata json, string calldata key) external pure returns (bool);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonBytes32(string calldata json, string calldata key) external pure returns (bytes32);
    function parseJsonInt(string calldata json, string calldata key) external pure returns (int256);
    function parseJsonKeys(string calldata json, string calldata key) external pure returns (string[] memory);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function parseJsonStringArray(string calldata json, string calldata key) external pure returns (string[] memory);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function parseJsonUintArray(string calldata json, string calldata key) external pure returns (uint256[] memory);
    function parseToml(string calldata toml, string calldata key) external pure returns (bytes memory);
    function parseTomlString(string calldata toml, string calldata key) external pure returns (string memory);
    function parseTomlUint(string calldata toml, string calldata key) external pure returns (uint256);
    function parseTomlUintArray(string calldata toml, string calldata key) external pure returns (uint256[] memory);
    function parseTomlBool(string calldata toml, string calldata key) external pure returns (bool);
    function parseTomlKeys(string calldata toml, string calldata key) external pure returns (string[] memory);
    function projectRoot() external view returns (string memory);
    function publicKeyP256(uint256 key) external pure returns (uint256, uint256);
    function signP256(uint256 key, bytes32 digest) external pure returns (bytes32, bytes32);
    function signCompact(uint256 key, bytes32 digest) external pure returns (bytes32, bytes32);
    function randomAddress() external returns (address);
    function randomBytes(uint256 length) external returns (bytes memory);
    function randomUint(uint256 bits) external returns (uint256);
    function randomUint(uint256 least, uint256 most) external returns (uint256);
    function readCallers() external view returns (uint8, address, address);
    function readDir(string calldata path) external view;
    function readFile(string calldata path) external view returns (string memory);
    function readLine(string calldata path) external view returns (string memory);
    function rememberKey(uint256 key) external returns (address);
    function removeFile(string calldata path) external;
    function resetGasMetering() external;
    function resetNonce(address account) external;
    function resolveEnv(string calldata text) external view returns (string memory);
    function rollFork(uint256 number) external;
    function rpcUrl(string calldata name) external view returns (string memory);
    function rpcUrls() external view returns (string[2][] memory);
    function selectFork(uint256 id) external;
    function serializeAddress(string calldata object, string calldata key, address value)
        external
        returns (string memory);
    function serializeBool(string calldata object, string calldata key, bool value) external returns (string memory);
    function serializeBytes(string calldata object, string calldata key, bytes calldata value)
        external
        returns (string memory);
    function serializeString(string calldata object, string calldata key, string calldata value)
        external
        returns (string memory);
    function serializeUint(string calldata object, string calldata key, uint256 value)
        external
        returns (string memory);
    function serializeUint(string calldata object, string calldata key, uint256[] calldata values)
        external
        returns (string memory);
    function setArbitraryStorage(address target) external;
    function setArbitraryStorage(address target, bool overwrite) external;
    function sleep(uint256 milliseconds) external;
    function snapshot() external returns (uint256);
    function revertTo(uint256 id) external returns (bool);
    function revertToAndDelete(uint256 id) external returns (bool);
    function revertToStateAndDelete(uint256 id) external returns (bool);
    function toBase64(bytes calldata data) external pure returns (string memory);
    function toBase64URL(bytes calldata data) external pure returns (string memory);
    function unixTime() external view returns (uint256);
    function warmSlot(address target, bytes32 slot) external;
    function writeFile(string calldata path, string calldata data) external;
    function writeJson(string calldata json, string calldata path) external;
    function signAndAttachDelegation(address implementation, uint256 key) external;
    function setEvmVersion(string calldata name) external;
    function getEvmVersion() external view returns (string memory);
    function foundryVersionAtLeast(string calldata version) external view returns (bool);
    function noSuchCheatcode(uint256 number) external;
    function expectRevert(bytes4 data, address reverter) external;
    function expectPartialRevert(bytes4 data) external;
    function expectPartialRevert(bytes4 data, address reverter) external;
    function eip712HashType(string calldata type_) external pure returns (bytes32);
    function getRecordedLogsJson() external returns (string memory);
    function coolSlot(address target, bytes32 slot) external;
    function accessList(AccessItem[] calldata items) external;
    function noAccessList() external;

    struct AccessItem {
        address target;
        bytes32[] keys;
    }
}

error Small();
error Sized(uint256 number);
error Texted(string text);

/// Fails in ways that expectations tell apart.
contract Breaker {
    uint256 public count;
    Breaker public next;

    function link(Breaker other) public {
        next = other;
    }

    function bare() public pure {
        revert();
    }

    function text() public pure {
        revert("text");
    }

    function small() public pure {
        revert Small();
    }

    function sized(uint256 number) public pure {
        revert Sized(number);
    }

    function texted(string memory words) public pure {
        revert Texted(words);
    }

    function panic() public pure {
        assert(false);
    }

    function works() public {
        count++;
    }

    function deep() public view {
        next.small();
    }

    function deepCaught() public {
        try next.small() {} catch {}
        count++;
    }

    function deepOther() public view {
        try next.small() {}
        catch {
            revert("other");
        }
    }

    function burns() public pure {
        assembly {
            invalid()
        }
    }
}

contract Cell {
    event Set(uint256 v);

    uint256 public v;

    function set(uint256 to) public {
        v = to;
        emit Set(to);
    }
}

contract NeedsMoney {
    constructor() payable {
        require(msg.value == 1, "money");
    }
}

contract Constructs {
    uint256 public immutable number;
    address public immutable maker;

    constructor(uint256 given) {
        if (given == 0) revert Small();
        number = given;
        maker = msg.sender;
    }
}

contract Maker {
    function make() public returns (Constructs) {
        return new Constructs(0);
    }
}

contract Logger {
    event One(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 d);
    event Two(address indexed who, string indexed text, bytes data);
    event Three(uint256 d);
    event Hidden(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 indexed d, uint256 e) anonymous;
    event Bare() anonymous;

    function one(uint256 a, uint256 b, uint256 c, uint256 d) public {
        emit One(a, b, c, d);
    }

    function two(address who, string memory text, bytes memory data) public {
        emit Two(who, text, data);
    }

    function three(uint256 d) public {
        emit Three(d);
    }

    function many(uint256 number) public {
        for (uint256 i; i < number; i++) {
            emit Three(i);
        }
    }

    function hidden(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e) public {
        emit Hidden(a, b, c, d, e);
    }

    function bare() public {
        emit Bare();
    }

    function thenReverts(uint256 d) public {
        emit Three(d);
        revert("text");
    }

    function nested(Logger other, uint256 d) public {
        other.three(d);
    }

    function nestedAndOwn(Logger other, uint256 d) public {
        other.three(d);
        emit Three(d + 1);
    }

    function nestedTwice(Logger other, uint256 d) public {
        other.three(d);
        other.three(d);
    }

    function swallows(Logger other, uint256 d) public {
        try other.thenReverts(d) {} catch {}
    }

    function quiet() public {}
}

contract Teller {
    uint256 public got;
    bytes public lastData;

    function tell(uint256 number) public payable returns (uint256) {
        got += number;
        return number;
    }

    function tellOther(Teller other, uint256 number) public payable returns (uint256) {
        return other.tell{value: msg.value}(number);
    }

    function tellGas(Teller other, uint256 number) public returns (uint256) {
        return other.tell{gas: 50000}(number);
    }

    function tellStatic(Teller other) public view returns (uint256) {
        return other.got();
    }

    function tellSelf(uint256 number) public returns (uint256) {
        return this.tell(number);
    }

    function tellDelegated(Teller other, uint256 number) public returns (bool done) {
        (done,) = address(other).delegatecall(abi.encodeCall(this.tell, (number)));
    }

    function tellAndRevert(Teller other, uint256 number) public {
        other.tell(number);
        revert("text");
    }

    function trySwallow(Teller other, uint256 number) public {
        try this.tellAndRevert(other, number) {} catch {}
    }

    fallback() external payable {
        lastData = msg.data;
    }

    receive() external payable {}
}

contract OtherTeller {
    uint256 public got;

    function tell(uint256 number) public payable returns (uint256) {
        got = 1000 + number;
        return 2 * number;
    }
}

contract Packed {
    uint8 public a = 1;
    uint16 public b = 2;
    address public c = address(3);
    bool public d = true;
    uint256 public e = 5;
    mapping(address => uint256) public f;
    uint256[] public g;
    string public h = "short";
}

abstract contract RareTest is FullTest {
    RareVm internal constant rare = RareVm(address(vm));
}
