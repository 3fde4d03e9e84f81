"""The bodies of all instructions, one module per concern of the yellow paper's table. `macros.py` says how to read
them."""
