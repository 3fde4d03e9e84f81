"""Fetch the chart library of the page from the npm registry: `python -m orchestrator.dashboard.vendor`.

`npm pack` is asked for one version, its archive is compared with the digest below, and the files that the page loads
are written to `assets/vendor/`, the licence among them.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final

from orchestrator.streams import write_stderr

PACKAGE: Final = "uplot@1.6.32"
DIGEST: Final = "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
"""Subresource integrity of the archive, as the registry and lock files write it."""
FILES: Final[Mapping[str, str]] = {
    "package/dist/uPlot.iife.min.js": "uPlot.iife.min.js",
    "package/dist/uPlot.min.css": "uPlot.min.css",
    "package/LICENSE": "uPlot.LICENSE.txt",
}
FOLDER: Final = Path(__file__).parent / "assets" / "vendor"


def fetch(folder: Path = FOLDER) -> None:
    """Write the files to `folder`. Raises `SystemExit` with a sentence for whatever is missing or differs."""
    npm = which("npm")
    if npm is None:
        raise SystemExit("npm is not on PATH; it fetches the chart library")
    with TemporaryDirectory() as temporary:
        subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=temporary, check=True, stdout=subprocess.DEVNULL)
        archive = next(Path(temporary).glob("*.tgz"))
        found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if found != DIGEST:
            raise SystemExit(f"{PACKAGE} has the digest {found}, not {DIGEST}: nothing was written")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as members:
            for member, name in FILES.items():
                content = members.extractfile(member)
                if content is None:
                    raise SystemExit(f"{PACKAGE} has no file {member}")
                (folder / name).write_bytes(content.read())
    write_stderr(f"{PACKAGE}: {len(FILES)} files in {folder}")


if __name__ == "__main__":
    fetch()
