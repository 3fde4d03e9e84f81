// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// What mutants are made of: every kind of operation, in numbers of several sizes.
contract Subject {
    struct Account {
        uint128 amount;
        uint64 nonce;
        bool frozen;
    }

    uint256 public constant FEE = 30;
    uint256 public total;
    int256 public balance;
    int128 public small;
    uint8 public tiny;
    address public owner;
    bool public open = true;
    uint256[] public list;
    mapping(address account => Account) public accounts;

    modifier onlyOpen() {
        require(open, "closed");
        _;
    }

    constructor() {
        owner = msg.sender;
        total = 7;
    }

    function add(uint256 a, uint256 b) external onlyOpen returns (uint256) {
        total += a % 1000;
        uint256 sum = a + b;
        return sum * 2 - b / 3;
    }

    function signed(int256 a, int256 b) external returns (int256 result) {
        if (a < b) {
            result = a - b;
        } else if (a >= 100 && b != 0) {
            result = a / b;
        } else {
            result = a * 3 + b % 7;
        }
        balance = result;
    }

    function narrow(int128 a, uint8 b) external returns (int128) {
        small += a;
        tiny = b - 1;
        if (tiny > 200 || small <= -5) {
            small = a * 2;
        }
        return small;
    }

    function loose(uint256 a, uint256 b) external returns (uint256 c) {
        unchecked {
            c = a - b;
            c += a * b;
        }
        total = c & 0xffff;
    }

    function own(address next) external {
        require(msg.sender == owner, "not the owner");
        owner = next;
    }

    function toggle() external {
        open = !open;
        delete tiny;
    }

    function pay(address to, uint128 amount) external {
        Account storage account = accounts[to];
        if (account.frozen) revert("frozen");
        account.amount += amount;
        account.nonce++;
        account.frozen = account.amount > 1_000_000 ? true : false;
    }

    function collect(uint256 count) external returns (uint256 sum) {
        for (uint256 i = 0; i < count % 10; i++) {
            list.push(i * FEE);
            sum += list[list.length - 1];
        }
        while (sum > 5000) {
            sum -= 1000;
        }
    }

    function ask(uint256 a) external view returns (uint256) {
        return this.double(a) + this.double(a / 2);
    }

    function double(uint256 a) external pure returns (uint256) {
        require(a <= type(uint256).max / 2);
        return a << 1;
    }

    function echidna_true() external pure returns (bool) {
        return true;
    }
}
