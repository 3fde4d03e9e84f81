"""Native code of the fuzz loop: random values, sequence building, execution, oracles. Compiled with the kernel."""
