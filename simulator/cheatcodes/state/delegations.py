"""Delegations of EIP-7702: `signDelegation`, `attachDelegation`. An attached one is in force at once."""

from __future__ import annotations

import coincurve

from simulator import rlp
from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.values.keys import sign, wallet_of

MARK = b"\xef\x01\x00"
MAGIC = b"\x05"
MAX_NONCE = (1 << 64) - 1
Delegation = tuple[int, bytes, bytes, int, int]


def _digest(vm: Session, chain: int, implementation: int, nonce: int) -> bytes:
    numbers = (number.to_bytes((number.bit_length() + 7) // 8, "big") for number in (chain, nonce))
    first, last = numbers
    return keccak256(MAGIC + rlp.encode((first, implementation.to_bytes(20, "big"), last)))


def _chain(vm: Session, crosses: bool) -> int:
    return 0 if crosses else vm.machine.context.chainid


def _sign(vm: Session, implementation: int, key: int, nonce: int | None = None, *, crosses: bool = False) -> Delegation:
    """Of the authority's present nonce when none is given; on every chain when it crosses chains."""
    signed = vm.machine.get_nonce(wallet_of(key)[0]) if nonce is None else nonce
    v, r, s = sign(vm, key, _digest(vm, _chain(vm, crosses), implementation, signed))
    return v - 27, r, s, signed, implementation


def _attach(vm: Session, delegation: Delegation, *, crosses: bool = False) -> None:
    v, r, s, nonce, implementation = delegation
    authority = _signer(r + s + bytes((v,)), _digest(vm, _chain(vm, crosses), implementation, nonce))
    machine = vm.machine
    present, code = machine.get_nonce(authority), machine.get_code(authority)
    if nonce != present or nonce == MAX_NONCE:
        raise CheatcodeError(f"vm.attachDelegation: invalid nonce {nonce} of {authority:#042x}, which has {present}")
    if code and not (code.startswith(MARK) and len(code) == 23):
        raise CheatcodeError(f"vm.attachDelegation: {authority:#042x} has code")
    machine.set_code(authority, MARK + implementation.to_bytes(20, "big") if implementation else b"")
    machine.set_nonce(authority, nonce + 1)


def _signer(signature: bytes, digest: bytes) -> int:
    try:
        key = coincurve.PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except ValueError:
        raise CheatcodeError("vm.attachDelegation: the signature is nobody's") from None
    return int.from_bytes(keccak256(key.format(compressed=False)[1:])[12:], "big")


@cheatcode("signDelegation(address,uint256)")
def sign_delegation(vm: Session, implementation: int, key: int) -> Delegation:
    return _sign(vm, implementation, key)


@cheatcode("signDelegation(address,uint256,uint64)")
def sign_delegation_of_nonce(vm: Session, implementation: int, key: int, nonce: int) -> Delegation:
    return _sign(vm, implementation, key, nonce)


@cheatcode("signDelegation(address,uint256,bool)")
def sign_delegation_across(vm: Session, implementation: int, key: int, crosses: bool) -> Delegation:
    return _sign(vm, implementation, key, crosses=crosses)


@cheatcode("attachDelegation((uint8,bytes32,bytes32,uint64,address))")
def attach_delegation(vm: Session, delegation: Delegation) -> None:
    _attach(vm, delegation)


@cheatcode("attachDelegation((uint8,bytes32,bytes32,uint64,address),bool)")
def attach_delegation_across(vm: Session, delegation: Delegation, crosses: bool) -> None:
    _attach(vm, delegation, crosses=crosses)


def _sign_and_attach(vm: Session, delegation: Delegation, *, crosses: bool = False) -> Delegation:
    _attach(vm, delegation, crosses=crosses)
    return delegation


@cheatcode("signAndAttachDelegation(address,uint256)")
def sign_and_attach(vm: Session, implementation: int, key: int) -> Delegation:
    return _sign_and_attach(vm, _sign(vm, implementation, key))


@cheatcode("signAndAttachDelegation(address,uint256,uint64)")
def sign_and_attach_of_nonce(vm: Session, implementation: int, key: int, nonce: int) -> Delegation:
    return _sign_and_attach(vm, _sign(vm, implementation, key, nonce))


@cheatcode("signAndAttachDelegation(address,uint256,bool)")
def sign_and_attach_across(vm: Session, implementation: int, key: int, crosses: bool) -> Delegation:
    return _sign_and_attach(vm, _sign(vm, implementation, key, crosses=crosses), crosses=crosses)
