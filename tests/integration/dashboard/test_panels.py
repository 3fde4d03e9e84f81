"""The dashboard's panels in a real browser, over real campaigns."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.dashboard_browser import (
    BROWSER,
    Dashboard,
    ask,
    axe_problems,
    browser,
    dashboard,
    enter,
    opened,
    panel,
    stop,
)
from tests.support.patience import wait_for

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra `test`)")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH: the dashboard is not tested in a browser"),
]
NAMES = (
    "verdicts", "progress", "frontier", "functions", "source", "finding", "workers", "corpus", "history", "injection",
)  # fmt: skip
HOSTILE = "<img src=x onerror=window.hacked=1>"
GATE = Path(__file__).with_name("Gate.sol")


def fuzz(target: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--workers", "1", "--seed", "1", "--timeout", "36000", "--corpus-dir", str(folder)]
    return ["fuzz", str(target), *flags, *more]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Dashboard]:
    """A campaign with a finding, open branches, and names that browsers must not believe."""
    folder = tmp_path_factory.mktemp("gate")
    source = folder / f"{HOSTILE}.sol"
    shutil.copy(GATE, source)
    corpus = folder / "corpus"
    with dashboard(fuzz(source, corpus, "--contract", "Gate"), corpus, home) as shown:
        yield shown


@pytest.fixture
def page(gate: Dashboard, tmp_path: Path) -> Iterator[Any]:
    with browser(tmp_path / "profile") as context:
        page = opened(context, gate)
        yield page
        assert page.problems == []
        assert page.evaluate("window.hacked") is None


def until_found(page: Any) -> None:
    """The property that is broken has failed, and was shrunk."""
    wait_for(lambda: any(each["minimal"] for each in ask(page, "list_findings")["findings"]), "a minimal finding")


def test_every_panel_shows_a_campaign(page: Any):
    """Each panel has something of the campaign to show."""
    until_found(page)
    for name in NAMES:
        panel(page, name).locator(".panel-body > :not([hidden])").first.wait_for()
    assert "echidna_total_is_small" in panel(page, "verdicts").inner_text()
    frontier = panel(page, "frontier")
    frontier.get_by_text("if (total > 10 ** 30)").wait_for()
    frontier.get_by_text("needs the first above the second").wait_for()
    functions = panel(page, "functions")
    functions.get_by_role("rowheader", name="Gate.deposit(uint256)").wait_for()
    source = panel(page, "source")
    source.get_by_text("never executed").first.wait_for(state="attached")
    source.get_by_text("if never true").first.wait_for()
    finding = panel(page, "finding")
    finding.get_by_text("the property returned false").wait_for()
    finding.get_by_role("group").or_(finding.locator("details")).first.wait_for()
    panel(page, "corpus").get_by_role("row").nth(1).wait_for()
    panel(page, "workers").get_by_text("worker 0").or_(panel(page, "workers").get_by_text("fuzzing")).first.wait_for()


def test_hostile_text_is_shown_as_what_it_is(page: Any):
    """Paths, strings, reasons and sources: markup stays text, what controls a terminal or turns text is an escape."""
    until_found(page)
    source = panel(page, "source")
    source.get_by_text("Turned: \\u{202e}eurt syawla\\u{202c}").wait_for()
    source.get_by_label("File").locator("option", has_text=HOSTILE).wait_for(state="attached")
    injection = panel(page, "injection")
    injection.get_by_label("Call", exact=True).fill("deposit(5000)")
    injection.get_by_text("✓ Gate.deposit(uint256)").wait_for()
    injection.get_by_role("button", name="try").click()
    injection.locator(".p-outcomes").get_by_text(HOSTILE).wait_for()
    panel(page, "finding").get_by_text("<script>window.hacked=1</script>").first.wait_for()
    for name in NAMES:
        panel(page, name).locator(".panel-body > :not([hidden])").first.wait_for()
        assert page.locator(f"#panel-{name} img, #panel-{name} script").count() == 0
    shown = page.locator("#panels").inner_text()
    assert not any(each in shown for each in "\x1b\u202e\u202c")


def test_a_frontier_button_steers_the_campaign(page: Any, gate: Dashboard):
    """Focus, solve and exclude change what steers the campaign, and stand in its command log; inject opens the box."""
    frontier = panel(page, "frontier")
    card = frontier.get_by_role("listitem").filter(has_text="if (total > 10 ** 30)")
    card.get_by_role("button", name="focus Gate.unlock(uint256)").click()
    wait_for(lambda: "unlock(uint256)" in ask(page, "list_steering")["prioritized"])
    assert gate.commanded("prioritize_function")["args"]["functionSignature"] == "unlock(uint256)"
    card.get_by_role("button", name="solve").click()
    wait_for(lambda: ask(page, "list_steering")["templates"])
    assert ask(page, "list_steering")["dictionaryWords"] > 0
    assert gate.commanded("add_dictionary_values")
    assert "?" in json.dumps(gate.commanded("inject_template"))
    card.get_by_role("button", name="exclude").click()
    wait_for(lambda: ask(page, "list_steering")["excluded"])
    assert gate.commanded("exclude_function")
    card.get_by_role("button", name="inject at").click()
    injection = panel(page, "injection")
    wait_for(lambda: injection.get_by_label("Call", exact=True).first.input_value())
    functions = panel(page, "functions")
    functions.get_by_text("excluded", exact=True).first.wait_for()
    functions.get_by_role("button", name="reset all").click()
    wait_for(lambda: not ask(page, "list_steering")["excluded"])
    assert gate.commanded("reset_functions")
    ask(page, "remove_templates")


def test_a_slider_sets_the_weight_of_a_function(page: Any, gate: Dashboard):
    """By keyboard, and reasons are sampled from the corpus."""
    functions = panel(page, "functions")
    slider = functions.get_by_role("slider", name="weight of Gate.deposit(uint256)")
    slider.focus()
    slider.press("End")
    wait_for(lambda: ask(page, "list_steering")["weights"].get("Gate.deposit(uint256)") == 1000)
    logged = gate.commanded("set_function_weights")["args"]["weights"]
    assert logged == [{"function": "Gate.deposit(uint256)", "weight": 1000.0}]
    functions.get_by_role("button", name="reasons of Gate.deposit(uint256)").press("Enter")
    functions.get_by_text(HOSTILE).first.wait_for()
    functions.get_by_role("button", name="reset all").press("Enter")
    wait_for(lambda: not ask(page, "list_steering")["weights"])


def test_the_source_shows_what_a_finding_and_an_entry_cover(page: Any):
    """Jump to a function, and see the lines that one sequence executes."""
    until_found(page)
    source = panel(page, "source")
    source.get_by_label("Function").locator("option", has_text="Gate.unlock").wait_for(state="attached")
    source.get_by_label("Function").select_option(label=next(
        text for text in source.get_by_label("Function").locator("option").all_inner_texts() if "Gate.unlock" in text
    ))  # fmt: skip
    source.locator("tr.p-chosen", has_text="function unlock").wait_for()
    entry = ask(page, "page_corpus", order="oldest")["entries"][0]["id"]
    corpus = panel(page, "corpus")
    corpus.get_by_label("Order").select_option("oldest")
    corpus.get_by_role("button", name=f"corpus entry {entry}").first.click()
    corpus.get_by_role("heading", name=f"Entry {entry}").wait_for()
    corpus.get_by_role("button", name="lines it covers").click()
    source.locator("tr.p-covered").first.wait_for()
    source.get_by_text("lines by what was chosen").wait_for()
    finding = panel(page, "finding")
    finding.get_by_role("button", name="lines it covers").click()
    source.locator("tr.p-covered", has_text="steps += 1").wait_for(state="detached")
    source.locator("tr.p-covered", has_text="total += amount").wait_for()


def test_a_finding_is_verified_and_copied(page: Any, tmp_path: Path):
    """It is executed again, its storage changes are told, and copies for three tools are on the clipboard."""
    until_found(page)
    finding = panel(page, "finding")
    finding.get_by_role("button", name="verify").click()
    finding.get_by_text("Verified now: it fails again").wait_for()
    finding.get_by_role("button", name="show storage changes").click()
    changes = finding.get_by_role("region", name="storage changes")
    changes.get_by_role("row").nth(1).wait_for()
    assert "deposit(" in changes.inner_text()
    for button, wanted in (
        ("copy Foundry test", "function test_reproduce()"),
        ("copy Echidna JSON", '"tag"'),
        ("copy Solidity script", "contract Sequence"),
    ):
        finding.get_by_role("button", name=button).click()
        wait_for(lambda wanted=wanted: wanted in page.evaluate("navigator.clipboard.readText()"))
    finding.get_by_role("button", name="fold all", exact=True).click()
    assert finding.locator("details[open]").count() == 0
    finding.get_by_role("button", name="unfold all").click()
    assert finding.locator("details[open]").count() > 0


def test_the_corpus_is_searched_as_the_tools_search(page: Any):
    """A bare name finds all of its calls; an entry goes into the injection box."""
    corpus = panel(page, "corpus")
    corpus.get_by_label("Function").fill("deposit")
    least = ask(page, "search_corpus", function="deposit")["total"]
    corpus.get_by_label("Function").press("Enter")

    def is_shown() -> bool:
        # The campaign continues: entries come, and leave for shorter ones, between a look and the next.
        found = re.search(r"([\d,]+) transactions", corpus.locator(".p-summary").inner_text())
        shown = int(found[1].replace(",", "")) if found else -1
        return shown in (least, ask(page, "search_corpus", function="deposit")["total"])

    wait_for(is_shown)
    corpus.get_by_label("Sender").fill("nobody")
    corpus.get_by_label("Sender").press("Enter")
    corpus.locator(".p-error").wait_for()
    page.problems.clear()  # a refused question is an answer with status 400


def test_calls_are_completed_checked_tried_and_injected(page: Any, gate: Dashboard):
    """Completion while typing, a problem named at its call, a trial run with its trace, then the injection."""
    injection = panel(page, "injection")
    call = injection.get_by_label("Call", exact=True)
    call.focus()
    page.keyboard.type("depo")
    wait_for(lambda: "deposit(?)" in _completions(page, call))
    page.keyboard.type("sit(tru")
    injection.locator(".p-problem.p-error").wait_for()
    assert call.get_attribute("aria-invalid") == "true"
    assert injection.get_by_role("button", name="try").is_disabled()
    call.fill("deposit(417)")
    injection.get_by_text("✓ Gate.deposit(uint256)").wait_for()
    inject = injection.get_by_role("button", name="inject", exact=True)
    assert inject.is_disabled()
    injection.get_by_role("button", name="try").click()
    injection.get_by_text("every call succeeds").wait_for()
    injection.get_by_text("Gate::deposit(417)").first.wait_for()
    assert not any(each["tool"] == "inject_transaction" for each in gate.commands())
    inject.click()
    injection.get_by_text("injected: 1 calls").wait_for()
    assert gate.commanded("inject_transaction")["args"]["sequence"] == ["deposit(417)"]
    assert ask(page, "list_steering")["injectedSequences"] >= 1
    call.press("Enter")
    second = injection.get_by_label("Call", exact=True).nth(1)
    second.fill("say(?)")
    injection.get_by_text("with open arguments").wait_for()
    injection.get_by_role("button", name="use as template").click()
    injection.get_by_text("of all sequences are built around it").wait_for()
    assert gate.commanded("inject_template")
    ask(page, "remove_templates")


def _completions(page: Any, call: Any) -> str:
    options = call.evaluate("each => [...each.list.options].map((option) => option.value)")
    return " ".join(options)


def test_a_reader_steers_nothing(gate: Dashboard, tmp_path: Path):
    """With the token for reading, what would steer is off."""
    with browser(tmp_path / "profile") as context:
        page = opened(context, gate, gate.read)
        functions = panel(page, "functions")
        slider = functions.get_by_role("slider").first
        slider.wait_for()
        wait_for(slider.is_disabled)
        frontier = panel(page, "frontier")
        frontier.get_by_role("button", name="inject at").first.wait_for()
        assert frontier.get_by_role("button", name="solve").first.is_disabled()
        assert page.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(gate: Dashboard, tmp_path: Path, scheme: str):
    """With every panel filled, an entry and a trial run open."""
    pytest.importorskip("axe_playwright_python", reason="axe-core is not installed (extra `test`)")
    with browser(tmp_path / "profile", color_scheme=scheme, bypass_csp=True) as context:
        page = opened(context, gate)
        until_found(page)
        for name in NAMES:
            panel(page, name).locator(".panel-body > :not([hidden])").first.wait_for()
        panel(page, "frontier").get_by_role("listitem").first.wait_for()
        panel(page, "functions").get_by_role("slider").first.wait_for()
        panel(page, "source").locator(".p-half").first.wait_for()
        panel(page, "corpus").get_by_role("button", name="corpus entry").first.click()
        page.get_by_role("heading", name="Relatives").wait_for()
        finding = panel(page, "finding")
        finding.get_by_role("button", name="show storage changes").click()
        finding.get_by_role("region", name="storage changes").wait_for()
        injection = panel(page, "injection")
        injection.get_by_label("Call", exact=True).fill("deposit(1)")
        injection.get_by_text("✓ Gate.deposit(uint256)").wait_for()
        injection.get_by_role("button", name="try").click()
        injection.get_by_text("Trial run").wait_for()
        assert axe_problems(page) == []


def test_a_phone_needs_no_horizontal_scrolling(gate: Dashboard, tmp_path: Path):
    """At a width of 390 pixels nothing but scrolling regions is wider than the page."""
    with browser(tmp_path / "profile", viewport={"width": 390, "height": 844}) as context:
        page = opened(context, gate)
        until_found(page)
        for name in NAMES:
            panel(page, name).locator(".panel-body > :not([hidden])").first.wait_for()
        panel(page, "corpus").get_by_role("button", name="corpus entry").first.wait_for()
        panel(page, "finding").locator(".p-tree").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.problems == []


def test_two_browsers_see_what_each_does(gate: Dashboard, tmp_path: Path):
    """What one excludes, the other sees without asking for it."""
    with browser(tmp_path / "one") as context:
        first = opened(context, gate)
        second = opened(context, gate)
        row = panel(second, "functions").get_by_role("row").filter(has_text="Gate.step(uint256)")
        row.wait_for()
        first.bring_to_front()
        panel(first, "functions").get_by_role("button", name="exclude Gate.step(uint256)").click()
        second.bring_to_front()
        row.get_by_text("excluded", exact=True).wait_for()
        panel(second, "functions").get_by_role("button", name="reset all").click()
        first.bring_to_front()
        row = panel(first, "functions").get_by_role("row").filter(has_text="Gate.step(uint256)")
        row.get_by_text("excluded", exact=True).wait_for(state="detached")
        assert first.problems == second.problems == []


def test_a_page_comes_back_after_its_server_was_away(tmp_path: Path, home: Path):
    """It says that the connection is lost, connects again by itself, and shows the campaign that runs then."""
    corpus = tmp_path / "corpus"
    arguments = fuzz(GATE, corpus, "--contract", "Gate")
    with browser(tmp_path / "profile") as context:
        with dashboard(arguments, corpus, home) as shown:
            port = int(shown.url.rpartition(":")[2])
            page = opened(context, shown)
            until_found(page)
            stop(shown.process)
        wait_for(lambda: "connected" not in page.locator("#connection").inner_text().split())
        with dashboard([*arguments, "--resume"], corpus, home, port):
            wait_for(lambda: "dashboard" not in page.url and page.locator("#connection").inner_text() != "")
            # Tickets and tokens of pages end with the program; a token of the file continues.
            if page.locator("#token").is_visible():
                enter(page, shown.control)
            panel(page, "functions").get_by_role("rowheader", name="Gate.deposit(uint256)").wait_for()
            wait_for(lambda: ask(page, "status")["running"])
            panel(page, "verdicts").get_by_text("echidna_total_is_small").first.wait_for()


def test_the_folder_of_an_ended_campaign_opens_as_a_page(tmp_path: Path, home: Path):
    """`monotreme show` has the panels of a campaign whose program is gone."""
    corpus = tmp_path / "corpus"
    with browser(tmp_path / "profile") as context:
        with dashboard(fuzz(GATE, corpus, "--contract", "Gate"), corpus, home) as shown:
            page = opened(context, shown)
            until_found(page)
        with dashboard(["show", str(corpus), "--dashboard"], corpus, home) as shown:
            page = opened(context, shown)
            panel(page, "verdicts").get_by_text("echidna_total_is_small").first.wait_for()
            panel(page, "finding").get_by_text("the property returned false").wait_for()
            panel(page, "functions").get_by_role("rowheader", name="Gate.deposit(uint256)").wait_for()
            assert panel(page, "functions").get_by_role("slider").first.is_disabled()
            panel(page, "frontier").get_by_text("if (total > 10 ** 30)").wait_for()
            source = panel(page, "source")
            source.get_by_text("never true").first.wait_for()
            source.locator("tr.p-hit", has_text="total += amount").wait_for()
            corpus = panel(page, "corpus")
            corpus.get_by_label("Function").fill("deposit")
            corpus.get_by_label("Function").press("Enter")
            corpus.get_by_role("button", name="corpus entry").first.click()
            corpus.get_by_role("heading", name="Relatives").wait_for()
            panel(page, "injection").get_by_text("The folder of a campaign does not hold this").wait_for()
