// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

// Each contract fails its property. The line above it is the simplest sequence that makes it fail: fewest calls, then the
// shortest data, then the smallest values from the first call on.

abstract contract Case {
    bool internal bad;

    function echidna_holds() public view virtual returns (bool) {
        return !bad;
    }
}

// optimum: f(101)
contract Bound is Case {
    function f(uint256 a) public { if (a > 100) bad = true; }
}

// optimum: f(1000000000000000007)
contract LargeBound is Case {
    function f(uint256 a) public { if (a >= 1e18 + 7) bad = true; }
}

// optimum: f(101)
contract OddBound is Case {
    function f(uint256 a) public { if (a > 100 && a % 2 == 1) bad = true; }
}

// optimum: add(5001)
contract SumModulus is Case {
    uint256 internal total;
    function add(uint256 a) public { require(a < 1e20); total += a; }
    function echidna_holds() public view override returns (bool) { return total < 5000 || total % 7 != 3; }
}

// optimum: f(1080)
contract Modulus is Case {
    function f(uint256 a) public { if (a > 1000 && a % 97 == 13) bad = true; }
}

// optimum: f(130096)
contract LargeModulus is Case {
    function f(uint256 a) public { if (a > 123456 && a % 10007 == 5) bad = true; }
}

// optimum: f(502)
contract TwoModuli is Case {
    function f(uint256 a) public { if (a > 500 && a % 3 == 1 && a % 5 == 2) bad = true; }
}

// optimum: f(103)
contract TwoRemainders is Case {
    function f(uint256 a) public { if (a > 100 && (a % 10 == 3 || a % 10 == 7)) bad = true; }
}

// optimum: f(3000000000000000000)
contract WholeEther is Case {
    function f(uint256 a) public { if (a >= 3 ether && a % 1 ether == 0) bad = true; }
}

// optimum: f(4162)
contract Mask is Case {
    function f(uint256 a) public { if (a > 0x1000 && a & 0xff == 0x42) bad = true; }
}

// optimum: f(334)
contract Percentage is Case {
    function f(uint256 a) public { require(a < 1e30); if (a * 3 / 100 >= 10) bad = true; }
}

// optimum: f(1001, 1001)
contract Equal is Case {
    function f(uint256 a, uint256 b) public { if (a == b && a > 1000) bad = true; }
}

// optimum: f(306, 301)
contract Difference is Case {
    function f(uint256 a, uint256 b) public { if (a >= b && a - b == 5 && b > 300) bad = true; }
}

// optimum: f(304, 101)
contract Ratio is Case {
    function f(uint256 a, uint256 b) public { require(b < 1e30); if (b > 100 && a == 3 * b + 1) bad = true; }
}

// optimum: f(0, 10000)
contract SumOfTwo is Case {
    function f(uint256 a, uint256 b) public { require(a < 1e6 && b < 1e6); if (a + b == 10000) bad = true; }
}

// optimum: f(11, 11, 22)
contract SumOfThree is Case {
    function f(uint256 a, uint256 b, uint256 c) public {
        require(a < 1e30 && b < 1e30);
        if (a > 10 && b > 10 && a + b == c) bad = true;
    }
}

// optimum: f(51, 197)
contract Product is Case {
    function f(uint8 a, uint8 b) public { require(a <= 200 && b <= 200); if (uint256(a) * b > 10000) bad = true; }
}

// optimum: f(51, 52, 53)
contract Ordered is Case {
    function f(uint256 a, uint256 b, uint256 c) public { if (50 < a && a < b && b < c) bad = true; }
}

// optimum: f(17, 238)
contract ExclusiveOr is Case {
    function f(uint256 a, uint256 b) public { if (a ^ b == 0xff && a > 16) bad = true; }
}

// optimum: f(108, 101)
contract DifferenceAndModulus is Case {
    function f(uint256 a, uint256 b) public { require(b < 1e30); if (a == b + 7 && b > 100 && b % 4 == 1) bad = true; }
}

