// One finding: how to get there, what happened on the way, and copies for other tools.

import { callTree } from "../calltree.js";
import { NUMBERS, attempt, callTable, choose, copy, count, el, emptyNote, field, fill, jump, say, shortAddress, statusLine, whileSeen } from "../parts.js";

export const title = "Finding";

export function mount(root, api) {
  const chosen = el("select", { change: () => reload() });
  const status = statusLine();
  const content = el("div");
  fill(root, el("div", { class: "p-controls" }, field("Finding", chosen, { class: "p-field p-wide" })), status, content);
  let drawn = "";

  async function refresh() {
    const found = (api.state?.tests ?? []).filter((each) => each.length || ["shrinking", "solved"].includes(each.state));
    choose(chosen, found.map((each) => [each.id, `${each.id} (${count(each.length)} calls)`]));
    if (!found.length) {
      drawn = "";
      fill(content, emptyNote("Nothing has been found: no test has failed."));
      return;
    }
    let reproducer;
    try {
      reproducer = await api.call("get_reproducer", { id: chosen.value });
      if (status.classList.contains("p-error")) say(status, "");
    } catch (error) {
      say(status, error.message, true);
      throw error;
    }
    const state = JSON.stringify([reproducer, api.canSteer]);
    if (state === drawn) return;
    drawn = state;
    fill(content, new View(api, reproducer, status).elements);
  }

  function open({ id }) {
    if (!id) return;
    if (![...chosen.options].some((option) => option.value === id)) {
      const option = el("option", {}, id);
      option.value = id;
      chosen.append(option);
      delete chosen.dataset.options;
    }
    chosen.value = id;
    reload();
  }
  const reload = whileSeen(root, api, 2, refresh);
  return { show: open };
}

