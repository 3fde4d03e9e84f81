"""The plain-Python side: the same names as `native`, for debuggers, type checkers and the host."""
