// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Vm.sol";

interface Counted {
    function count() external returns (uint256);
}

contract Callee {
    error Custom(uint256 value);

    event Moved(address indexed from, address indexed to, uint256 amount);
    event Other(uint256 value);

    uint256 public slot0;
    address public owner;
    Callee inner;

    constructor() {
        owner = msg.sender;
    }

    function who() external payable returns (address, address, uint256) {
        return (msg.sender, tx.origin, msg.value);
    }

    function deep(Callee other) external returns (address sender, address origin) {
        (sender, origin,) = other.who();
    }

    function fails(string calldata text) external pure {
        revert(text);
    }

    function failsCustom(uint256 value) external pure returns (uint256) {
        revert Custom(value);
    }

    function failsInside(Callee other) external pure {
        other.fails("inside");
    }

    function emits(address to, uint256 amount) external {
        emit Other(1);
        emit Moved(msg.sender, to, amount);
    }

    function number(uint256 value) external pure returns (uint256) {
        return value;
    }

    function set(uint256 value) external returns (uint256) {
        slot0 += value;
        return slot0;
    }

    function nothing() external {}
}

contract Child {
    uint256 public immutable value;
    address public immutable creator = msg.sender;

    constructor(uint256 value_) payable {
        require(value_ != 13, "unlucky");
        value = value_;
    }
}

/// What calls see under pranks.
contract Pranks {
    Callee callee = new Callee();
    Callee other = new Callee();
    address constant ALICE = address(0xA11CE);
    address constant BOB = address(0xB0B);

    function once() external returns (address first, address second) {
        vm.prank(ALICE);
        (first,,) = callee.who();
        (second,,) = callee.who();
    }

    function started() external returns (address first, address second, address third) {
        vm.startPrank(ALICE);
        (first,,) = callee.who();
        (second,,) = callee.who();
        vm.stopPrank();
        (third,,) = callee.who();
    }

    function withOrigin() external returns (address sender, address inside, address back, address here) {
        vm.prank(ALICE, BOB);
        (sender, inside) = callee.deep(other);
        (, back,) = callee.who();
        here = tx.origin;
    }

    function onlyThisDepth() external returns (address deeper) {
        vm.startPrank(ALICE);
        (deeper,) = callee.deep(other);
        vm.stopPrank();
    }

    function pays() external returns (uint256 alice, uint256 value) {
        vm.deal(ALICE, 5);
        vm.prank(ALICE);
        (,, value) = callee.who{value: 2}();
        alice = ALICE.balance;
    }

    function paysTooMuch() external returns (bool ok) {
        vm.deal(ALICE, 1);
        vm.deal(address(this), 10);
        vm.prank(ALICE);
        (ok,) = address(callee).call{value: 2}(abi.encodeCall(Callee.who, ()));
    }

    function creates() external returns (address creator, address made, uint64 nonce) {
        vm.setNonce(ALICE, 3);
        vm.prank(ALICE);
        Callee created = new Callee();
        return (created.owner(), address(created), vm.getNonce(ALICE));
    }

    function broadcasts() external returns (address sender, address origin, address back) {
        vm.startBroadcast(ALICE);
        (sender, origin,) = callee.who();
        vm.stopBroadcast();
        (back,,) = callee.who();
    }

    function left() external {
        vm.startPrank(ALICE);
    }

    function seen() external returns (address sender) {
        (sender,,) = callee.who();
    }

    function leftAndReverted() external returns (address sender) {
        try this.prankAndRevert() {} catch {}
        (sender,,) = callee.who();
    }

    function prankAndRevert() external {
        vm.startPrank(ALICE);
        callee.who();
        revert();
    }

    function here() external returns (address) {
        vm.prankHere(ALICE);
        return msg.sender;
    }

    function nested() external returns (address outer, address inner) {
        vm.startPrank(ALICE);
        (inner) = this.nestedInner();
        (outer,,) = callee.who();
        vm.stopPrank();
    }

    function nestedInner() external returns (address sender) {
        require(msg.sender == ALICE, "not pranked");
        vm.startPrank(BOB);
        (sender,,) = callee.who();
        vm.stopPrank();
    }

    function twice() external {
        vm.prank(ALICE);
        vm.prank(BOB);
    }

    function delegated() external returns (address self) {
        vm.prank(ALICE, true);
        (, bytes memory output) = address(callee).delegatecall(abi.encodeCall(Callee.who, ()));
        (self,,) = abi.decode(output, (address, address, uint256));
    }

    function callers() external returns (uint8 mode, address sender, address origin) {
        vm.startPrank(ALICE, BOB);
        (mode, sender, origin) = vm.readCallers();
        vm.stopPrank();
    }
}

