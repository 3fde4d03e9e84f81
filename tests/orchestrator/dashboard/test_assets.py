"""The files of the page: small, whole, in the package, and from nowhere else."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from orchestrator.dashboard.application import HEADERS
from orchestrator.dashboard.static_files import static_files
from orchestrator.import_graph import ROOT

MAX_BYTES = 300_000
ASSETS = Path(str(files("orchestrator.dashboard") / "assets"))
OURS = {path: file.content.decode() for path, file in static_files().items() if not path.startswith("/vendor/")}


def test_all_files_together_are_small():
    assert sum(path.stat().st_size for path in ASSETS.rglob("*") if path.is_file()) < MAX_BYTES


def test_every_file_of_the_folder_is_packaged_and_served():
    """The package data names the folder, and each file in it has a type that the page is served with."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert data["orchestrator.dashboard"] == ["assets/**/*"]
    assert {f"/{path.relative_to(ASSETS)}" for path in ASSETS.rglob("*") if path.is_file()} == set(static_files()) - {
        "/"
    }


def test_the_chart_library_has_its_licence_beside_it():
    assert "MIT License" in static_files()["/vendor/uPlot.LICENSE.txt"].content.decode()
    assert b"uPlot" in static_files()["/vendor/uPlot.iife.min.js"].content


def test_the_policy_lets_the_page_load_nothing_from_elsewhere():
    policy = dict(part.split(maxsplit=1) for part in HEADERS["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in HEADERS["content-security-policy"]


@pytest.mark.parametrize("path", OURS)
def test_no_file_names_another_host_or_parses_markup(path: str):
    text = OURS[path]
    assert not re.search(r"https?://", text)
    assert not re.search(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function)", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=", text) or not path.endswith(
        (".html", "/")
    )


@pytest.mark.parametrize("path", [path for path in OURS if path.endswith(".js")])
def test_every_module_that_is_imported_is_there(path: str):
    folder = path.rpartition("/")[0]
    for name in re.findall(r'(?:from|import) "(\.[^"]+)"', OURS[path]):
        parts = f"{folder}/{name}".split("/")
        while ".." in parts:
            at = parts.index("..")
            del parts[at - 1 : at + 1]
        assert "/".join(part for part in parts if part != ".").replace("//", "/") in static_files(), name


def test_every_panel_of_the_table_is_a_module_with_a_title():
    table = re.search(r"const PANELS = \[(.*?)\n\];", OURS["/dashboard.js"], re.DOTALL)
    assert table is not None
    names = re.findall(r'\["([a-z]+)"', table[1])
    assert len(names) == 10
    for name in names:
        assert "export const title" in OURS[f"/panels/{name}.js"]
        assert "export function mount" in OURS[f"/panels/{name}.js"]