// optimum: add(235); add(255); add(255); add(255)
contract SumOverCalls is Case {
    uint256 internal count;
    function add(uint8 amount) public { count += amount; }
    function reset() public { count = 0; }
    function echidna_holds() public view override returns (bool) { return count < 1000; }
}

// optimum: inc(); inc(); inc(); inc(); inc()
contract Counter is Case {
    uint256 internal n;
    uint256 internal noise;
    function inc() public { n++; }
    function other(uint256 x) public { noise = x; }
    function echidna_holds() public view override returns (bool) { return n < 5; }
}

// optimum: first(); second(7); third()
contract Order is Case {
    uint256 internal step;
    function first() public { step = 1; }
    function second(uint256 x) public { if (step == 1 && x % 10 == 7) step = 2; }
    function third() public { if (step == 2) bad = true; }
    function noise(uint256 x) public { if (x == 3) step = 0; }
}

// optimum: deposit(101); withdraw(101)
contract Withdrawal is Case {
    uint256 internal balance;
    function deposit(uint256 a) public { require(a < 1e30); balance += a; }
    function withdraw(uint256 a) public { require(a <= balance); balance -= a; if (a > 100) bad = true; }
}

// optimum: deposit() value 1000001
contract MergedDeposits is Case {
    uint256 internal total;
    function deposit() public payable { total += msg.value; }
    function echidna_holds() public view override returns (bool) { return total <= 1000000; }
}

// optimum: pay(1001) value 1001
contract ExactPayment is Case {
    function pay(uint256 amount) public payable { if (msg.value == amount && amount > 1000) bad = true; }
}

// optimum: pay() value 50007
contract PaymentModulus is Case {
    function pay() public payable { if (msg.value > 50000 && msg.value % 1000 == 7) bad = true; }
}

// optimum: start(); finish() after 86400 s
contract Delay is Case {
    uint256 internal started;
    function start() public { if (started == 0) started = block.timestamp; }
    function finish() public { if (started != 0 && block.timestamp >= started + 1 days) bad = true; }
}

// optimum: start(); finish() after 100 blocks
contract Blocks is Case {
    uint256 internal started;
    function start() public { if (started == 0) started = block.number; }
    function finish() public { if (started != 0 && block.number >= started + 100) bad = true; }
}

// optimum: touch() after 259200 s
contract Deadline is Case {
    uint256 internal immutable created = block.timestamp;
    function touch() public { if (block.timestamp >= created + 3 days) bad = true; }
    function noise(uint256) public {}
}

// optimum: f([0, 0, 0])
contract Length is Case {
    function f(uint256[] memory a) public { if (a.length >= 3) bad = true; }
}

// optimum: f([501])
contract Element is Case {
    function f(uint256[] memory a) public { for (uint256 i; i < a.length; i++) if (a[i] > 500) bad = true; }
}

// optimum: f([200, 400, 400])
contract ArraySum is Case {
    function f(uint256[] memory a) public {
        uint256 sum;
        for (uint256 i; i < a.length; i++) { require(a[i] <= 400); sum += a[i]; }
        if (sum >= 1000) bad = true;
    }
}

// optimum: f([11, 11])
contract Duplicate is Case {
    function f(uint256[] memory a) public {
        for (uint256 i; i + 1 < a.length; i++) if (a[i] == a[i + 1] && a[i] > 10) bad = true;
    }
}

// optimum: f([1, 0])
contract Unsorted is Case {
    function f(uint256[] memory a) public { for (uint256 i; i + 1 < a.length; i++) if (a[i] > a[i + 1]) bad = true; }
}

// optimum: f([0, 0], [0, 10])
contract ParallelArrays is Case {
    function f(uint256[] memory a, uint256[] memory b) public {
        require(a.length == b.length && a.length >= 2);
        if (b[1] > 9) bad = true;
    }
}

// optimum: f([[], [5]])
contract NestedArrays is Case {
    function f(uint256[][] memory m) public { if (m.length >= 2 && m[1].length >= 1 && m[1][0] > 4) bad = true; }
}

// optimum: f("aaaaaa")
contract TextLength is Case {
    function f(string memory s) public { if (bytes(s).length > 5) bad = true; }
}

