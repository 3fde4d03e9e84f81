"""What the process runner is made of: commands, their limits and environment, and the folders of their runs."""
