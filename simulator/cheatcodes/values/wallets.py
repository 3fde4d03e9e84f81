"""Keys that the campaign remembers (`rememberKey`, `sign` without a key) and keys from mnemonics (`deriveKey`)."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata

import coincurve

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.values.keys import SECP256K1_ORDER, sign, sign_compact, wallet_of

DEFAULT_PATH = "m/44'/60'/0'/0/"
HARDENED = 1 << 31
MAX_STEPS = 16
MAX_KEYS = 256
WORD_COUNTS = (12, 15, 18, 21, 24)
_STEP = re.compile(r"([0-9]{1,10})(['hH]?)")
Signature = tuple[int, bytes, bytes]


@cheatcode("rememberKey(uint256)")
def remember_key(vm: Session, key: int) -> int:
    address = wallet_of(key)[0]
    vm.change(wallets={**vm.state.wallets, address: key})
    return address


@cheatcode("getWallets()")
def wallets(vm: Session) -> tuple[int, ...]:
    return tuple(vm.state.wallets)


def _only_key(vm: Session) -> int:
    kept = list(vm.state.wallets.values())
    if not kept:
        raise CheatcodeError("vm.sign: no wallets available")
    if len(kept) > 1:
        raise CheatcodeError("vm.sign: there are several wallets; vm.sign(signer, digest) chooses one")
    return kept[0]


def _key_of(vm: Session, signer: int) -> int:
    key = vm.state.wallets.get(signer)
    if key is None:
        raise CheatcodeError(f"vm.sign: no wallet of {signer:#042x}; vm.rememberKey adds one")
    return key


@cheatcode("sign(bytes32)")
def sign_with_only(vm: Session, digest: bytes) -> Signature:
    return sign(vm, _only_key(vm), digest)


@cheatcode("sign(address,bytes32)")
def sign_by(vm: Session, signer: int, digest: bytes) -> Signature:
    return sign(vm, _key_of(vm, signer), digest)


@cheatcode("signCompact(bytes32)")
def sign_compact_with_only(vm: Session, digest: bytes) -> tuple[bytes, bytes]:
    return sign_compact(vm, _only_key(vm), digest)


@cheatcode("signCompact(address,bytes32)")
def sign_compact_by(vm: Session, signer: int, digest: bytes) -> tuple[bytes, bytes]:
    return sign_compact(vm, _key_of(vm, signer), digest)


@cheatcode("deriveKey(string,uint32)")
def derive_key(_vm: Session, mnemonic: str, index: int) -> int:
    return derived_key(mnemonic, DEFAULT_PATH, index)


@cheatcode("deriveKey(string,string,uint32)")
def derive_key_on(_vm: Session, mnemonic: str, path: str, index: int) -> int:
    return derived_key(mnemonic, path, index)


@cheatcode("deriveKey(string,uint32,string)")
def derive_key_in(_vm: Session, mnemonic: str, index: int, _language: str) -> int:
    """The language only says which list the words are from."""
    return derived_key(mnemonic, DEFAULT_PATH, index)


@cheatcode("deriveKey(string,string,uint32,string)")
def derive_key_on_in(_vm: Session, mnemonic: str, path: str, index: int, _language: str) -> int:
    return derived_key(mnemonic, path, index)


@cheatcode("rememberKeys(string,string,string,uint32)")
def remember_keys_in(vm: Session, mnemonic: str, path: str, _language: str, count: int) -> tuple[int, ...]:
    return remember_keys(vm, mnemonic, path, count)


@cheatcode("rememberKeys(string,string,uint32)")
def remember_keys(vm: Session, mnemonic: str, path: str, count: int) -> tuple[int, ...]:
    if count > MAX_KEYS:
        raise CheatcodeError(f"vm.rememberKeys: more than {MAX_KEYS} keys")
    return tuple(remember_key(vm, derived_key(mnemonic, path, index)) for index in range(count))


def derived_key(mnemonic: str, path: str, index: int) -> int:
    """The private key of BIP-39 and BIP-32, without a passphrase. The words are not held against a list."""
    key, chain = _halves(b"Bitcoin seed", _seed(mnemonic))
    for step in _path(path, index):
        key, chain = _child(key, chain, step)
    return key


def _seed(mnemonic: str) -> bytes:
    words = unicodedata.normalize("NFKD", mnemonic).split()
    if len(words) not in WORD_COUNTS:
        raise CheatcodeError(f"vm.deriveKey: a mnemonic has 12, 15, 18, 21 or 24 words, not {len(words)}")
    return hashlib.pbkdf2_hmac("sha512", " ".join(words).encode("utf-8", "surrogatepass"), b"mnemonic", 2048)


def _path(path: str, index: int) -> list[int]:
    first, *parts = path.removesuffix("/").split("/")
    matches = [_STEP.fullmatch(part) for part in parts]
    if first != "m" or len(parts) > MAX_STEPS or not all(matches):
        raise CheatcodeError(f"vm.deriveKey: {path!r} is no derivation path such as {DEFAULT_PATH}")
    steps = [int(match[1]) + (HARDENED if match[2] else 0) for match in matches if match]
    if any(step >= 2 * HARDENED for step in steps):
        raise CheatcodeError(f"vm.deriveKey: an index in {path!r} is 2^31 or more")
    return [*steps, index]


def _halves(key: bytes, data: bytes) -> tuple[int, bytes]:
    digest = hmac.new(key, data, hashlib.sha512).digest()
    return int.from_bytes(digest[:32], "big"), digest[32:]


def _child(key: int, chain: bytes, step: int) -> tuple[int, bytes]:
    secret = key.to_bytes(32, "big")
    parent = b"\0" + secret if step >= HARDENED else coincurve.PrivateKey(secret).public_key.format()
    tweak, child_chain = _halves(chain, parent + step.to_bytes(4, "big"))
    child = (key + tweak) % SECP256K1_ORDER
    if tweak >= SECP256K1_ORDER or child == 0:
        raise CheatcodeError("vm.deriveKey: there is no key at this index")
    return child, child_chain
