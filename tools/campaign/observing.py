"""Campaign tools that observe: logs and corpus."""

from __future__ import annotations

from simulator.corpus.call_reading import ReadableTransaction
from tools.campaign.access import CampaignAccess
from tools.campaign.events import event_object
from tools.campaign.fields import address_of
from tools.campaign.inputs import FindTransactionInput, InspectCorpusInput, NoInput, ReadLogsInput
from tools.tool import Answer, JsonObject


class ObservingTools:
    """Answers come from what the actors publish: no message is sent, so they cannot block."""

    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    async def read_logs(self, inputs: ReadLogsInput) -> Answer:
        parts = self._access.current
        # What the contract does not name, such as commands and warnings, is reported by wait_for_event.
        found = parts.log.newest_named(inputs.count, event_type=inputs.event_type, worker=inputs.worker_id)
        places = parts.coverage.tracker.place_at
        events = [event_object(logged, parts.call_texts, places) for logged in found]
        return Answer({"events": events, "totalCount": parts.log.statistics().named})

    async def get_corpus_size(self, inputs: NoInput) -> Answer:
        return Answer({"size": self._access.current.corpus.size})

    async def inspect_corpus(self, inputs: InspectCorpusInput) -> Answer:
        page = await self._access.current.corpus.page(inputs.offset, inputs.limit)
        return Answer({"transactions": [transaction_object(each) for each in page.transactions], "total": page.total})

    async def find_transaction(self, inputs: FindTransactionInput) -> Answer:
        found = await self._access.current.corpus.find(
            signature=inputs.function_signature,
            sender=address_of(inputs.sender) if inputs.sender is not None else None,
            minimum_value=int(inputs.min_value or "0"),
        )
        return Answer({"matches": [transaction_object(each) for each in found.matches], "count": found.count})


def transaction_object(transaction: ReadableTransaction) -> JsonObject:
    """An item of the contract's lists; `gasUsed` only where a worker has measured it."""
    item: JsonObject = {
        "index": transaction.index,
        "call": transaction.call,
        "sender": transaction.sender,
        "value": transaction.value,
    }
    if transaction.gas_used is not None:
        item["gasUsed"] = transaction.gas_used
    return item
