"""Jest tests whose expectations were observed: the code is executed in the JavaScript sandbox, not guessed about."""
