"""The compiled side: LLVM for words and memory. Imported only by the process that builds the kernel."""
