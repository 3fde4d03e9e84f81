"""Names of files that contracts never write, in every form that a file system may take for them.

Some file systems do not tell upper from lower case, compose characters, drop characters without width, or drop dots
and spaces at the end of a name; NTFS reads what follows a colon as a stream, and has short names such as FOUNDR~1.TOM.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

CONFIGURATION = "foundry.toml"
PROTECTED = (CONFIGURATION, ".env", ".git", ".hg", ".svn")
"""The project's configuration, and what other programs obey without being asked."""
_SHORT_NAMES = {"foundr": CONFIGURATION, "env": ".env", "git": ".git", "hg": ".hg", "svn": ".svn"}
_SHORT = re.compile(r"(?P<stem>[^.~]{1,6})~\d+(\..{0,3})?")


def protected_part(path: Path) -> str | None:
    """The protected name that a part of a path, or all of it, may stand for; None when there is none."""
    return next((found for part in path.parts if (found := _protected(part))), None)


def _protected(part: str) -> str | None:
    name = _plain(part)
    if short := _SHORT.fullmatch(name):
        return _SHORT_NAMES.get(short["stem"])
    return name if name in PROTECTED else None


def _plain(part: str) -> str:
    """A name as the most forgetful file system sees it."""
    visible = "".join(each for each in part if unicodedata.category(each) not in ("Cf", "Cc", "Mn"))
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return unicodedata.normalize("NFKC", folded).partition(":")[0].rstrip(". ")
