// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Pot {
    uint256 public a;
    mapping(address => uint256) public m;
    uint256[] public arr;

    struct S {
        uint128 x;
        uint128 y;
    }
    S public s;
    event E(uint256 indexed a, address b);
    error Bad(uint256);
    error Deep(string);

    constructor() payable {
        arr.push(4);
        s = S(1, 2);
    }

    function set(uint256 v) public payable {
        a = v;
        m[msg.sender] = v;
        emit E(v, msg.sender);
    }

    function bad(uint256 v) public pure {
        revert Bad(v);
    }

    function nested(uint256 v) public {
        a = v;
        this.bad(v);
    }

    function deep(uint256 n) public {
        if (n == 0) revert Deep("d");
        this.deep(n - 1);
    }

    function who() public view returns (address) {
        return msg.sender;
    }

    function org() public view returns (address) {
        return tx.origin;
    }

    function tset(uint256 v) public {
        assembly { tstore(0, v) }
    }

    function tget() public view returns (uint256 v) {
        assembly { v := tload(0) }
    }

    function die(address payable to) public {
        selfdestruct(to);
    }

    function take() public payable returns (uint256) {
        return msg.value;
    }
    receive() external payable {}
}

library Ext {
    function twice(uint256 x) external pure returns (uint256) {
        return x * 2;
    }

    function who() external view returns (address) {
        return address(this);
    }
}

library Ext2 {
    function four(uint256 x) external pure returns (uint256) {
        return Ext.twice(Ext.twice(x));
    }
}

library Int {
    function thrice(uint256 x) internal pure returns (uint256) {
        return x * 3;
    }
}

contract UsesExt {
    function go(uint256 x) public pure returns (uint256) {
        return Ext2.four(x);
    }
}

contract Args {
    uint256 public x;
    string public s;

    constructor(uint256 x_, string memory s_) payable {
        x = x_;
        s = s_;
        require(x_ != 13, "thirteen");
    }
}

contract Token {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;
    string public name = "T";
    uint8 public decimals = 18;

    function mint(address to, uint256 v) public {
        balanceOf[to] += v;
        totalSupply += v;
    }

    function transfer(address to, uint256 v) public returns (bool) {
        balanceOf[msg.sender] -= v;
        balanceOf[to] += v;
        return true;
    }
}

contract Ctr {
    uint256 public n;
    uint256 public m;
    address public last;
    bool public odd;

    function inc() public {
        n++;
        last = msg.sender;
    }

    function dec() public {
        require(n > 0);
        n--;
    }

    function reset() public {
        n = 0;
    }

    function setM(uint256 v) public {
        m = v;
    }

    function boom() public pure {
        revert("boom");
    }

    function asrt() public pure {
        assert(false);
    }

    function peek() public view returns (uint256) {
        require(n < 1, "x");
        return n;
    }

    function pay() public payable {
        m = msg.value;
    }
    function inside() internal {}
}
