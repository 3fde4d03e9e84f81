// Every command with who gave it, when, and its effect; events with filters.

import { clock, count, plural, text } from "../text.js";

export const title = "History";

const SHOWN = 200;
const QUIET = ["TransactionExecuted", "CoverageIncreased"]; // Left out until somebody asks for them.

// An event as a sentence.
export function sentence({ eventType, data }) {
  switch (eventType) {
    case "PhaseChanged": return data.phase;
    case "WorkerStarted": return data.incarnation ? `deployed the target, process ${data.incarnation + 1}` : "deployed the target";
    case "WorkerRestarting": return `${data.reason}; replaced after ${data.delay.toFixed(1)} s`;
    case "WorkerStopped": return data.reason;
    case "CoverageIncreased": return `${plural(data.points, "point")}, ${plural(data.sequences, "sequence")}`;
    case "PropertyFalsified": return `${data.property}: ${data.reason}${data.site ? ` at ${data.site}` : ""} (${plural(data.counterexample.length, "call")})`;
    case "ShrinkProgress": return `${data.property}: ${plural(data.calls, "call")} after ${plural(data.attempts, "attempt")}`;
    case "TestDecided": return `${data.property}: ${data.status}`;
    case "TransactionExecuted": return `${plural(data.calls, "call")}, ${count(data.reverted)} reverted`;
    case "Steered": return `${data.command}${data.detail ? `: ${data.detail}` : ""}`;
    case "CampaignStopped": return data.failure || data.reason;
    case "MutantSurvived": return `${data.file}:${data.line}: ${data.description}`;
    case "Warned": return data.message;
    default: return Object.entries(data).map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
  }
}

const TONES = { PropertyFalsified: "fail", WorkerRestarting: "warn", WorkerStopped: "warn", Warned: "warn", Steered: "info", CampaignStopped: "info" };
const tone = ({ eventType, data }) => (data.reason === "as told" ? "" : TONES[eventType] ?? "");
const RESULTS = { success: "pass", failure: "fail", timeout: "warn", dropped: "warn", started: "" };

function effect({ result, message, calls }) {
  if (message) return message;
  return result === "success" && calls !== null && calls !== undefined ? `after ${plural(calls, "call")}` : "";
}

function commandRow(command) {
  const args = command.arguments === "{}" ? "" : command.arguments;
  return text("tr", {},
    text("td", { class: "when" }, clock(command.timestamp)),
    text("td", {}, command.caller || "this program"),
    text("td", {}, text("strong", {}, command.tool.replaceAll("_", " ")), args && text("code", { class: "block muted", tabindex: "0" }, args)),
    text("td", {}, text("span", { class: `badge ${RESULTS[command.result] ?? ""}` }, command.result), " ", text("span", { class: "small" }, effect(command))));
}

function table(label, columns, body) {
  return text("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, text("table", { class: "stacks" },
    text("thead", {}, text("tr", {}, ...columns.map((name) => text("th", { scope: "col" }, name)))), body));
}

function labelled(label, control) {
  return text("label", { class: "row" }, label, control);
}

export function mount(root, api) {
  const commands = text("tbody", {});
  const noCommands = text("p", { class: "empty" }, "Nobody has commanded anything yet.");
  const given = table("Table of commands", ["When", "Who", "Command", "Effect"], commands);
  const events = text("tbody", {});
  const kind = text("select", {}, text("option", { value: "" }, "all but calls and coverage"), text("option", { value: "*" }, "all"));
  const worker = text("select", {}, text("option", { value: "" }, "all"));
  const words = text("input", { type: "search", size: "14" });
  const shown = text("p", { class: "muted small", role: "status" });
  const happened = table("Table of events", ["When", "Worker", "Event", "What"], events);
  root.append(
    text("h3", {}, "Commands"), noCommands, given,
    text("h3", {}, "Events"),
    text("div", { class: "row filters" }, labelled("Type", kind), labelled("Worker", worker), labelled("Containing", words), shown),
    happened,
  );
  const seen = { types: new Set(), workers: new Set() };

  function wanted(event) {
    if (kind.value === "" && QUIET.includes(event.eventType)) return false;
    if (kind.value && kind.value !== "*" && event.eventType !== kind.value) return false;
    if (worker.value && String(event.workerId) !== worker.value) return false;
    return !words.value || `${event.eventType} ${sentence(event)}`.toLowerCase().includes(words.value.toLowerCase());
  }

  function row(event) {
    return text("tr", {},
      text("td", { class: "when" }, clock(event.timestamp)),
      text("td", {}, event.workerId === null ? "" : String(event.workerId)),
      text("td", {}, text("span", { class: `badge ${tone(event)}` }, event.eventType)),
      text("td", {}, sentence(event)));
  }

  function offer(select, known, values, label) {
    for (const value of values) {
      if (known.has(value)) continue;
      known.add(value);
      select.append(text("option", { value: String(value) }, label(value)));
    }
  }

  function showAll() {
    const chosen = api.history.filter(wanted);
    events.replaceChildren(...chosen.slice(-SHOWN).reverse().map(row));
    tell(chosen.length);
  }

  function tell(number) {
    shown.textContent = number > SHOWN ? `newest ${SHOWN} of ${count(number)}` : plural(number, "event");
  }

  api.events((fresh, isAll) => {
    offer(kind, seen.types, fresh.map((event) => event.eventType), (name) => name);
    offer(worker, seen.workers, fresh.map((event) => event.workerId).filter((id) => id !== null), String);
    if (isAll) {
      showAll();
      return;
    }
    events.prepend(...fresh.filter(wanted).reverse().map(row));
    while (events.children.length > SHOWN) events.lastChild.remove();
    tell(api.history.filter(wanted).length);
  });
  [kind, worker].forEach((select) => select.addEventListener("change", showAll));
  words.addEventListener("input", showAll);

  const load = api.poll(root, async () => {
    const { commands: found } = await api.call("list_commands", { limit: SHOWN });
    commands.replaceChildren(...found.map(commandRow));
    noCommands.hidden = found.length > 0;
    given.hidden = !found.length;
  }, 15);
  let known = -1;
  api.subscribe(({ figures }) => {
    if (figures.commands === known) return;
    known = figures.commands;
    load();
  });
}
