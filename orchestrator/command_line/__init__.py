"""The `monotreme` command. Modules are imported when their command runs, so that help starts at once."""
