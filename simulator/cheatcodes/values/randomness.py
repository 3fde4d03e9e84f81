"""Random values. They follow from how many were drawn before in the same sequence, so a replay draws the same."""

from __future__ import annotations

from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

DOMAIN = b"monotreme random"
MAX_BYTES = 1 << 20


def _draw(vm: Session) -> int:
    drawn, seed = vm.state.drawn, vm.state.seed
    vm.change(drawn=drawn + 1)
    return int.from_bytes(keccak256(DOMAIN + seed + drawn.to_bytes(32, "big")), "big")


@cheatcode("setSeed(uint256)")
def set_seed(vm: Session, seed: int) -> None:
    """Draw from here on what is drawn behind every other call with this seed."""
    vm.change(seed=seed.to_bytes(32, "big"), drawn=0)


def _bits(bits: int) -> int:
    if bits > 256:
        raise CheatcodeError("number of bits cannot exceed 256")
    return bits


@cheatcode("randomUint()")
def random_uint(vm: Session) -> int:
    return _draw(vm)


@cheatcode("randomUint(uint256)")
def random_uint_of_bits(vm: Session, bits: int) -> int:
    return _draw(vm) >> (256 - _bits(bits))


@cheatcode("randomUint(uint256,uint256)")
def random_uint_between(vm: Session, low: int, high: int) -> int:
    """Both ends included."""
    if low > high:
        raise CheatcodeError("min must be less than or equal to max")
    return low + _draw(vm) % (high - low + 1)


@cheatcode("randomInt()")
def random_int(vm: Session) -> int:
    return _draw(vm) - (1 << 255)


@cheatcode("randomInt(uint256)")
def random_int_of_bits(vm: Session, bits: int) -> int:
    return (_draw(vm) >> (256 - _bits(bits))) - (1 << bits - 1) if bits else 0


@cheatcode("randomAddress()")
def random_address(vm: Session) -> int:
    return _draw(vm) >> 96


@cheatcode("randomBool()")
def random_bool(vm: Session) -> bool:
    return bool(_draw(vm) & 1)


@cheatcode("randomBytes(uint256)")
def random_bytes(vm: Session, size: int) -> bytes:
    if size > MAX_BYTES:
        raise CheatcodeError(f"randomBytes gives at most {MAX_BYTES} bytes")
    seed = _draw(vm).to_bytes(32, "big")
    return b"".join(keccak256(seed + index.to_bytes(32, "big")) for index in range(-(-size // 32)))[:size]


@cheatcode("randomBytes4()")
def random_bytes4(vm: Session) -> bytes:
    return random_bytes(vm, 4)


@cheatcode("randomBytes8()")
def random_bytes8(vm: Session) -> bytes:
    return random_bytes(vm, 8)


@cheatcode("bound(uint256,uint256,uint256)", "bound(int256,int256,int256)")
def bound(vm: Session, value: int, low: int, high: int) -> int:
    """Another value of the range, which the given one must be in. The `bound` of StdUtils is no cheatcode."""
    if not low <= value <= high or low == high:
        raise CheatcodeError(f"vm.bound: cannot bound {value} in [{low}, {high}] range")
    drawn = low + _draw(vm) % (high - low)
    return drawn if drawn < value else drawn + 1
