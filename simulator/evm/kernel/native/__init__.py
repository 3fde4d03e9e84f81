"""Algorithms of the compiled side alone. Imported only by the process that builds the kernel."""
