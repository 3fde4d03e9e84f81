"""The coverage page."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from orchestrator.report.html import render_html
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount

HOSTILE = '</i></pre><script>alert(1)</script><img src=x onerror="alert(2)">&amp;\u202e\x00'
_VOID = frozenset(("meta", "input"))


class Outline(HTMLParser):
    """Checks that tags nest, and collects them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def page_of(*files: FileCoverage, title: str = "Token") -> str:
    return render_html(files, title=title, generated=1_700_000_000)


def lines_of(page: str) -> dict[str, str]:
    """Each source line's element by its id."""
    return dict(re.findall(r'<i id="(f\d+L\d+)"(.*?)</i>', page, re.DOTALL))


def test_the_page_shows_shares_and_files(files: tuple[FileCoverage, ...]) -> None:
    """Totals of lines, branches and functions, and a row for each file."""
    page = page_of(*files)
    assert "<b>66.7%</b><span>2 of 3 lines</span>" in page
    assert "<b>75.0%</b><span>3 of 4 branches</span>" in page
    assert "<b>50.0%</b><span>1 of 2 functions</span>" in page
    assert "2023-11-14 22:13:20 UTC" in page
    rows = [attributes["data-file"] for tag, attributes in outline(page).tags if tag == "tr" and attributes]
    assert rows == ["0", "1"]


def test_lines_show_hits_outcomes_and_gaps(files: tuple[FileCoverage, ...]) -> None:
    """A gap names the side that is missing, in words of the source; sides that were both seen are silent."""
    lines = lines_of(page_of(*files))
    assert len(lines) == 9
    assert lines["f0L3"] == (
        ' class="p"><b title="12,345 times">roe 12.3k</b>    if (a &gt; 1 &amp;&amp; b) {<em>if: never true</em>'
    )
    assert lines["f0L4"] == ' class="m"><b title="0 times">0</b>      g();'
    assert lines["f0L1"] == "><b></b>contract A {"
    assert lines["f1L1"] == ' class="h"><b title="3 times">3</b>contract B { uint x; }'


def test_functions_link_to_their_lines(files: tuple[FileCoverage, ...]) -> None:
    """With the number of entries, and those never entered marked."""
    page = page_of(*files)
    assert '<li><a href="#f0L2">A.f</a><span>12.3k</span></li>' in page
    assert '<li class="miss"><a href="#f0L8">A.g</a><span>0</span></li>' in page


def test_text_from_outside_stays_text() -> None:
    """Sources, paths, names and titles are escaped; invisible and direction-changing characters become visible."""
    file = FileCoverage(HOSTILE, HOSTILE, (LineCount(1, 1, "A"),), (), (FunctionCount(1, 1, HOSTILE, 1),))
    page = page_of(file, title=HOSTILE)
    tags = [tag for tag, _ in outline(page).tags]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert "\u202e" not in page
    assert "\\u202e\\x00" in page
    line = lines_of(page)["f0L1"]
    assert unescape(line).endswith(HOSTILE[:-2] + "\\u202e\\x00")


def test_unpaired_surrogates_do_not_break_the_page() -> None:
    """A source that is no UTF-8 is shown with replacements."""
    page = page_of(FileCoverage("a.sol", "string s = '\udcff';")).encode("utf-8")
    assert b"string s = &#39;\\xff&#39;;" in page


def test_the_policy_allows_exactly_the_inline_style_and_script(files: tuple[FileCoverage, ...]) -> None:
    """Hashes match what stands in the page; everything else is forbidden."""
    page = page_of(*files)
    metas = [a["content"] for tag, a in outline(page).tags if tag == "meta" and a.get("http-equiv")]
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*)</script>", page, re.DOTALL)
    assert style is not None
    assert script is not None
    digests = [base64.b64encode(hashlib.sha256(m[1].encode()).digest()).decode() for m in (style, script)]
    assert metas == [
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    ]


def test_the_page_needs_nothing_else(files: tuple[FileCoverage, ...]) -> None:
    """No address, no inline style or handler that the policy would forbid."""
    page = page_of(*files)
    assert "http://" not in page
    assert "https://" not in page
    for _, attributes in outline(page).tags:
        assert not {name for name in attributes if name.startswith("on") or name in ("style", "src")}
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]


def test_copied_source_is_source(files: tuple[FileCoverage, ...]) -> None:
    """Line numbers are drawn by the style sheet and are no text of the page."""
    assert not re.search(r">\s*\d+\s*contract A", page_of(*files))


def test_a_long_file_costs_little_a_line() -> None:
    """One element and one figure a line keep big projects quick to open."""
    source = "\n".join("        total += 1;" for _ in range(20_000))
    lines = tuple(LineCount(number, number % 7, "A") for number in range(1, 20_001))
    page = page_of(FileCoverage("Big.sol", source, lines))
    assert len(page) < 20_000 * 120
    assert page.count("<i ") == 20_000


@pytest.mark.parametrize(
    ("kind", "counts", "text"),
    [
        ("require", (3, 0), "require: never failed"),
        ("require", (0, 3), "require: never passed"),
        ("loop", (0, 3), "loop: never entered"),
        ("ternary", (3, 0), "?: never false"),
        ("or", (0, 1), "||: left side never true"),
        ("and", (1, 0), "&amp;&amp;: left side never false"),
    ],
)
def test_gaps_are_told_in_words(kind: str, counts: tuple[int, int], text: str) -> None:
    """What to try next is what a reader wants to know."""
    branch = BranchCount(1, kind, "A", counts)  # type: ignore[arg-type]
    page = page_of(FileCoverage("a.sol", "x", (LineCount(1, 3, "A"),), (branch,)))
    assert f"<em>{text}</em>" in page


def test_an_empty_report_is_a_page_too() -> None:
    """Nothing was covered, which must not be an error."""
    page = page_of()
    assert "body" in [tag for tag, _ in outline(page).tags]
    assert "<b>0.0%</b><span>0 of 0 lines</span>" in page
    assert lines_of(page) == {}
