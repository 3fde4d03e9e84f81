// Sources with what was executed of them, and what one test or entry covers.

import { attempt, choose, count, el, emptyNote, field, fill, percent, say, statusLine, whileSeen } from "../parts.js";

export const title = "Source";

const MARKS = { r: "reverted here", o: "ran out of gas here", e: "failed here" };

export function mount(root, api) {
  const state = { file: "", start: 1, line: 0, drawn: "" };
  const file = el("select", { change: () => open({ file: file.value }) });
  const jumpTo = el("select", { change: () => { if (jumpTo.value) showLine(Number(jumpTo.value)); } });
  const covered = el("select", { change: () => reload() });
  const entry = el("input", { type: "text", placeholder: "id of a corpus entry", autocomplete: "off", spellcheck: "false", change: () => reload() });
  const status = statusLine();
  const summary = el("p", { class: "p-summary" });
  const lines = el("tbody");
  const table = el("table", { class: "p-source" }, el("caption", { class: "p-offscreen" }, "source with counts"),
    el("thead", { class: "p-offscreen" }, el("tr", {}, ["line", "executed", "notes", "source"].map((text) => el("th", { scope: "col" }, text)))), lines);
  const scroll = el("div", { class: "p-scroll p-source-scroll", role: "region", "aria-label": "lines of the source", tabindex: "0" }, table);
  const back = el("button", { type: "button", click: () => turn(-1) }, "lines before");
  const on = el("button", { type: "button", click: () => turn(1) }, "lines after");
  const none = emptyNote("No source is known yet.");
  fill(root, el("div", { class: "p-controls" },
    field("File", file, { class: "p-field p-wide" }), field("Function", jumpTo), field("Covered by", covered), field("Entry", entry)),
  summary, status, none, scroll, el("div", { class: "p-buttons" }, back, on));

  scroll.hidden = back.hidden = on.hidden = true;

  function turn(step) {
    state.start = Math.max(1, state.start + step * 2000);
    state.line = 0;
    reload();
  }

  async function files() {
    const found = await api.call("page_files", {});
    none.hidden = !found.problem;
    if (found.problem) {
      fill(none, found.problem);
      scroll.hidden = back.hidden = on.hidden = true;
      throw new Error("");
    }
    fill(none, "No source is measured.");
    choose(file, found.files.map((each) => [each.path, `${each.path} (${percent(each.linesHit, each.linesFound)})`]));
    if (state.file && file.value !== state.file) file.value = state.file;
    // What is under test is rather looked at than what it imports: the file that has most left to cover.
    if (!state.file && found.files.length) {
      const worst = found.files.reduce((a, b) => (b.linesFound - b.linesHit > a.linesFound - a.linesHit ? b : a));
      file.value = worst.path;
      state.file = worst.path;
    }
    return found.files.find((each) => each.path === state.file);
  }

  async function refresh() {
    const tests = (api.state?.tests ?? []).filter((each) => each.length);
    choose(covered, [["", "everything"], ...tests.map((each) => [each.id, each.id])]);
    let source;
    let figures;
    try {
      figures = await files();
      none.hidden = Boolean(figures);
      scroll.hidden = !figures;
      if (!figures) return;
      const wanted = { file: state.file, startLine: state.start };
      const by = entry.value.trim() || covered.value;
      if (by) wanted.coveredBy = by;
      source = await api.call("page_source", wanted);
      say(status, "");
    } catch (error) {
      say(status, error.message, true);
      throw error;
    }
    const part = source.coveredLines === null ? "" : `; ${count(source.coveredLines)} lines by what was chosen`;
    say(summary, `${count(figures.linesHit)} of ${count(figures.linesFound)} lines, ${count(figures.branchesHit)} of `
      + `${count(figures.branchesFound)} sides of branches${part}`);
    choose(jumpTo, [["", "jump to…"], ...source.functions.map((each) => [String(each.line), `${each.name} (${count(each.count)}×)`])]);
    back.hidden = state.start === 1;
    on.hidden = state.start + source.lines.length > source.totalLines;
    const drawn = JSON.stringify(source.lines);
    if (drawn !== state.drawn) {
      state.drawn = drawn;
      draw(source);
    }
    if (state.line) showLine(state.line);
  }

  function draw(source) {
    const place = scroll.scrollTop;
    fill(lines, source.lines.map(row));
    scroll.scrollTop = place;
  }

  function showLine(number) {
    if (number < state.start || number >= state.start + 2000) {
      state.start = Math.max(1, number - 200);
      state.line = number;
      reload();
      return;
    }
    for (const each of lines.querySelectorAll(".p-chosen")) each.classList.remove("p-chosen");
    const wanted = lines.querySelector(`[data-line="${number}"]`);
    if (!wanted) return;
    state.line = 0;
    wanted.classList.add("p-chosen");
    scroll.scrollTop = wanted.offsetTop - scroll.clientHeight / 3;
  }

  function open({ file: path, line = 0, function: name = "", coveredBy }) {
    if (!path && !name && coveredBy === undefined) return;
    if (coveredBy !== undefined) {
      const isTest = [...covered.options].some((option) => option.value === coveredBy);
      covered.value = isTest ? coveredBy : "";
      entry.value = isTest ? "" : coveredBy;
    }
    if (name) {
      attempt(status, null, () => openFunction(name));
      return;
    }
    if (path) {
      state.file = path;
      state.start = Math.max(1, line - 200);
      state.drawn = "";
      jumpTo.value = "";
      file.value = path;
    }
    state.line = line;
    reload();
  }

  // Where a function stands is known by the listing of the tool that agents have.
  async function openFunction(name) {
    const bare = name.split("(")[0];
    let listing;
    try {
      listing = await api.call("read_source", { function: bare, limit: 1 });
    } catch {
      listing = await api.call("read_source", { function: bare.slice(bare.indexOf(".") + 1), limit: 1 });
    }
    const head = /^(.*):(\d+) \S.*: entered \d+ times/.exec(listing.split("\n")[0]);
    if (!head) throw new Error(`the source of ${name} is not known`);
    open({ file: head[1], line: Number(head[2]) });
  }

  const reload = whileSeen(root, api, 5, refresh);
  return { show: open };
}

function row({ line, text, count: hits, marks, missing, covered }) {
  const kind = hits === null ? "none" : hits === 0 ? "miss" : missing.length ? "half" : "hit";
  const sign = { none: "", miss: "○", half: "◐", hit: "●" }[kind];
  const notes = [...missing, ...[...marks].map((mark) => MARKS[mark]).filter(Boolean)];
  const words = [hits === 0 ? "never executed" : "", ...notes].filter(Boolean).join(", ");
  return el("tr", { class: `p-${kind}${covered ? " p-covered" : covered === false ? " p-uncovered" : ""}`, "data-line": line },
    el("td", { class: "p-number p-lineno" }, String(line)),
    el("td", { class: "p-number p-hits" }, hits === null ? "" : count(hits)),
    el("td", { class: "p-sign", title: words || null }, covered ? "◆" : sign,
      el("span", { class: "p-offscreen" }, covered ? "covered by what was chosen" : words)),
    el("td", { class: "p-text" }, text || " ", missing.length ? el("span", { class: "p-missing" }, ` ⟵ ${missing.join(", ")}`) : null));
}
