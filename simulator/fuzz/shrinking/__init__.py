"""Making a failing sequence smaller until nothing can be dropped and no value made simpler."""
