"""Everything that is compiled. Its object code is cached by a hash of these sources, so nothing else belongs here."""
