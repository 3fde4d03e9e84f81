"""Campaign tools that control: inject, prioritize, clear."""

from __future__ import annotations

from actors.steering.commands import CallRequest, ClearPriorities, InjectSequence, PrioritizeFunction
from tools.campaign.access import CampaignAccess
from tools.campaign.fields import address_of
from tools.campaign.inputs import InjectTransactionInput, NoInput, PrioritizeFunctionInput
from tools.campaign.steering import steer
from tools.tool import Answer


class ControllingTools:
    """Each asks the campaign actor, which acts on commands in the order in which they come."""

    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    async def inject(self, inputs: InjectTransactionInput) -> Answer:
        sender, value = address_of(inputs.sender), int(inputs.value)
        calls = tuple(CallRequest(text, sender=sender, value=value) for text in inputs.sequence)
        done = await steer(self._access, InjectSequence(calls))
        message = f"Injected {done.calls} transactions to {done.workers} workers"
        return Answer({"success": True, "message": message, "injectedCount": done.calls})

    async def prioritize(self, inputs: PrioritizeFunctionInput) -> Answer:
        name = inputs.function_signature
        changed = await steer(self._access, PrioritizeFunction(name))
        unknown = "" if changed.matched else "; the target has no such function, so this has no effect yet"
        # The newest first, as in the contract's example.
        prioritized = list(reversed(changed.prioritized))
        message = f"Prioritized function '{name}'{unknown}"
        return Answer({"success": True, "message": message, "prioritizedFunctions": prioritized})

    async def clear(self, inputs: NoInput) -> Answer:
        count = await steer(self._access, ClearPriorities())
        return Answer({"success": True, "message": f"Cleared {count} prioritized functions", "clearedCount": count})