// optimum: f("x")
contract Character is Case {
    function f(string memory s) public { for (uint256 i; i < bytes(s).length; i++) if (bytes(s)[i] == "x") bad = true; }
}

// optimum: f("aama")
contract CharacterBound is Case {
    function f(string memory s) public {
        bytes memory b = bytes(s);
        if (b.length >= 4 && b[2] >= "m" && b[2] <= "z") bad = true;
    }
}

// optimum: f(0x000080)
contract ByteBound is Case {
    function f(bytes memory b) public { if (b.length >= 3 && b[2] >= 0x80) bad = true; }
}

// optimum: f(0x000003e9)
contract FixedBytes is Case {
    function f(bytes4 x) public { if (uint32(x) > 1000) bad = true; }
}

// optimum: f(-101)
contract Negative is Case {
    function f(int256 x) public { if (x < -100) bad = true; }
}

// optimum: f(101)
contract Square is Case {
    function f(int256 x) public { require(-1e9 < x && x < 1e9); if (x * x > 10000) bad = true; }
}

// optimum: f(-102)
contract NegativeModulus is Case {
    function f(int256 x) public { if (x < -100 && x % 7 == -4) bad = true; }
}

// optimum: f(-5, 11)
contract OppositeSigns is Case {
    function f(int256 x, int256 y) public { require(-1e30 < x && y < 1e30); if (x < 0 && y > 10 && x + y == 6) bad = true; }
}

// optimum: f(2)
contract Enumeration is Case {
    enum State { Idle, Running, Stopped, Gone }
    function f(State s) public { if (s == State.Stopped) bad = true; }
}

// optimum: f(0x20000)
contract AnotherAddress is Case {
    function f(address a) public { if (a != address(0) && a != msg.sender) bad = true; }
}

// optimum: join(); join() from 0x20000
contract SeveralSenders is Case {
    mapping(address => bool) internal joined;
    uint256 internal count;
    function join() public { if (!joined[msg.sender]) { joined[msg.sender] = true; count++; } }
    function echidna_holds() public view override returns (bool) { return count < 2; }
}

// optimum: act(6) from 0x30000
contract OneSender is Case {
    function act(uint256 x) public { if (msg.sender == address(0x30000) && x > 5) bad = true; }
}

// optimum: f((11, true, 0))
contract Struct is Case {
    struct Order { uint256 amount; bool urgent; int64 limit; }
    function f(Order memory o) public { if (o.amount > 10 && o.urgent) bad = true; }
}

// optimum: large(3000)
contract LargerValue is Case {
    uint256 internal total;
    function small(uint8 a) public { total += a; }
    function large(uint16 a) public { total += a; }
    function echidna_holds() public view override returns (bool) { return total < 3000; }
}

// optimum: mint(1); transfer(0x10000, 1)
contract SelfTransfer is Case {
    mapping(address => uint256) internal balances;
    uint256 internal supply;
    function mint(uint256 a) public { require(a < 1e30); balances[msg.sender] += a; supply += a; }
    function transfer(address to, uint256 a) public {
        uint256 from = balances[msg.sender];
        uint256 received = balances[to];
        require(a <= from);
        balances[msg.sender] = from - a;
        balances[to] = received + a;
        if (balances[msg.sender] > supply) bad = true;
    }
}

// optimum: set(1); hit(12)
contract Limit is Case {
    uint256 internal limit;
    function set(uint256 x) public { require(x < 1e30); limit = x; }
    function hit(uint256 x) public { if (limit > 0 && x > limit + 10) bad = true; }
}

// optimum: first(51); second(105)
contract RelationAcrossCalls is Case {
    uint256 internal a;
    function first(uint256 x) public { require(x < 1e30); a = x; }
    function second(uint256 x) public { if (a > 50 && x == 2 * a + 3) bad = true; }
}

// optimum: add(1); add(255)
contract Overflow is Case {
    uint8 internal total;
    function add(uint8 a) public { unchecked { if (uint8(total + a) < total) bad = true; total += a; } }
}

