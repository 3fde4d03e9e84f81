"""Recognising Ctrl-C in what it has become."""

from __future__ import annotations


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is a `KeyboardInterrupt`, or what a library made of one that hit it in the middle of its work
    (pydantic's `SchemaError` holds it as text alone)."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        if isinstance(link, KeyboardInterrupt) or "KeyboardInterrupt" in str(link):
            return True
        seen.add(id(link))
        link = link.__cause__ or link.__context__
    return False
