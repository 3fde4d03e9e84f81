"""Seeds: calls that a project's own tests and scripts make to what is fuzzed, as sequences of a campaign."""
