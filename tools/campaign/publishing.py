"""Publication of campaign tools."""

from __future__ import annotations

from functools import partial

from tools import publishing
from tools.tool import Family

looking = partial(publishing.looking, family=Family.CAMPAIGN, of_campaign=True)
acting = partial(publishing.acting, family=Family.CAMPAIGN, of_campaign=True)
