"use strict";

const KEY = "monotreme-manager-token";
const POLL_MILLISECONDS = 400;
const IDLE_MILLISECONDS = 4000;
const byId = (id) => document.getElementById(id);
let mayChange = false;
let jobs = new Map();
let codebases = [];
// What is known of each codebase's folder against its index: a sentence, empty where they agree.
const drift = new Map();
// Codebases whose ingestion was begun here and whose end has not been told; it may end before it was seen running.
const begun = new Set();

class Refused extends Error {}

async function ask(path, body) {
  const headers = { "content-type": "application/json" };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.authorization = `Bearer ${token}`;
  const options = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) {
    sessionStorage.removeItem(KEY);
    throw new Refused(answer.error?.message ?? "a token is needed");
  }
  if (!response.ok) throw new Error(answer.error?.message ?? `the server answered ${response.status}`);
  return answer;
}

const call = (tool, body = {}) => ask(`/api/tools/${tool}`, body);

function tell(text, isError = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("error", isError);
}

// Runs what somebody asked for and says what went wrong; a missing token leads to the entrance.
async function attempt(action) {
  tell("");
  return quietly(action);
}

// The same for what happens by itself: what was said before stays.
async function quietly(action) {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Refused) showEntrance();
    tell(error.message, true);
    return undefined;
  }
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function showEntrance() {
  byId("content").hidden = true;
  byId("entrance").hidden = false;
  byId("token").focus();
}

async function enter() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket) {
    history.replaceState(null, "", "/");
    const { token } = await ask("/api/session", { ticket });
    sessionStorage.setItem(KEY, token);
  }
  await refresh();
  byId("entrance").hidden = true;
  byId("content").hidden = false;
  tell(mayChange ? "" : "This token may only read.");
  compareAll();
}

async function refresh() {
  const state = await ask("/api/jobs");
  mayChange = state.mayChange;
  const before = jobs;
  jobs = new Map(state.jobs.map((job) => [job.name, job]));
  codebases = (await call("list_codebases")).codebases;
  for (const control of byId("add").elements) control.disabled = !mayChange;
  showCodebases();
  await ended([...jobs.values()].filter(({ name, status }) => (
    (begun.has(name) || isActive(before.get(name))) && !isActive({ status })
  )));
}

// Says how ingestions came out, and shows what they changed.
async function ended(finished) {
  if (!finished.length) return;
  for (const { name } of finished) begun.delete(name);
  const failed = finished.filter((job) => job.failure);
  const outcome = ({ name, failure }) => `${name} ${failure ? `failed: ${failure}` : "is indexed"}`;
  tell(finished.map(outcome).join("; "), failed.length > 0);
  for (const { name } of finished) await compare(name);
  showCodebases();
  if (byId("results").childElementCount) await search();
}

async function compare(name) {
  try {
    const { added, changed, removed } = await ask("/api/stale", { name });
    const parts = [[changed, "changed"], [added, "new"], [removed, "gone"]].filter(([count]) => count);
    drift.set(name, parts.length ? `since then ${parts.map(([count, what]) => `${count} ${what}`).join(", ")}` : "");
  } catch (error) {
    drift.set(name, error.message);
  }
}

let comparing = false;
async function compareAll() {
  if (comparing) return;
  comparing = true;
  for (const { name } of codebases) {
    await compare(name);
    showCodebases();
  }
  comparing = false;
}

let shown = "";
function showCodebases() {
  // What has not changed stays as it is, with the focus that it may have.
  const state = JSON.stringify([codebases, [...jobs], [...drift], mayChange]);
  if (state === shown) return;
  shown = state;
  const focused = document.activeElement?.dataset?.action;
  const of = document.activeElement?.dataset?.name;
  const known = new Set(codebases.map(({ name }) => name));
  const coming = [...jobs.values()].filter((job) => isActive(job) && !known.has(job.name));
  byId("none").hidden = known.size + coming.length > 0;
  byId("indexed").hidden = known.size + coming.length === 0;
  byId("codebases").replaceChildren(...codebases.map(row), ...coming.map(comingRow));
  const chosen = byId("codebase").value;
  const options = codebases.map(({ name }) => element("option", { value: name, textContent: name }));
  byId("codebase").replaceChildren(element("option", { value: "", textContent: "all" }), ...options);
  byId("codebase").value = codebases.some(({ name }) => name === chosen) ? chosen : "";
  if (focused) {
    [...document.querySelectorAll("button[data-action]")]
      .find((button) => button.dataset.action === focused && button.dataset.name === of)?.focus();
  }
}

