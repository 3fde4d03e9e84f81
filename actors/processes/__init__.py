"""Parts of the process runner: commands, their limits and environment, and the folders of their runs."""