/// Expectations that hold, and that do not.
contract Expectations {
    Callee callee = new Callee();
    Callee other = new Callee();

    event Moved(address indexed from, address indexed to, uint256 amount);

    function revertAny() external returns (uint256) {
        vm.expectRevert();
        return callee.failsCustom(1);
    }

    function revertText() external {
        vm.expectRevert("the reason");
        callee.fails("the reason");
    }

    function revertData() external {
        vm.expectRevert(abi.encodeWithSelector(Callee.Custom.selector, 5));
        callee.failsCustom(5);
    }

    function revertPartial() external {
        vm.expectPartialRevert(Callee.Custom.selector);
        callee.failsCustom(5);
    }

    function revertSelectorAlone() external {
        vm.expectRevert(Callee.Custom.selector);
        callee.failsCustom(5);
    }

    function revertOther() external {
        vm.expectRevert(bytes("one"));
        callee.fails("two");
    }

    function revertNever() external {
        vm.expectRevert();
        callee.set(1);
    }

    function revertNothingCalled() external {
        vm.expectRevert();
    }

    function revertBy() external {
        vm.expectRevert(address(other));
        callee.failsInside(other);
    }

    function revertByOther() external {
        vm.expectRevert(address(callee));
        callee.failsInside(other);
    }

    function revertTwice() external {
        vm.expectRevert(uint64(2));
        callee.fails("a");
        callee.fails("b");
        callee.nothing();
    }

    function revertOfCreation() external {
        vm.expectRevert("unlucky");
        new Child(13);
    }

    function revertWithPrank() external {
        vm.expectRevert();
        vm.prank(address(1));
        callee.fails("x");
        callee.nothing();
    }

    function revertLowLevel() external returns (bool ok) {
        vm.expectRevert();
        (ok,) = address(callee).call(abi.encodeCall(Callee.fails, ("x")));
    }

    function countedAfterwards() external returns (uint256) {
        try this.revertNever() {} catch {}
        return callee.slot0();
    }

    function emitExact() external {
        vm.expectEmit();
        emit Moved(address(this), address(7), 9);
        callee.emits(address(7), 9);
    }

    function emitByOther() external {
        vm.expectEmit(address(other));
        emit Moved(address(this), address(7), 9);
        callee.emits(address(7), 9);
    }

    function emitLoose() external {
        vm.expectEmit(true, true, false, false);
        emit Moved(address(this), address(7), 1);
        callee.emits(address(7), 9);
    }

    function emitWrong() external {
        vm.expectEmit();
        emit Moved(address(this), address(7), 1);
        callee.emits(address(7), 9);
    }

    function emitMissing() external {
        vm.expectEmit();
        emit Moved(address(this), address(7), 1);
    }

    function callMade() external {
        vm.expectCall(address(callee), abi.encodeCall(Callee.number, (3)));
        callee.number(3);
    }

    function callSelectorOnly() external {
        vm.expectCall(address(callee), abi.encodeWithSelector(Callee.number.selector));
        callee.number(8);
    }

    function callMissing() external {
        vm.expectCall(address(callee), abi.encodeCall(Callee.number, (3)));
        callee.number(4);
    }

    function callCounted(uint256 times) external {
        vm.expectCall(address(callee), abi.encodeCall(Callee.nothing, ()), 2);
        for (uint256 i = 0; i < times; i++) callee.nothing();
    }

    function callWithValue(uint256 value) external payable {
        vm.expectCall(address(callee), 5, abi.encodeCall(Callee.who, ()));
        callee.who{value: value}();
    }

    function callThatReverts() external {
        vm.expectCall(address(callee), abi.encodeCall(Callee.fails, ("x")));
        try callee.fails("x") {} catch {}
    }

    function plain() external returns (uint256) {
        return callee.set(1);
    }
}

