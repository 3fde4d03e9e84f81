// Several campaigns side by side: those that a program carries out in turn, and those of a server, each of which opens.

import { count, duration, plural, short, text } from "./text.js";

const address = (id) => `/?campaign=${encodeURIComponent(id)}`;

function tests(each) {
  if (each.problem && !each.tests) return [text("span", { class: "muted small" }, each.problem)];
  if (each.state === "waiting" || (!each.tests && each.state === "running")) return [];
  const tone = each.failed ? "fail" : each.state === "ended" && each.health === "sound" ? "pass" : "";
  return [
    text("span", { class: `badge ${tone}` },
      each.failed ? `${each.failed} of ${plural(each.tests, "test")} failed` : `${plural(each.tests, "test")}, none failed`),
    each.health && each.health !== "sound" && text("span", { class: "badge warn" }, `health: ${each.health}`),
  ];
}

function state(each) {
  const word = each.paused && each.state === "running" ? "paused" : each.phase || each.state;
  const tone = word === "failed" ? "fail" : each.paused ? "warn" : each.state === "running" ? "info" : "";
  return text("span", { class: `badge ${tone}` }, word);
}

const COLUMNS = [
  ["Campaign", (each) => text("th", { scope: "row" }, each.id
    ? text("a", { href: address(each.id) }, text("code", {}, each.target || each.id))
    : text("code", {}, each.target), each.id && text("span", { class: "muted small" }, ` ${each.id}`))],
  ["State", (each) => text("td", {}, state(each))],
  ["Tests", (each) => text("td", {}, ...tests(each))],
];
const SERVED = [
  ["Calls/s", (each) => (each.state === "running" ? short(each.callsPerSecond) : "")],
  ["Calls", (each) => short(each.calls)],
  ["Lines", (each) => (each.lineCoverage === null ? "–" : `${each.lineCoverage.toFixed(1)} %`)],
  ["Workers", (each) => count(each.workers)],
  ["Time", (each) => duration(each.seconds)],
];
const IN_TURN = [
  ["Calls", (each) => (each.state === "waiting" ? "" : short(each.calls))],
  ["Coverage", (each) => (each.state === "waiting" ? "" : count(each.points))],
];

// The table, made anew only when something in it changed. `actions` gives the buttons of a campaign of a server.
export function overview(root, campaigns, { actions = null, shown = "" } = {}) {
  root.hidden = !campaigns.length;
  const key = JSON.stringify([campaigns, shown]);
  if (root.hidden || root.dataset.key === key) return;
  root.dataset.key = key;
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
  const figures = campaigns[0].id ? SERVED : IN_TURN;
  const isCurrent = (each) => (each.id ? each.id === shown : each.state === "running");
  const last = (each) => (each.id ? actions?.(each)
    : each.state === "ended" && each.folder && text("code", {}, `monotreme show ${each.folder} --dashboard`));
  const rows = campaigns.map((each) => text("tr", { "aria-current": isCurrent(each) || null },
    ...COLUMNS.map(([, cell]) => cell(each)),
    ...figures.map(([name, value]) => text("td", { class: "number", "data-label": name }, value(each))),
    text("td", {}, ...[last(each)].flat())));
  root.replaceChildren(text("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All campaigns" },
    text("table", { class: "stacks" },
      text("thead", {}, text("tr", {}, ...COLUMNS.map(([name]) => text("th", { scope: "col" }, name)),
        ...figures.map(([name]) => text("th", { scope: "col", class: "number" }, name)),
        text("th", { scope: "col" }, campaigns[0].id ? "Do" : "Opens with"))),
      text("tbody", {}, ...rows))));
  if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

// The start page of a server with several campaigns: all of them, with what one does without opening one.
export function mountOverview(root, api) {
  const table = text("div", { class: "several" });
  root.append(text("h2", { id: "title-campaigns", tabindex: "-1" }, "Campaigns"),
    text("p", { class: "muted small" }, "Each opens on a page of its own. Commands go to the campaign in whose line they stand."), table);

  function actions(each) {
    if (!api.canSteer || each.state !== "running") return [];
    const name = `${each.id} ${each.target}`;
    const button = (verb, tool, done, attributes = {}) => text("button", {
      type: "button", title: tool, "aria-label": `${verb} ${name}`, "data-focus": `${verb} ${each.id}`, ...attributes,
      onclick: async () => {
        if (verb === "stop" && !await api.ask(`Stop the campaign ${name}? It writes its reports and ends.`, "Stop")) return;
        await api.attempt(() => api.call(tool, {}, each.id), done);
      },
    }, verb);
    return [text("span", { class: "row" },
      each.paused ? button("continue", "resume_campaign", `${name} continues`) : button("pause", "pause_campaign", `${name} pauses`),
      button("stop", "stop_campaign", `${name} ends`, { class: "danger" }))];
  }

  return ({ campaigns }) => overview(table, campaigns, { actions });
}
