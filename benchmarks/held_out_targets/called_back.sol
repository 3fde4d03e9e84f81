// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface IHook { function onPaid(uint256 amount) external; }

contract HookedBank {
    mapping(address => uint256) public credit;
    uint256 public owed;
    uint256 public held;

    function put(address who, uint256 amount) external {
        credit[who] += amount;
        owed += amount;
        held += amount;
    }
    function pay(uint256 amount) external {
        require(credit[msg.sender] >= amount && amount >= 10, "credit");
        require(held >= amount, "empty");
        held -= amount;
        IHook(msg.sender).onPaid(amount);
        unchecked { credit[msg.sender] -= amount; owed -= amount; }
    }
}

// The bank writes down what it paid after it has called its customer.
contract CalledBack is IHook {
    HookedBank private bank = new HookedBank();
    bool private armed;
    uint256 private depth;

    constructor() { bank.put(address(0xbeef), 1e18); }

    function deposit(uint64 amount) external { require(amount < 1e9); bank.put(address(this), amount); }
    function arm(uint256 word) external { armed = word % 97 == 13; }
    function withdraw(uint256 amount) external {
        depth = 0;
        bank.pay(amount);
    }
    function onPaid(uint256 amount) external {
        require(msg.sender == address(bank), "bank only");
        if (armed && depth++ == 0) bank.pay(amount);
    }

    function echidna_bank_can_pay() external view returns (bool) { return bank.held() >= 1e18; }
}
