// The shell of the page: who gets in, the panels in their order, and what stands above them.

import { Api, Gone, Unknown } from "./api.js";
import { mountOverview } from "./campaigns.js";
import { count, duration, plural, short, text } from "./text.js";

// In the order of the page. A panel is a module panels/NAME.js that exports `title` and `mount(root, api)`; what mount
// returns may have a function `show(parameters)` for api.go("NAME", parameters).
const PANELS = [
  ["verdicts", "Verdicts"],
  ["progress", "Progress"],
  ["frontier", "Frontier"],
  ["functions", "Functions"],
  ["source", "Source"],
  ["finding", "Finding"],
  ["workers", "Workers"],
  ["corpus", "Corpus"],
  ["history", "History"],
  ["injection", "Inject"],
];

const byId = (id) => document.getElementById(id);
const api = new Api();
const mounted = new Map();
let noticeTimer = 0;
let connection = "connecting";

api.go = async (panel, parameters = {}) => {
  const section = byId(`panel-${panel}`);
  if (!section) return;
  const shown = await mounted.get(panel)?.();
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section.scrollIntoView({ behavior: isCalm ? "auto" : "smooth", block: "start" });
  section.querySelector("h2").focus({ preventScroll: true });
  await shown?.show?.(parameters);
};

api.notify = (message, isError = false) => {
  const notice = byId("notice");
  notice.textContent = message;
  notice.classList.toggle("error", isError);
  notice.hidden = !message;
  clearTimeout(noticeTimer);
  if (message && !isError) noticeTimer = setTimeout(() => api.notify(""), 8000);
};

api.ask = (question, yes = "Yes") => {
  const dialog = byId("question");
  byId("question-text").textContent = question;
  byId("question-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
};

// Runs a command that somebody asked for, and says what became of it.
api.attempt = async (action, done = "") => {
  try {
    const result = await action();
    if (done) api.notify(typeof done === "function" ? done(result) : done);
    return result;
  } catch (error) {
    if (error instanceof Unknown) showEntrance();
    api.notify(error.message, true);
    return undefined;
  }
};

function build() {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const name = entry.target.id.slice("panel-".length);
      if (entry.isIntersecting) mounted.get(name)();
    }
  }, { rootMargin: "200px" });
  for (const [name, title] of PANELS) {
    const heading = text("h2", { id: `title-${name}`, tabindex: "-1" }, title);
    const body = text("div", { class: "panel-body" });
    const section = text("section", { id: `panel-${name}`, class: "panel", "aria-labelledby": `title-${name}` }, heading, body);
    byId("panels").append(section);
    let made = null;
    mounted.set(name, () => (made ??= mount(name, heading, body)));
    const link = text("a", { href: `#panel-${name}`, onclick: (event) => {
      event.preventDefault();
      api.go(name);
    } }, title);
    byId("index").firstElementChild.append(text("li", {}, link));
    observer.observe(section);
  }
  markCurrent();
}

async function mount(name, heading, body) {
  try {
    const panel = await import(`./panels/${name}.js`);
    heading.textContent = panel.title;
    return await panel.mount(body, api);
  } catch (error) {
    console.error(error);
    body.replaceChildren(text("p", { class: "error" }, `This panel could not be shown: ${error.message}`));
    return undefined;
  }
}

