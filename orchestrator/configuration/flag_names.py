"""The flags by which a command line sets the keys that decide what a campaign does."""

from __future__ import annotations

from typing import Final

FLAG_NAMES: Final = {
    "contract": "--contract",
    "constructorValues": "--constructor-args",
    "allContracts": "--all-contracts",
    "testMode": "--test-mode",
    "testLimit": "--test-limit",
    "timeout": "--timeout",
    "seqLen": "--seq-len",
    "shrinkLimit": "--shrink-limit",
    "stopOnFail": "--stop-on-fail",
    "sender": "--sender",
    "deployer": "--deployer",
    "contractAddr": "--contract-addr",
    "rpcBlock": "--rpc-block",
    "solcArgs": "--solc-args",
    "solcVersion": "--solc-version",
    "solcPath": "--solc",
    "allowPaths": "--allow-paths",
    "exclude": "--exclude",
    "trustProject": "--trust-project",
    "fetchVyper": "--fetch-vyper",
    "seed": "--seed",
    "workers": "--workers",
}
"""By key, in the order in which a command names them."""
