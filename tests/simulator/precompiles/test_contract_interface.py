"""Addresses by fork, and what a call does with its gas."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simulator.errors import TargetError
from simulator.precompiles import PrecompileResult, precompiles_of, run_precompile


@pytest.mark.parametrize(
    ("fork", "last"), [("istanbul", 9), ("shanghai", 9), ("cancun", 10), ("prague", 0x11), ("osaka", 0x100)]
)
def test_a_fork_has_its_precompiles(fork: str, last: int) -> None:
    """Each address appears with the fork that introduced it."""
    assert precompiles_of(fork)[-1] == last
    assert precompiles_of(fork)[:9] == tuple(range(1, 10))


def test_fork_names_are_taken_in_any_case() -> None:
    """Configurations and state tests capitalise fork names."""
    assert precompiles_of("Cancun") == precompiles_of("cancun")


def test_an_unknown_fork_is_a_typed_error() -> None:
    """The message lists what is known."""
    with pytest.raises(TargetError, match="istanbul"):
        precompiles_of("atlantis")


def test_a_call_with_too_little_gas_uses_all_of_it() -> None:
    """One unit below the price fails, without output."""
    assert run_precompile(4, b"abc", 17, "cancun") == PrecompileResult(success=False, output=b"", gas_used=17)
    assert run_precompile(4, b"abc", 18, "cancun") == PrecompileResult(success=True, output=b"abc", gas_used=18)


def test_a_call_that_fails_uses_all_its_gas() -> None:
    """Bad input costs everything, not the price."""
    assert run_precompile(6, b"\1" * 128, 5000, "cancun") == PrecompileResult(success=False, output=b"", gas_used=5000)


def test_an_address_that_is_no_precompile_of_the_fork_is_the_callers_mistake() -> None:
    """The machine must not ask for 0x0a before Cancun."""
    with pytest.raises(KeyError):
        run_precompile(0x0A, b"", 10**6, "shanghai")


def test_libraries_are_imported_by_the_first_call_that_needs_them() -> None:
    """A worker whose contracts call no precompile does not pay for them."""
    program = (
        "import sys, simulator.precompiles; "
        "print(*{'numba', 'coincurve', 'cryptography', 'py_arkworks_bls12381'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
