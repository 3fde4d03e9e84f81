"""The EVM: a kernel compiled by numba (`kernel/`), and the Python that feeds it (`machine.py` and its neighbours)."""