function row(codebase) {
  const job = jobs.get(codebase.name);
  const cells = [
    element("th", { scope: "row", textContent: codebase.name }),
    element("td", { className: "path", textContent: codebase.path }),
    element("td", { className: "number files", textContent: codebase.fileCount.toLocaleString("en") }),
    element("td", { className: "number chunks", textContent: codebase.chunkCount.toLocaleString("en") }),
    element("td", { textContent: codebase.languages.join(", ") }),
    element("td", {}, indexed(codebase, job)),
    element("td", { className: "actions" }, ...actions(codebase, job)),
  ];
  return element("tr", {}, ...cells);
}

// A codebase that is being indexed for the first time.
function comingRow(job) {
  return element("tr", {},
    element("th", { scope: "row", textContent: job.name }),
    element("td", { className: "path", textContent: job.path }),
    element("td", { colSpan: 5 }, progress(job)),
  );
}

const isActive = (job) => job?.status === "waiting" || job?.status === "running";

function indexed(codebase, job) {
  if (!isActive(job)) {
    const cell = element("span", {}, element("time", {
      dateTime: codebase.lastIngestion,
      textContent: new Date(codebase.lastIngestion).toLocaleString(),
    }));
    if (job?.failure) cell.append(element("em", { className: "error", textContent: `failed: ${job.failure}` }));
    const textContent = drift.get(codebase.name);
    if (textContent) cell.append(element("em", { className: "stale", textContent }));
    return cell;
  }
  return progress(job);
}

function progress(job) {
  const bar = element("progress", { max: job.filesTotal || 1, value: job.filesDone });
  bar.setAttribute("aria-label", `indexing ${job.name}`);
  const count = job.filesTotal ? `${job.filesDone} of ${job.filesTotal} files` : "looking for files";
  const text = job.status === "waiting" ? "waiting" : count;
  return element("span", {}, bar, ` ${text}`);
}

function actions(codebase, job) {
  const make = (action, text, handler, needsControl) => {
    const button = element("button", { type: "button", textContent: text });
    button.dataset.action = action;
    button.dataset.name = codebase.name;
    button.setAttribute("aria-label", `${text} ${codebase.name}`);
    button.disabled = needsControl && (!mayChange || isActive(job));
    button.addEventListener("click", () => attempt(() => handler(codebase)));
    return button;
  };
  return [
    make("statistics", "Statistics", showStatistics, false), " ",
    make("reindex", "Re-index", reindex, true), " ",
    make("rename", "Rename", rename, true), " ",
    make("remove", "Delete", remove, true),
  ];
}

async function showStatistics({ name }) {
  const found = await call("get_codebase_stats", { name });
  const figures = [
    ["Folder", found.path],
    ["Size", `${(found.sizeBytes / 1024).toFixed(1)} KiB in ${found.fileCount} files`],
    ...found.languages.map((each) => [each.language, `${each.fileCount} files, ${each.chunkCount} chunks`]),
    ...found.chunkTypes.map((each) => [each.type, `${each.count}`]),
  ];
  byId("statistics-title").textContent = `Statistics of ${name}`;
  byId("figures").replaceChildren(
    ...figures.flatMap(([term, text]) => [element("dt", { textContent: term }), element("dd", { textContent: text })]),
  );
  byId("statistics").hidden = false;
  byId("statistics").focus();
}

async function reindex({ name }) {
  await ask("/api/reindex", { name });
  begun.add(name);
  tell(`indexing ${name}`);
  await refresh();
  follow();
}

