"""Puts a campaign together: compilation, run folder, actors, signals, display, final report."""
