"""The precompiled contracts of Istanbul to Osaka as pure functions of their input: one module or folder a family.

`run_precompile` calls one, `precompiles_of` lists a fork's addresses. Libraries are imported by the first call that
needs them.
"""

from __future__ import annotations

from simulator.precompiles.execution import PrecompileResult, precompiles_of, run_precompile

__all__ = ["PrecompileResult", "precompiles_of", "run_precompile"]
