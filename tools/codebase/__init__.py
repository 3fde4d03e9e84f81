"""An index of source code that agents search by meaning and by name."""
