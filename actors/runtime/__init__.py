"""Mailboxes, supervision and errors: what every actor is made of."""
