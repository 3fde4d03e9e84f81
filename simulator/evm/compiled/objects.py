# mypy: disable-error-code="import-untyped, no-untyped-call"
"""From LLVM assembly to object code, and from object code to a function in this process."""

from __future__ import annotations

import llvmlite.binding as llvm

from simulator.errors import KernelError
from simulator.evm.compiled.contract import SYMBOL

# LLVM's code generator: 1 is the first level that allocates registers over whole functions.
LEVEL = 1


def _target_machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=LEVEL, jit=True
    )


def compile_module(assembly: str) -> bytes:
    """Object code for this processor. Takes about a second for 800 instructions of a contract. Raises `KernelError`.

    Of LLVM's passes two are run: a whole level of optimization takes several times longer and gains a tenth.
    """
    machine = _target_machine()
    try:
        module = llvm.parse_assembly(assembly)
        module.verify()
    except RuntimeError as error:
        raise KernelError(f"a contract was translated to code that LLVM refuses: {error}") from error
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=LEVEL))
    passes = llvm.create_new_module_pass_manager()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


class LoadedObject:
    """Object code in this process; `address` is that of the function, for as long as this object lives."""

    def __init__(self, code: bytes) -> None:
        module = llvm.parse_assembly("")
        module.triple = llvm.get_process_triple()
        # The engine does not own what it is given.
        self._engine = llvm.create_mcjit_compiler(module, _target_machine())
        self._object = llvm.ObjectFileRef.from_data(code)
        self._code = code
        self._engine.add_object_file(self._object)
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(SYMBOL)
        if not self.address:
            raise KernelError("the object code of a contract lacks its function")
