// The workers and what they do; pausing, stopping, more or fewer of them.

import { count, plural, short, size, text } from "../text.js";

export const title = "Workers";

const MOST = 255;

function doing(worker, tests) {
  if (worker.ended) return "nothing";
  if (worker.shrinking) {
    const test = tests.find((each) => each.name === worker.shrinking);
    return `ever shorter sequences for ${worker.shrinking}${test ? `: ${plural(test.length, "call")} left, ${plural(test.attempts, "attempt")}` : ""}`;
  }
  return { fuzz: "generated sequences", replay: "the corpus" }[worker.work] ?? "nothing";
}

function stateOf(worker, { paused }) {
  if (worker.ended) return "ended";
  if (paused && !worker.work) return "paused";
  return { fuzz: "fuzzing", replay: "replaying", shrink: "shrinking" }[worker.work] ?? worker.state;
}

export function mount(root, api) {
  const pause = text("button", {}, "Pause");
  const stop = text("button", { class: "danger" }, "Stop and report");
  const fewer = text("button", { "aria-label": "One worker fewer" }, "−");
  const more = text("button", { "aria-label": "One worker more" }, "+");
  const wanted = text("output", { class: "number", "aria-label": "Workers wanted" });
  const reader = text("p", { class: "muted small" }, "This token may only look.");
  const body = text("tbody", {});
  const table = text("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of workers" }, text("table", {},
    text("thead", {}, text("tr", {},
      ...["Worker", "State", "Executes"].map((name) => text("th", { scope: "col" }, name)),
      ...["Calls/s", "Calls", "Memory", "Restarts", "Heard of"].map((name) => text("th", { scope: "col", class: "number" }, name)))),
    body));
  const none = text("p", { class: "empty" });
  root.append(text("div", { class: "row worker-controls" }, pause, stop,
    text("span", { class: "row stepper", role: "group", "aria-label": "Number of workers" }, text("span", { class: "muted small" }, "Workers"), fewer, wanted, more)), reader, none, table);

  pause.addEventListener("click", () => {
    const { paused } = api.state.figures;
    api.attempt(() => api.call(paused ? "resume_campaign" : "pause_campaign"), paused ? "The campaign continues." : "The campaign is paused; no time passes.");
  });
  stop.addEventListener("click", async () => {
    if (await api.ask("Stop fuzzing? What was found is kept and reported, nothing more is shrunk. It cannot be resumed.", "Stop")) {
      api.attempt(() => api.call("stop_campaign"), "The campaign is stopping.");
    }
  });
  const step = (by) => api.attempt(
    () => api.call("set_workers", { workers: Math.min(MOST, Math.max(1, api.state.figures.wantedWorkers + by)) }),
    ({ workers }) => `${plural(workers, "worker")} from now on.`,
  );
  fewer.addEventListener("click", () => step(-1));
  more.addEventListener("click", () => step(1));

  api.subscribe(({ figures, workers, tests }) => {
    const may = api.canSteer && figures.running && !figures.saved && Boolean(figures.target);
    pause.textContent = figures.paused ? "Continue" : "Pause";
    pause.disabled = stop.disabled = !may;
    fewer.disabled = !may || figures.wantedWorkers <= 1;
    more.disabled = !may || figures.wantedWorkers >= MOST;
    wanted.textContent = count(figures.wantedWorkers ?? 0);
    reader.hidden = api.canSteer;
    const shown = workers.filter((worker) => !worker.ended || worker.calls);
    none.textContent = figures.saved ? "The campaign has ended, and its workers with it." : "No worker was started yet.";
    none.hidden = shown.length > 0;
    table.hidden = !shown.length;
    const fastest = Math.max(1, ...shown.map((worker) => worker.callsPerSecond));
    body.replaceChildren(...shown.map((worker) => {
      const bar = text("div", { class: "bar", "aria-hidden": "true" }, text("div", {}));
      bar.firstChild.style.width = `${(worker.callsPerSecond / fastest) * 100}%`;
      const tone = worker.ended ? "" : worker.state === "restarting" ? "warn" : worker.work ? "pass" : "";
      return text("tr", { "data-worker": worker.worker },
        text("th", { scope: "row", title: worker.pid ? `process ${worker.pid}` : null }, String(worker.worker),
          worker.node && text("span", { class: "muted small" }, ` on ${worker.node}`)),
        text("td", {}, text("span", { class: `badge ${tone}` }, stateOf(worker, figures))),
        text("td", {}, doing(worker, tests)),
        text("td", { class: "number" }, count(worker.callsPerSecond), bar),
        text("td", { class: "number", title: count(worker.calls) }, short(worker.calls)),
        text("td", { class: "number" }, worker.resident ? size(worker.resident) : "-"),
        text("td", { class: "number" }, count(worker.restarts)),
        text("td", { class: "number" }, worker.work ? worker.age < 1 ? "now" : `${worker.age.toFixed(0)} s ago` : "-"));
    }));
  });
}
