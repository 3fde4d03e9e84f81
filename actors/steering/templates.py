"""Sequences with wildcards from users: numbered, kept in their original form and in the form sent to workers."""

from __future__ import annotations

import msgspec

from actors.runtime.errors import CommandRejected
from actors.steering.call_reader import CallRequestReader
from actors.steering.commands import CallRequest, TemplateInfo
from simulator.worker.commands import SequenceTemplate, SetTemplates

MAX_TEMPLATES = 64
MAX_CHARACTERS = 1 << 20
MAX_SHARE = 0.9
"""Of all sequences: those around templates, all of them together."""
MAX_SHARE_BESIDE_PRIORITIES = 0.1
"""The same while functions are prioritized, which keep their nine tenths of all calls."""


class TemplateBook:
    """Plain state; owned by the steering actor."""

    def __init__(self, reader: CallRequestReader) -> None:
        self._reader = reader
        self._templates: dict[int, tuple[TemplateInfo, SequenceTemplate]] = {}

    def __len__(self) -> int:
        return len(self._templates)

    def has_room(self, requests: tuple[CallRequest, ...]) -> bool:
        return len(self._templates) < MAX_TEMPLATES and self._characters(requests) <= MAX_CHARACTERS

    def check(self, requests: tuple[CallRequest, ...], share: float) -> None:
        """Raise `CommandRejected` where no template of this share can be added."""
        if not 0 < share <= MAX_SHARE:
            raise CommandRejected(f"a template's share is more than 0 and at most {MAX_SHARE}, not {share:g}")
        if not self.has_room(requests):
            raise CommandRejected(
                f"a campaign takes {MAX_TEMPLATES} templates of {MAX_CHARACTERS} characters together, and has"
                f" {len(self)} of {self._characters(())}; remove some"
            )

    def _characters(self, more: tuple[CallRequest, ...]) -> int:
        """With those of `more`."""
        texts = [info.calls for info, _ in self._templates.values()]
        return sum(len(call.text) for calls in (*texts, more) for call in calls)

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
        """The templates as users gave them."""
        return tuple(info for info, _ in self._templates.values())

    def effective(self, *, beside_priorities: bool) -> dict[int, float]:
        """The share of all sequences that each template gets, by id. Shares that exceed the bound together are cut in
        proportion."""
        bound = MAX_SHARE_BESIDE_PRIORITIES if beside_priorities else MAX_SHARE
        wanted = sum(info.share for info, _ in self._templates.values())
        factor = min(1.0, bound / wanted) if wanted else 1.0
        return {number: info.share * factor for number, (info, _) in self._templates.items()}

    def command(self, *, beside_priorities: bool) -> SetTemplates:
        """The templates in the form sent to workers."""
        shares = self.effective(beside_priorities=beside_priorities)
        templates = ((template, shares[number]) for number, (_, template) in self._templates.items())
        return SetTemplates(tuple(msgspec.structs.replace(template, share=share) for template, share in templates))
