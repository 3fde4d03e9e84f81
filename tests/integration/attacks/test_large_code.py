"""Code that is large in one direction only: preparing it takes steps in proportion to its length.

A step for each pair of its parts would take minutes for these.
"""

from __future__ import annotations

import pytest

from tools.analysis.test_generator.calls import MAX_TRIED
from tools.analysis.test_generator.generator import prepared
from tools.analysis.test_generator.tool import MAX_CODE_LENGTH
from tools.errors import ToolError

COUNT = 4_000
METHODS = " ".join(f"m{number}(x){{}}" for number in range(COUNT // 2))
LARGE = {
    "functions": "\n".join(f"function f{number}(){{}}" for number in range(COUNT // 2)),
    "constants": "const " + ",".join(f"f{number}=()=>1" for number in range(COUNT // 2)) + ";",
    "parameters": f"function f({','.join(f'a{number}' for number in range(COUNT))}) {{ return a1; }}",
    "statements": f"function f(a) {{ {'a;' * COUNT} }}",
    "lines": "function f(a) {\n" + "a;\n" * COUNT + "}",
    "directives": "function f(a) {\n" + "'a';\n" * COUNT + "}",
    "arms": "function f(a) {\n" + "a?1:2;\n" * COUNT + "}",
    "methods and their constructor": f"class A {{ constructor(a) {{ {'a;' * COUNT} }} {METHODS} }}",
}


@pytest.mark.parametrize("direction", LARGE)
def test_large_code_is_prepared_in_proportion(direction: str):
    """Marks and calls are made, the calls no more than may be tried."""
    code = LARGE[direction]
    assert len(code) <= MAX_CODE_LENGTH
    subject, marks, calls = prepared(code)
    assert subject.functions
    assert 0 < len(calls) <= MAX_TRIED
    assert len(marks.places) < len(code)


def test_a_module_has_one_default(subtests: pytest.Subtests):
    """Each more would be another pass over the code."""
    for count in (2, COUNT // 2):
        with subtests.test(count), pytest.raises(ToolError, match="line 2 exports a second default"):
            prepared("export default 1;\n" * count)
