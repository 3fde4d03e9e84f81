"""Parses state-test files into single cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import SimulatorError


class StateTestError(SimulatorError):
    """A file is not a state test. The message names the file and the place."""

    code = "E_STATE_TEST"


@dataclass(frozen=True)
class AccountState:
    balance: int
    nonce: int
    code: bytes
    storage: Mapping[int, int]


@dataclass(frozen=True)
class Authorization:
    """One entry of an EIP-7702 list; `signer` is None when the signature recovers to none."""

    chain_id: int
    address: int
    nonce: int
    y_parity: int
    r: int
    s: int


@dataclass(frozen=True)
class TransactionInput:
    """One transaction. Numbers may exceed their ranges: that makes it invalid. `to` None creates."""

    sender: int
    to: int | None
    data: bytes
    value: int
    gas_limit: int
    nonce: int
    gas_price: int | None
    max_fee: int | None
    max_priority_fee: int | None
    access_list: tuple[tuple[int, tuple[int, ...]], ...]
    has_access_list: bool
    blob_hashes: tuple[int, ...] | None
    max_blob_fee: int | None
    authorizations: tuple[Authorization, ...] | None


@dataclass(frozen=True)
class BlockInput:
    coinbase: int
    number: int
    timestamp: int
    gas_limit: int
    difficulty: int
    random: int | None
    base_fee: int | None
    excess_blob_gas: int | None


@dataclass(frozen=True)
class Case:
    """One transaction on one state under one fork, and what it must lead to."""

    file: str
    name: str
    fork: str
    indexes: tuple[int, int, int]
    block: BlockInput
    pre: Mapping[int, AccountState]
    transaction: TransactionInput
    state_root: bytes
    logs_hash: bytes
    expects_exception: bool

    @property
    def title(self) -> str:
        data, gas, value = self.indexes
        return f"{self.name}[{self.fork}, data {data}, gas {gas}, value {value}]"


def _number(text: str | None) -> int:
    """A number in the tests' notation: 0x-hex, decimal, or `0x:bigint 0x...`; missing and empty mean 0."""
    if not text:
        return 0
    text = text.removeprefix("0x:bigint ")
    return int(text, 16) if text.startswith("0x") and len(text) > 2 else int(text.removeprefix("0x") or "0")


def _optional(values: Mapping[str, Any], name: str) -> int | None:
    return _number(values[name]) if name in values else None


def _data(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _account(values: Mapping[str, Any]) -> AccountState:
    storage = {_number(key): _number(value) for key, value in values.get("storage", {}).items()}
    return AccountState(_number(values["balance"]), _number(values["nonce"]), _data(values["code"]), storage)


def _block(values: Mapping[str, Any]) -> BlockInput:
    return BlockInput(
        coinbase=_number(values["currentCoinbase"]),
        number=_number(values["currentNumber"]),
        timestamp=_number(values["currentTimestamp"]),
        gas_limit=_number(values["currentGasLimit"]),
        difficulty=_number(values.get("currentDifficulty")),
        random=_optional(values, "currentRandom"),
        base_fee=_optional(values, "currentBaseFee"),
        excess_blob_gas=_optional(values, "currentExcessBlobGas"),
    )


def _access_list(values: Mapping[str, Any], index: int) -> tuple[tuple[tuple[int, tuple[int, ...]], ...], bool]:
    lists = values.get("accessLists")
    if not lists or index >= len(lists) or lists[index] is None:
        return (), lists is not None
    entries = tuple(
        (_number(entry["address"]), tuple(_number(key) for key in entry["storageKeys"])) for entry in lists[index]
    )
    return entries, True


def _authorizations(values: Mapping[str, Any]) -> tuple[Authorization, ...] | None:
    if "authorizationList" not in values:
        return None
    return tuple(
        Authorization(
            chain_id=_number(entry["chainId"]),
            address=_number(entry["address"]),
            nonce=_number(entry["nonce"]),
            y_parity=_number(entry.get("yParity", entry.get("v"))),
            r=_number(entry["r"]),
            s=_number(entry["s"]),
        )
        for entry in values["authorizationList"]
    )


def _transaction(values: Mapping[str, Any], indexes: tuple[int, int, int], sender: int) -> TransactionInput:
    data, gas, value = indexes
    entries, has_list = _access_list(values, data)
    hashes = values.get("blobVersionedHashes")
    return TransactionInput(
        sender=sender,
        to=_number(values["to"]) if values["to"] else None,
        data=_data(values["data"][data]),
        value=_number(values["value"][value]),
        gas_limit=_number(values["gasLimit"][gas]),
        nonce=_number(values["nonce"]),
        gas_price=_optional(values, "gasPrice"),
        max_fee=_optional(values, "maxFeePerGas"),
        max_priority_fee=_optional(values, "maxPriorityFeePerGas"),
        access_list=entries,
        has_access_list=has_list,
        blob_hashes=None if hashes is None else tuple(_number(text) for text in hashes),
        max_blob_fee=_optional(values, "maxFeePerBlobGas"),
        authorizations=_authorizations(values),
    )


def _sender(values: Mapping[str, Any]) -> int:
    if "sender" in values:
        return _number(values["sender"])
    import coincurve

    from simulator.evm.kernel.plain.keccak import keccak_bytes

    public = coincurve.PrivateKey(_data(values["secretKey"])).public_key.format(compressed=False)
    return int.from_bytes(keccak_bytes(public[1:])[12:], "big")


def _cases_of_test(file: str, name: str, test: Mapping[str, Any]) -> Iterator[Case]:
    block = _block(test["env"])
    pre = {_number(address): _account(values) for address, values in test["pre"].items()}
    sender = _sender(test["transaction"])
    for fork, results in test["post"].items():
        for result in results:
            chosen = result["indexes"]
            indexes = (chosen["data"], chosen["gas"], chosen["value"])
            yield Case(
                file=file,
                name=name,
                fork=fork,
                indexes=indexes,
                block=block,
                pre=pre,
                transaction=_transaction(test["transaction"], indexes, sender),
                state_root=_data(result["hash"]),
                logs_hash=_data(result["logs"]),
                expects_exception=bool(result.get("expectException")),
            )


def read_cases(path: Path) -> Iterator[Case]:
    """All cases of a file. Raises `StateTestError` when it is not of the format."""
    try:
        tests = json.loads(path.read_bytes())
        for name, test in tests.items():
            yield from _cases_of_test(str(path), name, test)
    except OSError as error:
        raise StateTestError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise StateTestError(f"{path}: not a state test ({type(error).__name__}: {error})") from error
