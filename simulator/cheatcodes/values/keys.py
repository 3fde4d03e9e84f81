"""Private keys: addresses, wallets, signatures on secp256k1 and P-256."""

from __future__ import annotations

import coincurve
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature

from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
TOP_BIT = 1 << 255

Wallet = tuple[int, int, int, int]


def _checked(key: int, order: int, curve: str) -> int:
    if not 0 < key < order:
        raise CheatcodeError(f"a private key must be from 1 to the order of {curve} less 1")
    return key


def _private_key(key: int) -> coincurve.PrivateKey:
    return coincurve.PrivateKey(_checked(key, SECP256K1_ORDER, "secp256k1").to_bytes(32, "big"))


def _p256_key(key: int) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(_checked(key, P256_ORDER, "P-256"), ec.SECP256R1())


def wallet_of(key: int) -> Wallet:
    """Address, both coordinates of the public key, private key."""
    public = _private_key(key).public_key.format(compressed=False)[1:]
    address = int.from_bytes(keccak256(public)[12:], "big")
    return address, int.from_bytes(public[:32], "big"), int.from_bytes(public[32:], "big"), key


@cheatcode("addr(uint256)")
def addr(_vm: Session, key: int) -> int:
    return wallet_of(key)[0]


@cheatcode("createWallet(uint256)")
def create_wallet(_vm: Session, key: int) -> Wallet:
    return wallet_of(key)


@cheatcode("createWallet(uint256,string)")
def create_labelled_wallet(vm: Session, key: int, name: str) -> Wallet:
    wallet = wallet_of(key)
    vm.labels[wallet[0]] = name
    return wallet


@cheatcode("createWallet(string)")
def create_named_wallet(vm: Session, name: str) -> Wallet:
    """The key is the hash of the name, as in forge-std's `makeAddr`."""
    key = int.from_bytes(keccak256(name.encode("utf-8", "surrogateescape")), "big")
    return create_labelled_wallet(vm, key, name)


@cheatcode("sign(uint256,bytes32)")
def sign(_vm: Session, key: int, digest: bytes) -> tuple[int, bytes, bytes]:
    """Deterministic (RFC 6979) with low s (EIP-2)."""
    signature = _private_key(key).sign_recoverable(digest, hasher=None)
    return 27 + signature[64], signature[:32], signature[32:64]


@cheatcode("signWithNonceUnsafe(uint256,bytes32,uint256)")
def sign_with_nonce(_vm: Session, key: int, digest: bytes, nonce: int) -> tuple[int, bytes, bytes]:
    """With the given secret number, which tells the key to anyone who knows it; low s (EIP-2)."""
    nonce %= SECP256K1_ORDER
    if not nonce:
        raise CheatcodeError("vm.signWithNonceUnsafe: nonce cannot be 0")
    _checked(key, SECP256K1_ORDER, "secp256k1")
    point = coincurve.PrivateKey(nonce.to_bytes(32, "big")).public_key.point()
    r, is_odd = point[0] % SECP256K1_ORDER, point[1] & 1
    s = pow(nonce, -1, SECP256K1_ORDER) * (int.from_bytes(digest, "big") + r * key) % SECP256K1_ORDER
    if 2 * s > SECP256K1_ORDER:
        s, is_odd = SECP256K1_ORDER - s, 1 - is_odd
    return 27 + is_odd, r.to_bytes(32, "big"), s.to_bytes(32, "big")


@cheatcode("sign((address,uint256,uint256,uint256),bytes32)")
def sign_with_wallet(vm: Session, wallet: Wallet, digest: bytes) -> tuple[int, bytes, bytes]:
    return sign(vm, wallet[3], digest)


@cheatcode("signCompact(uint256,bytes32)")
def sign_compact(vm: Session, key: int, digest: bytes) -> tuple[bytes, bytes]:
    """EIP-2098: the parity of y is the top bit of s."""
    v, r, s = sign(vm, key, digest)
    return r, (int.from_bytes(s, "big") | (TOP_BIT if v == 28 else 0)).to_bytes(32, "big")


@cheatcode("signCompact((address,uint256,uint256,uint256),bytes32)")
def sign_compact_with_wallet(vm: Session, wallet: Wallet, digest: bytes) -> tuple[bytes, bytes]:
    return sign_compact(vm, wallet[3], digest)


@cheatcode("signP256(uint256,bytes32)")
def sign_p256(_vm: Session, key: int, digest: bytes) -> tuple[bytes, bytes]:
    algorithm = ec.ECDSA(Prehashed(hashes.SHA256()), deterministic_signing=True)
    r, s = decode_dss_signature(_p256_key(key).sign(digest, algorithm))
    return r.to_bytes(32, "big"), min(s, P256_ORDER - s).to_bytes(32, "big")


@cheatcode("publicKeyP256(uint256)")
def public_key_p256(_vm: Session, key: int) -> tuple[int, int]:
    numbers = _p256_key(key).public_key().public_numbers()
    return numbers.x, numbers.y
