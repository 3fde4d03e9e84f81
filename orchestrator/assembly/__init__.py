"""Puts a campaign together: compilation, run folder, actors, signals, what people see, the final report."""
