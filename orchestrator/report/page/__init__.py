"""The page for reviewers."""
