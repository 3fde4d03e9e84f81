"""The compiled side: words, memory and records as LLVM code, and declarations of functions to numba.

Imported only by the process that builds the kernel.
"""
