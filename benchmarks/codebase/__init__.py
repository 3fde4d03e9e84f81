"""Questions about packages that the codebase memory is measured with."""