async function add() {
  const wanted = { path: byId("folder").value, waitSeconds: 0 };
  if (byId("as").value) wanted.name = byId("as").value;
  const { name } = await call("index_codebase", wanted);
  byId("add").reset();
  begun.add(name);
  tell(`indexing ${name}`);
  await refresh();
  follow();
}

function decided(dialog) {
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "confirm"), { once: true });
  });
}

async function rename({ name }) {
  byId("new-name").value = name;
  const sure = decided(byId("rename-dialog"));
  byId("new-name").select();
  if (!(await sure)) return;
  const newName = byId("new-name").value;
  await call("rename_codebase", { name, newName });
  drift.set(newName, drift.get(name) ?? "");
  drift.delete(name);
  await refresh();
  if (byId("results").childElementCount) await search();
  tell(`${name} is called ${newName}`);
}

async function remove({ name }) {
  byId("remove-text").textContent = `Forget the index of ${name}? Its source files are not touched.`;
  if (!(await decided(byId("remove-dialog")))) return;
  tell(`forgetting ${name}`);
  const { removedChunks } = await call("remove_codebase", { name });
  byId("statistics").hidden = true;
  drift.delete(name);
  await refresh();
  if (byId("results").childElementCount) await search();
  tell(`${name} and its ${removedChunks} chunks are forgotten`);
}

async function search() {
  const query = byId("query").value;
  const wanted = { query, maxResults: 50 };
  if (byId("codebase").value) wanted.codebaseName = byId("codebase").value;
  if (byId("language").value) wanted.language = byId("language").value;
  const found = await call("search_codebases", wanted);
  const shown = found.results.length;
  byId("summary").textContent = `${shown} of ${found.totalResults} matches in ${found.queryTime.toFixed(0)} ms`;
  const words = wordsOf(query);
  byId("results").replaceChildren(...found.results.map((result) => hit(result, words)));
}

function hit(result, words) {
  const lines = result.startLine === result.endLine ? `${result.startLine}` : `${result.startLine}-${result.endLine}`;
  const head = element(
    "div", { className: "result-head" },
    element("strong", { textContent: `${result.filePath}:${lines}` }),
    element("span", { textContent: result.chunkType }),
    element("span", { textContent: `${result.codebaseName}, ${result.language}` }),
    element("span", { className: "score", textContent: result.similarityScore.toFixed(3) }),
  );
  const text = element("pre", { tabIndex: 0 }, ...highlighted(result.content, words));
  text.setAttribute("aria-label", `lines ${lines} of ${result.filePath}`);
  return element("li", {}, head, text);
}

// The words of a question as they may stand inside identifiers, longest first.
function wordsOf(query) {
  const words = query.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f]+/g) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))]
    .filter((word) => word.length > 2)
    .map((word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word))
    .sort((one, other) => other.length - one.length);
}

function highlighted(text, words) {
  if (!words.length) return [text];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`((?:${escaped.join("|")})(?:ing|ed|es|s)?)`, "gi"));
  return parts.map((part, index) => (index % 2 ? element("mark", { textContent: part }) : part));
}

let following;
function follow() {
  clearTimeout(following);
  const isBusy = [...jobs.values()].some(isActive);
  following = setTimeout(async () => {
    if (!byId("content").hidden && !document.hidden) await quietly(refresh);
    follow();
  }, isBusy ? POLL_MILLISECONDS : IDLE_MILLISECONDS);
}

byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(search);
});
byId("add").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(add);
});
// Files may have changed while another window was looked at.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !byId("content").hidden) compareAll();
});
byId("entrance").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, byId("token").value);
  byId("token").value = "";
  attempt(enter);
});
// Cancel is no submit button: Enter in a field presses the first of these.
for (const button of document.querySelectorAll("dialog .cancel")) {
  button.addEventListener("click", () => button.closest("dialog").close("cancel"));
}
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    byId("query").focus();
  }
});
quietly(enter).then(follow);
