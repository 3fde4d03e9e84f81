"""Tools that only the page asks for: they answer with what it draws."""
