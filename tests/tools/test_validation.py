"""Arguments from outside: what is said about those that do not fit."""

import pytest

from tools.campaign.extensions.functions import AddDictionaryInput, SetWeightsInput
from tools.campaign.inputs import InjectTransactionInput, ReadLogsInput
from tools.campaign.trials.execution import ExecuteSequenceInput
from tools.coverage.inputs import OverallCoverageInput
from tools.errors import ToolError
from tools.tool import ToolInput
from tools.validation import validated


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        (ExecuteSequenceInput, {"sequence": ["f()"]}, "sequence[0] must be an object with call"),
        (ExecuteSequenceInput, {"sequence": "f()"}, "sequence must be a list"),
        (AddDictionaryInput, {"values": [5]}, "values[0] must be an object with value"),
        (SetWeightsInput, {"weights": {"f": 2}}, "weights must be a list"),
        (SetWeightsInput, {"weights": ["f"]}, "weights[0] must be an object with function, weight"),
        (InjectTransactionInput, {"sequence": []}, "sequence must have at least 1 item"),
        (InjectTransactionInput, {"sequence": ["f()"] * 101}, "sequence must have at most 100 items"),
        (OverallCoverageInput, {"lcovPath": ""}, "lcovPath must have at least 1 character"),
        (ReadLogsInput, {"count": 0}, "count must be greater than or equal to 1"),
    ],
)
def test_wrong_shapes_are_described_in_the_words_of_json(model: type[ToolInput], arguments: dict, message: str):
    """Clients know lists and objects, and are told the fields that an object needs; no name of a class appears."""
    with pytest.raises(ToolError) as caught:
        validated(model, arguments)
    assert caught.value.message == message
