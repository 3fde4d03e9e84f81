"""The coverage tracker: features by code and function, and coverage reports."""
