// Each test with its state, its age, the length of its reproducer, and what its passing is worth.

import { overview } from "../campaigns.js";
import { clock, duration, plural, text } from "../text.js";

export const title = "Verdicts";

const FAILED = ["solved", "shrinking"];
const isFailure = (test) => FAILED.includes(test.state) && test.kind !== "optimization";

function verdict(test) {
  if (test.kind === "optimization" && test.value) return ["info", "best", `best ${test.value}`];
  switch (test.state) {
    case "solved": return ["fail", "failed", "failed"];
    case "shrinking": return ["fail", "failed", "failed, shrinking"];
    case "passed": return [test.doubt ? "warn" : "pass", "passed", "passed"];
    case "skipped": return ["", "skipped", "skipped"];
    case "error": return ["warn", "error", "error"];
    default: return ["", "open", "holds so far"];
  }
}

// Failures first, the newest of them first; then what means little; then what holds.
function rank(test) {
  if (isFailure(test)) return 0;
  if (test.state === "error") return 1;
  if (test.doubt) return 2;
  return test.state === "skipped" ? 4 : 3;
}

function summary(tests, health) {
  const own = tests.filter((test) => !test.parent);
  const failed = own.filter(isFailure).length;
  const doubtful = own.filter((test) => !isFailure(test) && test.doubt).length;
  const parts = [failed ? `${failed} of ${plural(own.length, "test")} failed` : `${plural(own.length, "test")}, none failed`];
  if (doubtful) parts.push(`${doubtful} of them mean little`);
  return [parts.join(", "), health.verdict];
}

export function mount(root, api) {
  const line = text("p", { class: "row verdict-line" });
  const list = text("ul", { class: "verdicts" });
  const none = text("p", { class: "empty" });
  const several = text("div", { class: "several" });
  root.append(several, line, list, none);
  const items = new Map();

  function item(test) {
    const shown = items.get(test.id);
    const key = JSON.stringify(test);
    if (shown?.key === key) return shown;
    const [tone, , word] = verdict(test);
    const age = text("span", { class: "muted small" });
    const length = isFailure(test) && test.length
      ? text("span", { class: "small" }, `${plural(test.length, "call")}${test.minimal ? "" : ", not minimal yet"}`) : null;
    const name = text("button", { class: "link mono", onclick: () => api.go("finding", { id: test.id }) },
      test.parent ? `${test.name} at ${test.site}` : test.name);
    const made = text("li", { class: `verdict ${tone}`, "data-test": test.id },
      text("div", { class: "row" }, text("span", { class: `badge ${tone}` }, word),
        test.doubt && text("span", { class: "badge warn" }, test.doubt), length, age),
      name,
      (test.why || test.reason) && text("p", { class: "muted small" }, test.why || test.reason));
    const entry = { key, made, age, found: test.found };
    items.set(test.id, entry);
    return entry;
  }

  function ages() {
    const isOver = api.state.figures.saved;
    for (const { age, found } of items.values()) {
      age.textContent = !found ? "" : isOver ? `found at ${clock(found * 1000)}` : `found ${duration(api.now - found)} ago`;
    }
  }

  api.subscribe(({ tests, health, figures, campaigns }) => {
    overview(several, campaigns.filter((each) => !each.id));
    const known = new Set(tests.map((test) => test.id));
    for (const id of items.keys()) if (!known.has(id)) items.delete(id);
    const sorted = [...tests].sort((a, b) => rank(a) - rank(b) || (b.found ?? 0) - (a.found ?? 0));
    const wanted = sorted.map((test) => item(test).made);
    if (wanted.length !== list.children.length || wanted.some((made, index) => list.children[index] !== made)) {
      const focused = document.activeElement?.closest?.(".verdict")?.dataset.test;
      list.replaceChildren(...wanted);
      if (focused) items.get(focused)?.made.querySelector("button").focus({ preventScroll: true });
    }
    const [sentence, worth] = summary(tests, health);
    line.replaceChildren(text("strong", {}, sentence), ...(worth ? [
      text("span", { class: `badge ${worth === "sound" ? "pass" : "warn"}` }, `health: ${worth}`),
      text("span", { class: "muted small" }, health.summary ?? ""),
    ] : []));
    none.textContent = tests.length ? "" : figures.phase === "none" ? "There is no campaign yet." : figures.problem ? "It did not come to any test." : "The tests are known once a worker has deployed the target.";
    none.hidden = tests.length > 0;
    line.hidden = !tests.length;
    ages();
  });
  api.poll(root, ages, 5);
}
