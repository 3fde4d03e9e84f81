"""Parses state-test files into single cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from simulator.evm.statetest.values import DocumentNode, StateTestError, key_number, read_document

ADDRESS_BITS = 160
WORD_BITS = 256
NONCE_BITS = 64
OTHER_FORMATS = {
    "blocks": "blockchain test",
    "engineNewPayloads": "engine test",
    "txbytes": "transaction test",
    "vectors": "test of EOF",
}
"""By a member that tests of the format have and state tests do not."""
MEMBERS = frozenset(("env", "pre", "transaction", "post", *OTHER_FORMATS))


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
    chain_id: int = 1


@dataclass(frozen=True)
class Case:
    """One transaction on one state under one fork, and what it must lead to. `blob_schedule` replaces the fork's:
    target blobs, most blobs, update fraction."""

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
    blob_schedule: tuple[int, int, int] | None = None

    @property
    def title(self) -> str:
        data, gas, value = self.indexes
        return f"{self.name}[{self.fork}, data {data}, gas {gas}, value {value}]"


def _optional(values: DocumentNode, name: str, bits: int = 0) -> int | None:
    found = values.optional(name)
    return None if found is None else found.number(bits)


def _address_or_none(values: DocumentNode) -> int | None:
    """The callee; an empty text or null creates a contract."""
    to = values.optional("to")
    return to.number(ADDRESS_BITS) if to is not None and to.value else None


def _account(values: DocumentNode) -> AccountState:
    storage = values.optional("storage")
    return AccountState(
        balance=values.member("balance").number(WORD_BITS),
        nonce=values.member("nonce").number(NONCE_BITS),
        code=values.member("code").data(),
        storage={key_number(slot, key, WORD_BITS): slot.number(WORD_BITS) for key, slot in storage.members()}
        if storage
        else {},
    )


def _block(values: DocumentNode, chain_id: int) -> BlockInput:
    return BlockInput(
        coinbase=values.member("currentCoinbase").number(ADDRESS_BITS),
        number=values.member("currentNumber").number(WORD_BITS),
        timestamp=values.member("currentTimestamp").number(WORD_BITS),
        gas_limit=values.member("currentGasLimit").number(WORD_BITS),
        difficulty=_optional(values, "currentDifficulty", WORD_BITS) or 0,
        random=_optional(values, "currentRandom", WORD_BITS),
        base_fee=_optional(values, "currentBaseFee", WORD_BITS),
        excess_blob_gas=_optional(values, "currentExcessBlobGas", 64),
        chain_id=chain_id,
    )


def _chain_id(config: DocumentNode | None) -> int:
    """Return the chain id of `config`; 1 where it says nothing."""
    number = None if config is None else _optional(config, "chainid", WORD_BITS)
    return 1 if number is None else number


def _blob_schedule(config: DocumentNode | None, fork: str) -> tuple[int, int, int] | None:
    schedules = None if config is None else config.optional("blobSchedule")
    schedule = None if schedules is None else schedules.optional(fork)
    if schedule is None:
        return None
    target, most = (schedule.member(name).number(NONCE_BITS) for name in ("target", "max"))
    return target, most, schedule.member("baseFeeUpdateFraction").number(NONCE_BITS)


def _access_list(values: DocumentNode, index: int) -> tuple[tuple[tuple[int, tuple[int, ...]], ...], bool]:
    lists = values.optional("accessLists")
    entries = lists.items() if lists is not None else []
    if index >= len(entries) or entries[index].value is None:
        return (), lists is not None
    return tuple(
        (
            entry.member("address").number(ADDRESS_BITS),
            tuple(key.number(WORD_BITS) for key in entry.member("storageKeys").items()),
        )
        for entry in entries[index].items()
    ), True


def _authorization(entry: DocumentNode) -> Authorization:
    return Authorization(
        chain_id=entry.member("chainId").number(),
        address=entry.member("address").number(ADDRESS_BITS),
        nonce=entry.member("nonce").number(),
        y_parity=(entry.optional("yParity") or entry.member("v")).number(),
        r=entry.member("r").number(),
        s=entry.member("s").number(),
    )


def _transaction(values: DocumentNode, indexes: tuple[int, int, int], sender: int) -> TransactionInput:
    data, gas, value = indexes
    entries, has_list = _access_list(values, data)
    hashes = values.optional("blobVersionedHashes")
    authorizations = values.optional("authorizationList")
    return TransactionInput(
        sender=sender,
        to=_address_or_none(values),
        data=values.member("data").item(data).data(),
        value=values.member("value").item(value).number(),
        gas_limit=values.member("gasLimit").item(gas).number(),
        nonce=values.member("nonce").number(),
        gas_price=_optional(values, "gasPrice"),
        max_fee=_optional(values, "maxFeePerGas"),
        max_priority_fee=_optional(values, "maxPriorityFeePerGas"),
        access_list=entries,
        has_access_list=has_list,
        blob_hashes=None if hashes is None else tuple(item.number(WORD_BITS) for item in hashes.items()),
        max_blob_fee=_optional(values, "maxFeePerBlobGas"),
        authorizations=None if authorizations is None else tuple(map(_authorization, authorizations.items())),
    )


def _sender(values: DocumentNode) -> int:
    sender = values.optional("sender")
    if sender is not None:
        return sender.number(ADDRESS_BITS)
    import coincurve

    from simulator.evm.kernel.plain.keccak import keccak_bytes

    secret = values.member("secretKey")
    try:
        key = coincurve.PrivateKey(secret.data())
    except ValueError as error:
        raise secret.error(f"is no key of secp256k1: {error}") from error
    return int.from_bytes(keccak_bytes(key.public_key.format(compressed=False)[1:])[12:], "big")


def _hash(result: DocumentNode, name: str) -> bytes:
    """A digest of 32 bytes."""
    found = result.member(name)
    digest = found.data()
    if len(digest) != 32:
        raise found.error(f"must have 32 bytes, has {len(digest)}")
    return digest


def cases_of_test(file: str, name: str, test: DocumentNode) -> Iterator[Case]:
    """The cases of one test of a file. Raises `StateTestError` when it is not of the format."""
    config = test.optional("config")
    block = _block(test.member("env"), _chain_id(config))
    pre = {key_number(state, key, ADDRESS_BITS): _account(state) for key, state in test.member("pre").members()}
    transaction = test.member("transaction")
    sender = _sender(transaction)
    for fork, results in test.member("post").members():
        for result in results.items():
            chosen = result.member("indexes")
            indexes = tuple(chosen.member(index).number() for index in ("data", "gas", "value"))
            yield Case(
                file=file,
                name=name,
                fork=fork,
                indexes=(indexes[0], indexes[1], indexes[2]),
                block=block,
                pre=pre,
                transaction=_transaction(transaction, (indexes[0], indexes[1], indexes[2]), sender),
                state_root=_hash(result, "hash"),
                logs_hash=_hash(result, "logs"),
                expects_exception=result.optional("expectException") is not None,
                blob_schedule=_blob_schedule(config, fork),
            )


def other_format(test: DocumentNode) -> str | None:
    """Return the name of a known format other than this one, as the fixtures of execution-spec-tests and
    `ethereum/tests` come in folders of several."""
    if isinstance(test.value, dict) and "transaction" not in test.value:
        for member, name in OTHER_FORMATS.items():
            if member in test.value:
                return name
    return None


def looks_like_tests(document: DocumentNode) -> bool:
    """Return whether anything in a file has a member that tests have."""
    value = document.value
    return isinstance(value, dict) and any(isinstance(test, dict) and test.keys() & MEMBERS for test in value.values())


def read_cases(path: Path) -> Iterator[Case]:
    """All cases of a file. Raises `StateTestError` when it is not of the format."""
    for name, test in read_document(path).members():
        yield from cases_of_test(str(path), name, test)


__all__ = [
    "AccountState",
    "Authorization",
    "BlockInput",
    "Case",
    "StateTestError",
    "TransactionInput",
    "cases_of_test",
    "looks_like_tests",
    "other_format",
    "read_cases",
]