// Which panel the reader is at.
function markCurrent() {
  const links = [...byId("index").querySelectorAll("a")];
  const observer = new IntersectionObserver(() => {
    const tops = PANELS.map(([name]) => byId(`panel-${name}`).getBoundingClientRect().top);
    const current = Math.max(0, tops.findLastIndex((top) => top < 160));
    links.forEach((link, index) => {
      if (index === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  }, { threshold: [0, 0.25, 0.5, 0.75, 1], rootMargin: "-80px 0px -50% 0px" });
  PANELS.forEach(([name]) => observer.observe(byId(`panel-${name}`)));
}

function showHeader({ figures }) {
  const name = figures.target?.split(":").at(-1) || "Monotreme";
  byId("target").textContent = name;
  const failed = api.state.tests.filter((test) => ["solved", "shrinking"].includes(test.state) && test.kind !== "optimization");
  document.title = `${failed.length ? `(${failed.length}) ` : ""}${name} - Monotreme`;
  const phase = figures.paused ? "paused" : figures.phase;
  byId("subtitle").textContent = [figures.testMode && `${figures.testMode} mode`, figures.saved ? "read from its folder" : phase]
    .filter(Boolean).join(" · ");
  const shown = [
    ["Time", duration(figures.seconds ?? 0)],
    ["Calls", short(figures.calls ?? 0), count(figures.calls ?? 0)],
    ["Calls/s", short(figures.callsPerSecond ?? 0), count(figures.callsPerSecond ?? 0)],
    ["Lines", figures.lineCoverage === null || figures.lineCoverage === undefined ? "-" : `${figures.lineCoverage.toFixed(1)} %`],
  ];
  showFigures(shown);
  showConnection();
  const problem = byId("problem");
  problem.hidden = !figures.problem;
  problem.textContent = figures.problem ? `The campaign could not be carried out: ${figures.problem}` : "";
}

function showConnection(state = connection) {
  const before = connection;
  connection = state;
  const badge = byId("connection");
  const words = {
    connecting: "connecting",
    connected: api.state.figures.saved ? "saved" : api.canSteer ? "live" : "live, read only",
    lost: "away, reconnecting",
    resting: "resting",
  };
  badge.textContent = words[state];
  badge.className = `badge ${{ connected: "pass", lost: "warn", resting: "" }[state]}`;
  document.body.classList.toggle("stale", state === "lost");
  const { folder, saved } = api.state.figures;
  const hint = folder && !saved ? ` Where the program has ended, this opens the campaign: monotreme show ${folder} --dashboard` : "";
  if (state === "lost") api.notify(`The program does not answer; the figures are of the past.${hint}`, true);
  else if (before === "lost") api.notify("");
}

function showEntrance() {
  api.token = "";
  byId("content").hidden = true;
  byId("overview").hidden = true;
  byId("entrance").hidden = false;
  byId("connection").textContent = "a token is needed";
  byId("token").focus();
}

async function enter() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket) {
    history.replaceState(null, "", `/${location.search}`);
    try {
      await api.redeem(ticket);
    } catch (error) {
      if (!api.token) api.notify(error.message, true);
    }
  }
  try {
    await api.follow();
  } catch (error) {
    if (error instanceof Gone) showGone(error);
    else if (error instanceof Unknown) showEntrance();
    else throw error;
  }
}

// The campaign that the address names is not there any more.
function showGone(error) {
  byId("entrance").hidden = true;
  byId("connection").textContent = "no such campaign";
  byId("others").hidden = false;
  byId("others").firstElementChild.textContent = "all campaigns";
  api.notify(error.message, true);
}

byId("entrance").addEventListener("submit", (event) => {
  event.preventDefault();
  api.token = byId("token").value.trim();
  byId("token").value = "";
  api.notify("");
  // Panels know from the start what this token may do.
  if (mounted.size) location.reload();
  else enter();
});

// A page that names no campaign shows the list of several, until one is chosen. A page that shows one already stays.
let showOverview = null;

function show() {
  if (connection !== "connected") return;
  const { campaigns } = api.state;
  const others = campaigns.filter((each) => each.id);
  byId("entrance").hidden = true;
  if (!api.pinned && !mounted.size && others.length > 1) {
    showOverview ??= mountOverview(byId("overview"), api);
    byId("overview").hidden = false;
    showOverview(api.state);
    showSummary(others);
    return;
  }
  byId("overview").hidden = true;
  byId("content").hidden = false;
  if (!mounted.size) build();
  byId("others").hidden = others.length < 2;
  byId("others").firstElementChild.textContent = `all ${others.length} campaigns`;
  showHeader(api.state);
}

function showSummary(campaigns) {
  const running = campaigns.filter((each) => each.state === "running");
  const total = (value) => campaigns.reduce((sum, each) => sum + value(each), 0);
  const failed = total((each) => each.failed);
  byId("target").textContent = "Monotreme";
  byId("subtitle").textContent = `${plural(campaigns.length, "campaign")}, ${running.length} running`;
  document.title = `${failed ? `(${failed}) ` : ""}${plural(campaigns.length, "campaign")} - Monotreme`;
  showFigures([
    ["Failed tests", count(failed)],
    ["Calls", short(total((each) => each.calls)), count(total((each) => each.calls))],
    ["Calls/s", short(total((each) => each.callsPerSecond))],
    ["Workers", count(total((each) => each.workers))],
  ]);
  showConnection();
}

function showFigures(shown) {
  byId("figures").replaceChildren(...shown.map(([term, value, exact]) => (
    text("div", {}, text("dt", {}, term), text("dd", { title: exact }, value))
  )));
}

api.connection((state) => {
  showConnection(state);
  if (mounted.size) show();
});
api.subscribe(show);
enter();
