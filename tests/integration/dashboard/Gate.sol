// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Says what browsers must not believe.
contract Ledger {
    mapping(address => uint256) public paid;

    event Paid(address who, string note);

    function pay(address who, uint256 amount, string memory note) external {
        paid[who] += amount;
        emit Paid(who, note);
    }
}

contract Gate {
    Ledger public ledger = new Ledger();
    uint256 public total;
    uint256 public steps;
    bool public opened;
    string public said = "<img src=x onerror=window.hacked=1>";

    function deposit(uint256 amount) external {
        require(amount < 1000, "<img src=x onerror=window.hacked=1> \x1b[31m \xe2\x80\xaetxet");
        total += amount;
        ledger.pay(msg.sender, amount, "<script>window.hacked=1</script>");
    }

    /// Turned: ‮eurt syawla‬, and balanced, as the compiler asks for.
    function step(uint256 x) external {
        if (x % 2 == 0) {
            steps += 1;
        }
    }

    function unlock(uint256 key) external {
        if (total > 10 ** 30) {
            opened = key > 0;
        }
    }

    function digest(bytes32 word) external {
        if (keccak256(abi.encode(word)) == bytes32(uint256(1))) {
            opened = true;
        }
    }

    function broken() external pure {
        revert("always");
    }

    function say(string memory text) external {
        said = text;
    }

    function echidna_total_is_small() external view returns (bool) {
        return total < 2000;
    }

    function echidna_stays_closed() external view returns (bool) {
        return !opened;
    }
}
