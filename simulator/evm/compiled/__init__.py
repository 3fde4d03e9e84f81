"""Hot contract code as native code: decoded blocks to LLVM, and its loading beside the interpreter."""
