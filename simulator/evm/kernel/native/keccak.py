# mypy: disable-error-code="import-untyped, no-untyped-call, unused-ignore"
"""Keccak-256 of bytes at an address, in the way that suits the processor which the kernel is compiled for."""

from __future__ import annotations

from numba.core.codegen import get_host_cpu_features

# Bytes of a vector are loaded under a mask: that is avx512bw.
if "+avx512bw" in get_host_cpu_features().split(","):
    from simulator.evm.kernel.native.keccak_planes import keccak
else:
    from simulator.evm.kernel.native.keccak_lanes import keccak

__all__ = ["keccak"]
