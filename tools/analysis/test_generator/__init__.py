"""Jest tests whose expectations were observed: the code is executed in a confined Node process, not guessed about."""