// optimum: push(); push(); use()
contract Stack is Case {
    uint256 internal depth;
    function push() public { depth++; }
    function pop() public { if (depth > 0) depth--; }
    function use() public { if (depth == 2) bad = true; }
}

// optimum: create(); create(); spend(1, 1)
contract Identifiers is Case {
    uint256 internal count;
    function create() public { count++; }
    function spend(uint256 id, uint256 amount) public { if (id > 0 && id < count && amount > 0) bad = true; }
}

// optimum: add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180); add(180)
contract ManyCalls is Case {
    uint256 internal total;
    function add(uint8 a) public { require(a <= 180); total += a; }
    function echidna_holds() public view override returns (bool) { return total < 3600; }
}

// optimum: f(0x010001)
contract Palindrome is Case {
    function f(bytes memory b) public { if (b.length >= 3 && b[0] != 0 && b[0] == b[b.length - 1]) bad = true; }
}

// optimum: f(0x00000007)
contract Checksum is Case {
    function f(bytes memory b) public {
        uint256 sum;
        for (uint256 i; i < b.length; i++) sum += uint8(b[i]);
        if (b.length >= 4 && sum % 16 == 7) bad = true;
    }
}

// optimum: f("aba")
contract Mirror is Case {
    function f(string memory s) public {
        bytes memory b = bytes(s);
        if (b.length == 3 && b[0] == b[2] && b[1] > b[0] && b[0] >= "a") bad = true;
    }
}

// optimum: give("aaa"); look("aaa")
contract Name is Case {
    mapping(bytes32 => bool) internal given;
    function give(string memory s) public { given[keccak256(bytes(s))] = true; }
    function look(string memory s) public { if (bytes(s).length > 2 && given[keccak256(bytes(s))]) bad = true; }
}

// optimum: open(0); close(0)
contract Key is Case {
    mapping(uint256 => bool) internal isOpen;
    function open(uint256 id) public { isOpen[id] = true; }
    function close(uint256 id) public { if (isOpen[id]) bad = true; }
}

// optimum: act(1); act(2); act(3)
contract Nonce is Case {
    uint256 internal last;
    uint256 internal run;
    function act(uint256 n) public { require(n > 0 && n < 1e30); run = n == last + 1 && last > 0 ? run + 1 : 1; last = n; }
    function echidna_holds() public view override returns (bool) { return run < 3; }
}

// optimum: f(false, false, true)
contract Parity is Case {
    function f(bool a, bool b, bool c) public { if (a != b != c) bad = true; }
}

// optimum: f(11, 121)
contract SquareOf is Case {
    function f(uint256 a, uint256 b) public { require(a < 1e9); if (a > 10 && b == a * a) bad = true; }
}

// optimum: f(115792089237316195423570985008687907853269984665640564039457584007913129639836)
contract NearLimit is Case {
    function f(uint256 a) public { if (a > type(uint256).max - 100) bad = true; }
}

// optimum: f(-170141183460469231731687303715884105728)
contract LeastSigned is Case {
    function f(int128 a) public { if (a == type(int128).min) bad = true; }
}

// optimum: give(0x20000, 1); burn(0x20000)
contract SameAddress is Case {
    mapping(address => uint256) internal balances;
    function give(address to, uint256 a) public { require(to != msg.sender && to != address(0)); balances[to] = a; }
    function burn(address from) public { require(from != msg.sender); if (balances[from] > 0) bad = true; }
}

// optimum: bid() value 1; bid() value 12 from 0x20000
contract Auction is Case {
    uint256 internal highest;
    address internal leader;
    function bid() public payable {
        require(msg.value > 0);
        if (leader != address(0) && leader != msg.sender && msg.value > highest + 10) bad = true;
        highest = msg.value;
        leader = msg.sender;
    }
}

// optimum: lock(); wake() after 3600 s; wake() after 3600 s
contract TwoDelays is Case {
    uint256 internal stage;
    uint256 internal since;
    function lock() public { if (stage == 0) { stage = 1; since = block.timestamp; } }
    function wake() public {
        require(stage > 0 && block.timestamp >= since + 1 hours);
        since = block.timestamp;
        if (++stage == 3) bad = true;
    }
}

