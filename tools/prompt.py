"""A prompt: a task that a user starts in a client, worked out into instructions for the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """`render` gets every required argument, and others only where given; each has at most 2,000 characters."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...] = ()
    render: Callable[[Mapping[str, str]], str]
