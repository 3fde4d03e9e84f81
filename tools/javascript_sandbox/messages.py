"""Messages to the confined process, and the accepted forms and sizes of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

MAX_TEXT_LENGTH = 16_000
Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_LENGTH)]


class SandboxCall(msgspec.Struct, frozen=True):
    """`invocation` is an expression over `local`, which stands for what the subject has under `key`. `name` tells calls
    of one function from those of others."""

    name: str
    key: str
    local: str
    invocation: str


class SandboxJob(msgspec.Struct, frozen=True):
    """`subject` is the source of a function: of an array with `places` elements, to the object of the functions under
    test. Each call has `milliseconds`. `late` says how often functions were late before. `absent` names what the realm
    pretends to lack and reports the use of; `recent` what it has and shall lack."""

    subject: str
    places: int
    calls: Sequence[SandboxCall]
    milliseconds: int
    late: Mapping[str, int]
    absent: Sequence[str]
    recent: Sequence[str]


class SandboxReady(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The engine's version and what holds in its process, or why there is none."""

    engine: Text = ""
    protections: tuple[Text, ...] = ()
    failed: Text = ""


class CodeLoaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`error` says why the subject could not be loaded, and `uses` what it touched; `error` None when it could."""

    error: Text | None = None
    uses: Text = ""


class Observed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Outcome of one call. `kind` is late for one that did not end in its time, large for one that took too much
    memory, broken for one that cannot be determined. `source` is a literal of the value, None without one. `iterates`
    says that the value is a generator and `source` its items: "all" of them or the "first" few. `uses` names what the
    call touched that a test cannot rely on. `hits` are the places that it came by: a hexadecimal digit for each four,
    the first in its lowest bit.
    """

    kind: Literal["value", "throw", "late", "large", "broken"]
    source: Text | None = None
    type: Text = ""
    name: Text = ""
    message: Text = ""
    awaited: bool = False
    iterates: Literal["", "all", "first"] = ""
    uses: Text = ""
    hits: Annotated[str, msgspec.Meta(max_length=100_000, pattern="^[0-9a-f]*$")] = ""
