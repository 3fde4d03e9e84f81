"""`campaignId`: published by the registry, read before a tool is called, and known to no tool."""

from __future__ import annotations

import json

import pytest

from tests.support.tool_set import NoInput
from tools.campaign.publishing import looking
from tools.campaign.several import MAX_ENDED, MeantCampaign, ServedCampaigns
from tools.dispatcher import Dispatcher
from tools.errors import ToolError
from tools.registry import CAMPAIGN_ID, ToolRegistry
from tools.tool import Answer


def begun(campaigns: ServedCampaigns, count: int) -> list[str]:
    """So many campaigns that compile."""
    places = [campaigns.begin(f"Target{number}") for number in range(count)]
    for place in places:
        place.phase = "compiling"
    return [place.id for place in places]


def dispatcher_of(campaigns: ServedCampaigns) -> Dispatcher:
    """A tool that answers with the campaign it means."""
    access = MeantCampaign(campaigns)

    async def meant(inputs: NoInput) -> Answer:
        return Answer({"id": access.place.id})

    tool = looking("which", "Which campaign is meant.", (NoInput, None), meant)
    return Dispatcher(ToolRegistry([tool], campaigns))


async def answer(dispatcher: Dispatcher, **arguments: object) -> dict:
    body = json.loads((await dispatcher.call("which", arguments)).text)
    return body.get("error", body)


async def test_a_call_means_the_only_campaign_or_the_one_that_it_names():
    campaigns = ServedCampaigns()
    dispatcher = dispatcher_of(campaigns)
    (first,) = begun(campaigns, 1)
    assert await answer(dispatcher) == {"id": first}
    (second,) = begun(campaigns, 1)
    assert (await answer(dispatcher))["details"] == {"reason": "CAMPAIGN_NOT_NAMED"}
    assert await answer(dispatcher, campaignId=first) == {"id": first}
    campaigns.named(second).phase = ""
    assert await answer(dispatcher) == {"id": first}
    campaigns.named(first).phase = ""
    assert await answer(dispatcher) == {"id": second}


@pytest.mark.parametrize("name", [None, "", 7, [], "x" * 65, "c9", "../c1", "c1\n", "C1"])
async def test_what_is_no_id_is_refused(name: object):
    campaigns = ServedCampaigns()
    begun(campaigns, 1)
    refused = await answer(dispatcher_of(campaigns), campaignId=name)
    assert refused["code"] == "INVALID_INPUT"


def test_the_argument_is_in_the_published_schema_and_not_in_the_tools_own():
    registry = dispatcher_of(ServedCampaigns()).registry
    tool = registry.find("which")
    assert CAMPAIGN_ID in registry.input_schema(tool)["properties"]
    assert CAMPAIGN_ID not in tool.arguments.model_fields
    assert CAMPAIGN_ID not in registry.input_schema(tool, brief=True)["properties"]


def test_ended_campaigns_are_forgotten_and_ids_are_not_given_again():
    campaigns = ServedCampaigns()
    names = [campaigns.begin().id for _ in range(MAX_ENDED + 3)]
    assert len(set(names)) == len(names)
    assert [place.id for place in campaigns.known] == names[-MAX_ENDED:]
    with pytest.raises(ToolError, match="there is no campaign"):
        campaigns.named(names[0])