class View {
  constructor(api, reproducer, status) {
    this.api = api;
    this.found = reproducer;
    this.status = status;
    this.verdict = el("p", { role: "status", class: "p-verdict" }, headVerdict(reproducer));
    this.storage = el("div");
    const facts = [
      ["Status", `${reproducer.status}${reproducer.minimal ? ", minimal: nothing can be left out" : ", not minimal yet"}`],
      ["Reason", reproducer.reason],
      ["Where", reproducer.site],
      ["Value", reproducer.value],
      ["Calls", `${count(reproducer.sequence.length)}, of ${count(reproducer.unshrunkCalls)} when it was found`],
      ["Senders", senders(reproducer.sequence)],
    ].filter(([, text]) => text);
    this.elements = [
      el("dl", { class: "p-facts" }, facts.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])),
      this.verdict,
      el("div", { class: "p-buttons" }, this.buttons()),
      el("h3", {}, "Sequence"),
      reproducer.sequence.length ? callTable(reproducer.sequence, "calls of the finding") : emptyNote("No call is needed."),
      el("h3", {}, "Call tree"),
      callTree(reproducer.trace, "call tree of the finding"),
      el("h3", {}, "Storage changes"),
      this.storage,
    ];
    fill(this.storage, api.state.figures.saved ? emptyNote("The folder of a campaign does not hold them.") : el("button", {
      type: "button", title: "executes the sequence on one worker; corpus, coverage and tests stay as they are",
      click: ({ target }) => attempt(this.status, target, () => this.changes()),
    }, "show storage changes"));
  }

  buttons() {
    const { api, found } = this;
    const isSaved = Boolean(api.state.figures.saved);
    const button = (text, tip, act, isOff = false) => {
      const made = el("button", { type: "button", title: tip, disabled: isOff, click: () => attempt(this.status, made, act) }, text);
      return made;
    };
    const copied = (what, make) => async () => {
      await copy(await make());
      return `${what} is on the clipboard`;
    };
    return [
      button("verify", "execute_sequence: runs the sequence once more on a worker", () => this.verify(), isSaved),
      button("copy Foundry test", "a whole test file, to run with forge test", copied("The Foundry test", async () => found.foundryTest), !found.foundryTest),
      button("copy Echidna JSON", "export_sequence: a file of Echidna's corpus", copied("The sequence", () => api.call("export_sequence", { id: found.id }))),
      button("copy Solidity script", "a forge script that makes these calls to contracts that stand already",
        copied("The script", async () => (await api.call("page_script", { id: found.id })).source), isSaved || !found.sequence.length),
      isSaved ? null : jump(api, "injection", { calls: found.sequence }, "into the injection box"),
      isSaved ? null : jump(api, "source", { coveredBy: found.id }, "lines it covers"),
    ];
  }

  // A property is called afterwards and must fail; what fails inside a call shows in the trace, which is compared.
  async verify() {
    const { id, kind, trace } = this.found;
    const done = await this.api.call("execute_sequence", { after: id, trace: true });
    if (kind === "property") {
      const hasFailed = done.failingTests.includes(id.split("@")[0]);
      const how = `${count(done.failingTests.length)} of ${count(done.checkedTests)} properties fail afterwards.`;
      return this.tell(hasFailed, hasFailed ? `Verified now: it fails again. ${how}` : `Not verified: it did not fail this time. ${how}`);
    }
    if (!trace.length) return this.tell(null, "Executed, but there is no trace of the failure yet to compare with.");
    const isSame = trace.every((line, index) => line.includes("… the trace continues") || line === done.trace[index]);
    return this.tell(isSame, isSame
      ? "Verified now: executed again, every step as in the trace of the failure."
      : "Not verified: executed again, the steps differ from the trace of the failure.");
  }

  tell(isGood, text) {
    fill(this.verdict, text);
    this.verdict.classList.toggle("p-good", isGood === true);
    this.verdict.classList.toggle("p-bad", isGood === false);
    return "executed again";
  }

  async changes() {
    const { calls, omitted, problem } = await this.api.call("page_storage", { id: this.found.id });
    const rows = calls.flatMap((call, index) => call.changes.map((each, number) => el("tr", {},
      number ? el("td") : el("th", { scope: "row", class: "p-code" }, `${index + 1}. ${call.call}`),
      el("td", {}, each.contract),
      el("td", { class: "p-word", title: each.slot }, shortWord(each.slot)),
      el("td", { class: "p-code p-number", title: each.before }, shortWord(each.before)),
      el("td", { class: "p-code p-number", title: each.after }, shortWord(each.after)))));
    if (problem) throw new Error(problem);
    fill(this.storage, rows.length
      ? el("div", { class: "p-scroll", role: "region", "aria-label": "storage changes", tabindex: "0" },
        el("table", { class: "p-table" },
          el("thead", {}, el("tr", {}, ["call", "contract", "slot", "before", "after"].map((text) => el("th", { scope: "col", class: NUMBERS.has(text) ? "p-number" : null }, text)))),
          el("tbody", {}, rows)))
      : emptyNote("No call changes storage."),
    omitted ? el("p", { class: "p-muted" }, `${count(omitted)} more changes are not shown`) : null);
    return `${count(rows.length)} storage changes`;
  }
}

function headVerdict({ foundryTest, minimal, trace }) {
  const line = /^\/\/ ((?:Verified|Unverified): .*)$/m.exec(foundryTest ?? "");
  if (line?.[1].startsWith("Verified")) return line[1];
  const campaign = trace.length
    ? `The campaign executed it again${minimal ? " after shrinking" : ""} and it failed.`
    : "It has not been executed again yet.";
  return `${campaign} As a Foundry test it is ${line ? "not verified: nobody ran it with forge" : "not available"}.`;
}

function senders(sequence) {
  const known = [...new Set(sequence.map((each) => each.sender))];
  return known.length ? `${known.length}: ${known.map(shortAddress).join(", ")}` : "";
}

function shortWord(word) {
  const value = BigInt(word);
  return value < 10n ** 24n ? value.toLocaleString("en") : `${word.slice(0, 10)}…${word.slice(-6)}`;
}
