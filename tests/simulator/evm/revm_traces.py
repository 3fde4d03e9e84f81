"""Runs programs on revm with its tracer, which can only print: reads JSON from stdin, leaves the traces on stdout."""

import json
import sys
from contextlib import suppress

import pyrevm

for program in json.load(sys.stdin):
    evm = pyrevm.EVM(gas_limit=1 << 40, spec_id="CANCUN", tracing=True)
    evm.set_block_env(pyrevm.BlockEnv(number=300, timestamp=1000, gas_limit=1 << 40))
    evm.set_balance(program["sender"], 10**30)
    for address, code in program["codes"].items():
        evm.insert_account_info(address, pyrevm.AccountInfo(nonce=1, balance=1000, code=bytes.fromhex(code)))
    with suppress(RuntimeError):
        evm.message_call(caller=program["sender"], to=program["to"], calldata=b"", value=0, gas=program["gas"] + 21_000)