// optimum: f([0, 1, 2])
contract Ascending is Case {
    function f(uint256[] memory a) public { if (a.length >= 3 && a[0] < a[1] && a[1] < a[2]) bad = true; }
}

// optimum: f([3, 0], 2)
contract Counted is Case {
    function f(uint64[] memory a, uint256 n) public { if (a.length == n && n >= 2 && a[0] > 2) bad = true; }
}

// optimum: f([6, 0, 0])
contract FixedArray is Case {
    function f(uint16[3] memory a) public { if (a[0] > 5) bad = true; }
}

// optimum: f([5], [5])
contract EqualArrays is Case {
    function f(uint256[] memory a, uint256[] memory b) public {
        if (a.length > 0 && a[0] > 4 && keccak256(abi.encode(a)) == keccak256(abi.encode(b))) bad = true;
    }
}

// optimum: deposit(3, 1001)
contract MergedById is Case {
    mapping(uint256 => uint256) internal amounts;
    function deposit(uint256 id, uint128 a) public { require(id >= 3 && id < 100); amounts[id] += a; if (amounts[id] > 1000) bad = true; }
}

// optimum: add(1, 11); sub(1, 11)
contract Net is Case {
    uint256 internal total;
    function add(uint256 k, uint256 a) public { require(a < 1e30 && k > 0); total += a; }
    function sub(uint256 k, uint256 a) public { require(k > 0 && a > 10); if (total == a) bad = true; }
}

// optimum: f((5, 0x0), [(0, 0x10000)])
contract Structs is Case {
    struct Point { uint64 x; address owner; }
    function f(Point memory p, Point[] memory ps) public {
        require(p.x > 4 && ps.length > 0);
        if (ps[ps.length - 1].owner == msg.sender) bad = true;
    }
}

// optimum: f(10007, 0)
contract LargerOfTwo is Case {
    function f(uint256 a, uint256 b) public { if ((a > b ? a : b) > 10006 && a != b && a > b) bad = true; }
}

// optimum: borrow(75) value 100
contract LoanToValue is Case {
    function borrow(uint256 d) public payable { if (msg.value >= 100 && d * 100 >= msg.value * 75 && d <= msg.value) bad = true; }
}

// optimum: f(1, 99)
contract Hundred is Case {
    function f(uint8 a, uint8 b) public { if (a > 0 && uint256(a) + b == 100) bad = true; }
}

// optimum: reg(1); reg(2); reg(3)
contract DistinctCalls is Case {
    mapping(uint256 => bool) s; uint256 n;
    function reg(uint256 id) public { require(id > 0 && id < 1e30 && !s[id]); s[id] = true; if (++n == 3) bad = true; }
}

// optimum: f([1, 2, 3])
contract DistinctArray is Case {
    function f(uint256[] memory a) public { require(a.length >= 3); if (a[0] != a[1] && a[1] != a[2] && a[0] != a[2] && a[0] * a[1] * a[2] != 0) bad = true; }
}

// optimum: set(8); check(64)
contract RootAcrossCalls is Case {
    uint256 x;
    function set(uint256 a) public { require(a < 1e20); x = a; }
    function check(uint256 y) public { if (x > 7 && y == x * x) bad = true; }
}

// optimum: f(1000, 3000, 2)
contract ProductOfTwo is Case {
    function f(uint256 a, uint256 b, uint256 k) public { require(a < 1e30 && k < 1e9); if (a >= 1000 && k >= 2 && b == a * (k + 1)) bad = true; }
}

// optimum: add(1000); add(4001)
contract TwoSummands is Case {
    uint256 t;
    uint256 n;
    function add(uint256 a) public { require(a >= 1000 && a < 1e20); t += a; n++; }
    function echidna_holds() public view override returns (bool) { return n < 2 || t < 5000 || t % 7 != 3; }
}

// optimum: f(-1000000, 1)
contract NegativeMultiple is Case {
    function f(int256 a, int256 b) public { require(b > 0 && b < 1e30); if (a == -b * 1000000) bad = true; }
}

