"""Ed25519 (RFC 8032): `createEd25519Key`, `publicKeyEd25519`, `signEd25519`, `verifyEd25519`."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session


@cheatcode("publicKeyEd25519(bytes32)")
def public_key(_vm: Session, key: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()


@cheatcode("createEd25519Key(bytes32)")
def create_key(vm: Session, salt: bytes) -> tuple[bytes, bytes]:
    """Public and private key; the salt is the private one."""
    return public_key(vm, salt), salt


@cheatcode("signEd25519(bytes,bytes,bytes32)")
def sign(_vm: Session, namespace: bytes, message: bytes, key: bytes) -> bytes:
    """Of the namespace followed by the message."""
    return Ed25519PrivateKey.from_private_bytes(key).sign(namespace + message)


@cheatcode("verifyEd25519(bytes,bytes,bytes,bytes32)")
def verify(_vm: Session, signature: bytes, namespace: bytes, message: bytes, key: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, namespace + message)
    except (InvalidSignature, ValueError):
        return False
    return True
