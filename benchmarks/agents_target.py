"""A large target for `benchmarks.agents`, and a corpus of thousands of entries for it, both made by this program."""

from __future__ import annotations

from pathlib import Path

from simulator.abi.contract import ContractAbi
from simulator.corpus.echidna_json import render_sequence
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import Folder
from simulator.evm.addresses import contract_address
from simulator.transaction import Transaction, address_bytes, wei_bytes

NAME = "LargeTarget"
ADDRESS = 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72
SENDER = 0x10000
MODULES = 10
FUNCTIONS = 50
BRANCHES = 10
ENTRIES = MODULES * FUNCTIONS * BRANCHES
CONFIGURATION = """# All modules are called, not only the contract that deploys them.
testMode: property
excludeViewPure: true
allContracts: true
seqLen: 100
"""


def write_target(folder: Path) -> Path:
    """Write the contract, its configuration and its corpus; returns the file of the contract."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{NAME}.sol"
    file.write_text(_source())
    (folder / "campaign.yaml").write_text(CONFIGURATION)
    corpus = folder / "corpus" / Folder.COVERAGE.value
    corpus.mkdir(parents=True)
    for module in range(MODULES):
        for function in range(FUNCTIONS):
            for branch in range(BRANCHES):
                sequence = (_call(module, function, branch),)
                # Not as the corpus itself does, which waits for the disk at each of them.
                (corpus / f"{sequence_hash(sequence)}.txt").write_bytes(render_sequence(sequence, lambda _: _ABI))
    return file


def _key(module: int, function: int, branch: int) -> int:
    """The value that a branch asks for; no two are the same."""
    return 1_000_003 * (1 + branch + BRANCHES * (function + FUNCTIONS * module)) % 2**64


def _source() -> str:
    modules = "\n".join(map(_module, range(MODULES)))
    fields = "\n".join(f"    Module{index} public module{index} = new Module{index}();" for index in range(MODULES))
    total = " + ".join(f"module{index}.entries()" for index in range(MODULES))
    return f"""// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

{modules}
contract {NAME} {{
{fields}

    function echidna_total() public view returns (bool) {{
        return {total} < type(uint256).max;
    }}
}}
"""


def _module(index: int) -> str:
    functions = "\n".join(_function(index, function) for function in range(FUNCTIONS))
    return f"""contract Module{index} {{
    uint256 public entries;
    mapping(uint256 => uint256) public marks;
    mapping(address => uint256) public balances;

{functions}
}}
"""


def _function(module: int, function: int) -> str:
    branches = "\n".join(
        f"        if (amount == {_key(module, function, branch)}) {{\n"
        f"            marks[{branch + BRANCHES * function}] += 1;\n"
        "        }"
        for branch in range(BRANCHES)
    )
    return f"""    function post{function + FUNCTIONS * module}(uint256 amount, address account) public {{
        entries += 1;
{branches}
        balances[account] += amount % 97;
    }}
"""


def _abi() -> ContractAbi:
    inputs = [{"name": "amount", "type": "uint256"}, {"name": "account", "type": "address"}]
    rest = {"type": "function", "inputs": inputs, "outputs": [], "stateMutability": "nonpayable"}
    return ContractAbi.from_json([{"name": f"post{index}", **rest} for index in range(MODULES * FUNCTIONS)])


def _call(module: int, function: int, branch: int) -> Transaction:
    # The contract deploys its modules first, in their order, and a contract's nonce begins with one.
    address = address_bytes(contract_address(ADDRESS, module + 1))
    data = _FUNCTIONS[f"post{function + FUNCTIONS * module}"].encode_call((_key(module, function, branch), SENDER))
    return Transaction(address_bytes(SENDER), address, data, wei_bytes(0))


_ABI = _abi()
_FUNCTIONS = {each.name: each for each in _ABI.functions}