// optimum: f(65793)
contract EachByte is Case {
    function f(uint256 a) public { if (uint8(a) > 0 && uint8(a >> 8) > 0 && uint8(a >> 16) > 0) bad = true; }
}

// optimum: f(6, 5)
contract Near is Case {
    function f(uint256 a, uint256 b) public { if (b > 4 && a > b && a - b < 3) bad = true; }
}

// optimum: a(1); b(2) from 0x20000; c() value 3 after 60 s
contract Everything is Case {
    uint256 s;
    address w;
    uint256 t;
    function a(uint256 x) public { require(x > 0); s = 1; w = msg.sender; t = block.timestamp; }
    function b(uint256 x) public { require(s == 1 && msg.sender != w && x > 1); s = 2; }
    function c() public payable { if (s == 2 && msg.sender == w && msg.value > 2 && block.timestamp >= t + 60) bad = true; }
}

// optimum: f(21, 3)
contract Divisor is Case {
    function f(uint256 a, uint256 b) public { if (a > 20 && b > 1 && a != b && a % b == 0) bad = true; }
}

// optimum: f(1, 2, 141)
contract Weighted is Case {
    function f(uint8 a, uint8 b, uint8 c) public { if (a > 0 && b > 0 && c > 0 && 3 * uint256(a) + 5 * uint256(b) + 7 * uint256(c) == 1000) bad = true; }
}

// optimum: deposit(10); donate(30); check()
contract Donation is Case {
    uint256 shares;
    uint256 extra;
    function deposit(uint256 a) public { require(a > 0 && a < 1e24); shares += a; }
    function donate(uint256 a) public { require(a < 1e30); extra += a; }
    function check() public { if (shares >= 10 && extra >= 3 * shares) bad = true; }
}

// optimum: f([0, 0, 51], 2)
contract Index is Case {
    function f(uint256[] memory a, uint256 i) public { if (i < a.length && i > 1 && a[i] > 50) bad = true; }
}

// optimum: f([235, 255, 255, 255])
contract FullElements is Case {
    function f(uint8[] memory a) public {
        uint256 sum;
        for (uint256 i = 0; i < a.length; i++) sum += a[i];
        if (sum >= 1000) bad = true;
    }
}

// optimum: f([(0, true), (100, true)])
contract LiveItems is Case {
    struct Item { uint128 amount; bool live; }
    function f(Item[] memory items) public {
        uint256 sum;
        uint256 live;
        for (uint256 i = 0; i < items.length; i++) if (items[i].live) { sum += items[i].amount; live++; }
        if (live > 1 && sum > 99) bad = true;
    }
}

// optimum: f((0x10000, [0, 99], "aa"))
contract NestedStruct is Case {
    struct Order { address who; uint64[2] limits; string note; }
    function f(Order memory o) public {
        if (o.limits[0] < o.limits[1] && o.limits[1] % 100 == 99 && bytes(o.note).length == 2 && o.who != address(0)) bad = true;
    }
}

// optimum: f("aa", "aa")
contract EqualTexts is Case {
    function f(string memory a, string memory b) public { if (bytes(a).length > 1 && bytes(a).length == bytes(b).length && bytes(a)[0] == bytes(b)[0]) bad = true; }
}

// optimum: f("0aaz")
contract FirstAndLast is Case {
    function f(string memory a) public { bytes memory b = bytes(a); if (b.length >= 4 && b[0] == "0" && b[b.length - 1] == "z") bad = true; }
}

// optimum: f(0x012d0001)
contract Header is Case {
    function f(bytes memory b) public { if (b.length >= 4 && uint256(uint8(b[0])) * 256 + uint8(b[1]) > 300 && b[3] == b[0]) bad = true; }
}

// optimum: f(1701411834604692317316873037158841058280)
contract PackedWord is Case {
    function f(uint256 a) public { if (uint128(a) >= 1000 && uint64(a >> 128) == 5) bad = true; }
}

