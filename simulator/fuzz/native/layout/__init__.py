"""Memory layouts of the fuzz loop: each module declares one record, as those of the EVM do."""
