"""Making a failing sequence simpler until no call, no value and no two values at once can be."""
