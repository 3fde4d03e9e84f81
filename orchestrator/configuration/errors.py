"""Errors of the configuration. Messages are complete sentences for the user who wrote it."""

from __future__ import annotations


class ConfigurationError(Exception):
    """A configuration file, environment variable or flag is wrong. `problems` has one line for each place, naming the
    source, the key and what is allowed. Exit code 2."""

    code = "E_CONFIGURATION"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
