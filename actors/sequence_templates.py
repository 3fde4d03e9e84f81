"""The sequences with wildcards that people gave: numbered, kept as they were said, and as workers get them."""

from __future__ import annotations

from actors.call_reader import CallReader
from actors.errors import CommandRejected
from actors.steering import CallRequest, TemplateInfo
from simulator.worker.protocol import SequenceTemplate, SetTemplates

MOST_TEMPLATES = 64
MOST_SHARE = 0.9


class SequenceTemplates:
    """Plain state; the steering desk owns it."""

    def __init__(self, reader: CallReader) -> None:
        self._reader = reader
        self._templates: dict[int, tuple[TemplateInfo, SequenceTemplate]] = {}

    def __len__(self) -> int:
        return len(self._templates)

    @property
    def is_full(self) -> bool:
        return len(self._templates) >= MOST_TEMPLATES

    def check(self, share: float) -> None:
        """Raise `CommandRejected` where no template of this share can be added."""
        if not 0 < share <= MOST_SHARE:
            raise CommandRejected(f"a template's share is more than 0 and at most {MOST_SHARE}, not {share:g}")
        if self.is_full:
            raise CommandRejected(f"there are {MOST_TEMPLATES} templates already; remove some")

    def add(self, number: int, requests: tuple[CallRequest, ...], share: float) -> str:
        """Add a template under a fresh number; returns its calls as read. Raises `CommandRejected`."""
        calls = self._reader.read(requests)
        template = SequenceTemplate(number, tuple(call.template() for call in calls), share)
        self._templates[number] = (TemplateInfo(number, requests, share), template)
        return "; ".join(call.text for call in calls)

    def remove(self, numbers: tuple[int, ...]) -> list[int]:
        """Remove these, or all where none is named; returns those that were there."""
        return [number for number in numbers or tuple(self._templates) if self._templates.pop(number, None)]

    def infos(self) -> tuple[TemplateInfo, ...]:
        """As people gave them."""
        return tuple(info for info, _ in self._templates.values())

    def command(self) -> SetTemplates:
        """What workers are told."""
        return SetTemplates(tuple(template for _, template in self._templates.values()))

    def info(self, number: int) -> TemplateInfo:
        return self._templates[number][0]
