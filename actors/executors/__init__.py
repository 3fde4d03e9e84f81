"""Executors: where worker processes run when it is not on this machine alone."""