// optimum: f(0x000000000000000a00000000000000000000000000000000000000000000000a)
contract PackedTwice is Case {
    function f(bytes32 a) public { uint64 top = uint64(uint256(a) >> 192); if (top > 9 && top == uint64(uint256(a))) bad = true; }
}

// optimum: f(1, -1001)
contract SignedProduct is Case {
    function f(int128 a, int128 b) public { if (a > b && int256(a) * int256(b) < -1000) bad = true; }
}

// optimum: f(-6, 14)
contract SignedDistance is Case {
    function f(int64 a, int64 b) public { if (a < -5 && int256(b) - int256(a) == 20) bad = true; }
}

// optimum: f(-1267650600228229401496703206007)
contract SignedRemainder is Case {
    function f(int256 a) public { if (a < -(2 ** 100) && a % 1000 == -7) bad = true; }
}

// optimum: open(); join(8) from 0x20000; close() from 0x30000
contract ThreeParties is Case {
    address first;
    address second;
    function open() public { require(first == address(0)); first = msg.sender; }
    function join(uint256 stake) public { require(first != address(0) && msg.sender != first && stake > 7); second = msg.sender; }
    function close() public { if (second != address(0) && msg.sender != first && msg.sender != second) bad = true; }
}

// optimum: claim(); set(101); hit() from 0x20000
contract Role is Case {
    address owner;
    uint256 level;
    function claim() public { require(owner == address(0)); owner = msg.sender; }
    function set(uint256 a) public { require(msg.sender == owner); level = a; }
    function hit() public { if (level > 100 && msg.sender != owner) bad = true; }
}

// optimum: start(); finish() after 1000 s after 3 blocks
contract Window is Case {
    uint256 time;
    uint256 number;
    function start() public { time = block.timestamp; number = block.number; }
    function finish() public { uint256 d = block.timestamp - time; if (time > 0 && d >= 1000 && d <= 2000 && block.number >= number + 3) bad = true; }
}

// optimum: start(); ping() after 50 s; finish() after 450 s
contract Pinged is Case {
    uint256 began;
    uint256 pinged;
    function start() public { require(began == 0); began = block.timestamp; }
    function ping() public { require(began > 0 && block.timestamp >= began + 50); pinged = block.timestamp; }
    function finish() public { if (pinged > 0 && block.timestamp >= began + 500 && block.timestamp >= pinged + 100) bad = true; }
}

// optimum: make(11); grant(12); send(24)
contract Pipeline is Case {
    uint256 x;
    uint256 y;
    function make(uint256 a) public { require(a > 10 && a < 1e30); x = a; }
    function grant(uint256 b) public { require(x > 0 && b == x + 1); y = b; }
    function send(uint256 c) public { if (y > 0 && c == 2 * y) bad = true; }
}

// optimum: vote(true); vote(true) from 0x20000; vote(true) from 0x30000
contract Quorum is Case {
    mapping(address => bool) voted;
    uint256 yes;
    function vote(bool support) public { require(!voted[msg.sender]); voted[msg.sender] = true; if (support && ++yes == 3) bad = true; }
}

// optimum: push(); push(); pop(); pop(); last()
contract UpAndDown is Case {
    uint256 depth;
    uint256 most;
    uint256 popped;
    function push() public { depth++; if (depth > most) most = depth; }
    function pop() public { require(depth > 0); depth--; popped++; }
    function last() public { if (most >= 2 && depth == 0 && popped > 1) bad = true; }
}

// optimum: swap(1003)
contract Pool is Case {
    function swap(uint256 x) public { require(x < 1e30); if (1e6 * x / (1e6 + x) > 1000) bad = true; }
}

// optimum: f(1024)
contract PowerOfTwo is Case {
    function f(uint256 a) public { if (a > 1000 && a & (a - 1) == 0) bad = true; }
}

// optimum: f(79)
contract FiveBits is Case {
    function f(uint256 a) public {
        uint256 bits;
        for (uint256 rest = a; rest > 0; rest &= rest - 1) bits++;
        if (a > 64 && bits == 5) bad = true;
    }
}