/// Mocks, recordings, snapshots, codes.
contract Tools {
    Callee callee = new Callee();
    address constant NOBODY = address(0xDEAD);

    event Local(uint256 indexed value, bytes data);

    function mocked() external returns (uint256 exact, uint256 byPrefix, uint256 real) {
        vm.mockCall(address(callee), abi.encodeWithSelector(Callee.number.selector), abi.encode(100));
        vm.mockCall(address(callee), abi.encodeCall(Callee.number, (5)), abi.encode(200));
        exact = callee.number(5);
        byPrefix = callee.number(6);
        vm.clearMockedCalls();
        real = callee.number(5);
    }

    function mockedNobody() external returns (uint256) {
        vm.mockCall(NOBODY, abi.encodeWithSelector(Callee.number.selector), abi.encode(1));
        return Callee(NOBODY).number(5);
    }

    function mockedQueue() external returns (uint256, uint256, uint256) {
        bytes[] memory outputs = new bytes[](2);
        (outputs[0], outputs[1]) = (abi.encode(1), abi.encode(2));
        vm.mockCalls(address(callee), abi.encodeCall(Callee.number, (5)), outputs);
        return (callee.number(5), callee.number(5), callee.number(5));
    }

    function mockedRevert() external returns (string memory text) {
        bytes memory data = abi.encodeWithSignature("Error(string)", "mocked");
        vm.mockCallRevert(address(callee), abi.encodeCall(Callee.number, (5)), data);
        try callee.number(5) {} catch Error(string memory found) {
            text = found;
        }
    }

    function mockedFunction() external returns (uint256) {
        Doubler doubler = new Doubler();
        vm.mockFunction(address(callee), address(doubler), abi.encodeWithSelector(Callee.number.selector));
        return callee.number(21);
    }

    function mockStays() external {
        vm.mockCall(address(callee), abi.encodeCall(Callee.number, (5)), abi.encode(77));
    }

    function number() external view returns (uint256) {
        return callee.number(5);
    }

    function recorded() external returns (uint256 reads, uint256 writes, bytes32 slot) {
        vm.record();
        callee.set(4);
        callee.owner();
        (bytes32[] memory r, bytes32[] memory w) = vm.accesses(address(callee));
        return (r.length, w.length, r[r.length - 1]);
    }

    function logs() external returns (uint256 count, address emitter, bytes32 topic, bytes memory data, uint256 rest) {
        emit Local(1, "");
        vm.recordLogs();
        callee.emits(address(1), 2);
        emit Local(3, "abc");
        Vm.Log[] memory found = vm.getRecordedLogs();
        count = found.length;
        emitter = found[0].emitter;
        topic = found[2].topics[1];
        data = abi.decode(found[2].data, (bytes));
        rest = vm.getRecordedLogs().length;
    }

    function snapshots() external returns (uint256 before, uint256 reverted, uint256 time, bool gone) {
        callee.set(1);
        vm.warp(50);
        uint256 id = vm.snapshotState();
        before = callee.set(10);
        vm.warp(60);
        callee.set(100);
        require(vm.revertToState(id), "first");
        reverted = callee.slot0();
        time = block.timestamp;
        callee.set(1000);
        require(vm.revertToStateAndDelete(id), "second");
        require(callee.slot0() == reverted, "again");
        gone = !vm.revertToState(id);
    }

    function snapshotInside() external returns (uint256) {
        uint256 id = vm.snapshotState();
        callee.set(1);
        try this.revertInside(id) {} catch {}
        return callee.set(0);
    }

    function revertInside(uint256 id) external {
        callee.set(10);
        vm.revertToState(id);
        require(callee.set(0) == 0, "not reverted");
        callee.set(100);
        revert();
    }

    function codes() external view returns (bool, bool) {
        return (
            keccak256(vm.getCode("Calls.sol:Callee")) == keccak256(type(Callee).creationCode),
            keccak256(vm.getDeployedCode("Doubler")) == keccak256(type(Doubler).runtimeCode)
        );
    }

    function deploys() external returns (uint256 value, address creator, uint256 balance, bool matches) {
        vm.deal(address(this), 10);
        Child child = Child(vm.deployCode("Calls.sol:Child", abi.encode(42), 3));
        return (child.value(), child.creator(), address(child).balance, child.creator() == address(this));
    }

    function deploysPranked() external returns (address creator, address second) {
        vm.prank(address(0xA11CE));
        creator = Callee(vm.deployCode("Callee")).owner();
        second = Callee(vm.deployCode("Callee", bytes32(uint256(1)))).owner();
    }

    function deployFails() external {
        vm.deployCode("Child", abi.encode(13));
    }
}

contract Doubler {
    function number(uint256 value) external pure returns (uint256) {
        return 2 * value;
    }
}
