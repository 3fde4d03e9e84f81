"""Memory layouts of the fuzz loop: each module names the byte offsets of one record, as the kernel's do."""