// optimum: f(299)
contract DigitSum is Case {
    function f(uint32 a) public {
        uint256 sum;
        for (uint256 rest = a; rest > 0; rest /= 10) sum += rest % 10;
        if (a >= 100 && sum == 20) bad = true;
    }
}

// optimum: f(2, 4, 8)
contract Progression is Case {
    function f(uint8 a, uint8 b, uint8 c) public { if (a > 1 && a < b && b < c && uint256(a) * c == uint256(b) * b) bad = true; }
}

// optimum: deposit() value 10; pay(0x0, 10)
contract Payment is Case {
    mapping(address => uint256) held;
    function deposit() public payable { held[msg.sender] += msg.value; }
    function pay(address to, uint256 amount) public { if (amount > 9 && to != msg.sender && held[msg.sender] >= amount) bad = true; }
}

// optimum: f([0x10000, 0x20000])
contract SortedAddresses is Case {
    function f(address[] memory a) public { if (a.length == 2 && a[0] != address(0) && a[0] < a[1]) bad = true; }
}

// optimum: f(12, 35)
contract Pythagoras is Case {
    function f(uint16 a, uint16 b) public { uint256 s = uint256(a) * a + uint256(b) * b; if (a > 11 && b > a && s == 37 * 37) bad = true; }
}

// optimum: borrow(0x0, 76) value 100
contract Collateral is Case {
    function borrow(address, uint256 amount) public payable { require(msg.value >= 100 && msg.value < 1e30); if (amount * 4 > 3 * msg.value && amount <= msg.value) bad = true; }
}

// optimum: f([1, 1], [0, 11])
contract Dot is Case {
    function f(uint128[] memory a, uint128[] memory b) public {
        require(a.length == b.length && a.length == 2);
        if (a[0] > 0 && a[1] > 0 && uint256(a[0]) * b[0] + uint256(a[1]) * b[1] > 10) bad = true;
    }
}

// optimum: bid(1); bid(2) from 0x20000; bid(4); settle()
contract Doubled is Case {
    uint256 top;
    uint256 bids;
    address last;
    function bid(uint256 a) public { require(a >= 2 * top && a > 0 && a < 1e30 && msg.sender != last); top = a; last = msg.sender; bids++; }
    function settle() public { if (bids >= 3) bad = true; }
}

// optimum: f(-3, 2, 1)
contract ZeroSum is Case {
    function f(int64 a, int64 b, int64 c) public { if (a < -2 && b > c && c > 0 && int256(a) + b + c == 0) bad = true; }
}

// optimum: name("b"); use("b")
contract Registry is Case {
    bytes32 known;
    function name(string memory a) public { require(bytes(a).length > 0 && bytes(a)[0] != "a"); known = keccak256(bytes(a)); }
    function use(string memory a) public { if (known != 0 && keccak256(bytes(a)) == known) bad = true; }
}

// optimum: f(0x00010203)
contract RisingBytes is Case {
    function f(bytes4 a) public { if (a[0] < a[1] && a[1] < a[2] && a[2] < a[3]) bad = true; }
}

// optimum: lock(86400); open() after 86400 s from 0x20000
contract Locked is Case {
    uint256 until;
    address who;
    function lock(uint256 time) public { require(time >= 1 days && time < 1e9); until = block.timestamp + time; who = msg.sender; }
    function open() public { if (until > 0 && block.timestamp >= until && msg.sender != who) bad = true; }
}

// optimum: f((1, 2), (3, 4))
contract Points is Case {
    struct Point { uint32 x; uint32 y; }
    function f(Point memory a, Point memory b) public { if (a.x > 0 && a.y > a.x && b.x > a.y && b.y > b.x) bad = true; }
}

// optimum: add(2); add(3); sub(5)
contract Balance is Case {
    uint256 total;
    function add(uint8 a) public { require(a <= 3); total += a; }
    function sub(uint8 a) public { require(a <= total); total -= a; if (a == 5) bad = true; }
}

// optimum: f(1000, 999)
contract Fee is Case {
    function f(uint256 amount, uint256 paid) public { require(amount >= 1000 && amount < 1e30); if (paid < amount && paid * 1000 >= amount * 999) bad = true; }
}
