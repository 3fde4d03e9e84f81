// The injection box: calls are completed and checked while somebody types, tried without effect, then injected.

import { callTree } from "../calltree.js";
import { attempt, count, el, emptyNote, fill, say, statusLine, unique, whileSeen } from "../parts.js";

export const title = "Inject";

const CHECK_MILLISECONDS = 200;
const MAX_OPTIONS = 60;
const SENDER = "0x0000000000000000000000000000000000010000";
const PLAIN = /^[a-zA-Z_][a-zA-Z0-9_]*\([^)]*\)$/;
const TEMPLATE_SHARE = 0.2;

export function mount(root, api) {
  return new Box(root, api).handle;
}

class Box {
  constructor(root, api) {
    this.api = api;
    this.rows = [];
    this.known = { functions: [], addresses: [], senders: [] };
    this.checked = null;
    this.tried = "";
    this.status = statusLine();
    this.senders = el("datalist", { id: unique("senders") });
    this.list = el("ol", { class: "p-rows" });
    this.outcome = el("div", { class: "p-outcome", "aria-live": "polite" });
    this.try = el("button", {
      type: "button", title: "execute_sequence: on one worker, without effect on corpus, coverage and tests",
      click: () => attempt(this.status, this.try, () => this.trial()),
    }, "try");
    this.inject = el("button", { type: "button", class: "p-primary", click: () => attempt(this.status, this.inject, () => this.send()) }, "inject");
    this.template = el("button", {
      type: "button", title: "inject_template: a fifth of all sequences is built around these calls, what is open is filled anew each time",
      click: () => attempt(this.status, this.template, () => this.sendTemplate()),
    }, "use as template");
    fill(root,
      el("p", { class: "p-muted" }, "Calls as Solidity writes them: ", el("code", {}, "transfer(0x20000, 1e18)"),
        ". An argument ", el("code", {}, "?"), " is open: the fuzzer fills it."),
      this.senders, this.list,
      el("div", { class: "p-buttons" },
        el("button", { type: "button", click: () => this.add({}).call.focus() }, "add call"), this.try, this.inject, this.template),
      this.status, this.outcome);
    this.add({});
    const reload = whileSeen(root, api, 30, () => this.learn());
    this.handle = { show: ({ calls = [] }) => calls.length && this.take(calls), reload };
  }

  // What can be called, for completion.
  async learn() {
    this.update();
    let target;
    try {
      target = await this.api.pages("target", "contracts");
    } catch (error) {
      say(this.status, error.message, true);
      throw error;
    }
    if (this.status.classList.contains("p-error")) say(this.status, "");
    this.known = {
      functions: target.contracts.flatMap(({ name, functions }) => functions.map(({ signature }) => ({ name, signature }))),
      addresses: target.contracts.map(({ address, name }) => [address, name]),
      senders: target.senders,
    };
    fill(this.senders, [...new Set([SENDER, ...target.senders])].map((each) => el("option", { value: each })));
    for (const row of this.rows) this.complete(row);
  }

  take(calls) {
    for (const row of [...this.rows]) this.remove(row, false);
    for (const each of calls) {
      if (each.call.startsWith("*")) continue;
      const isAddress = each.contract.startsWith("0x");
      this.add({ ...each, call: each.contract && !isAddress ? `${each.contract}.${each.call}` : each.call });
    }
    if (!this.rows.length) this.add({});
    const left = calls.filter((each) => each.call.startsWith("*")).length;
    say(this.status, left ? `${left} waits and calls without a function were left out: their delays too` : "");
    fill(this.outcome);
    this.tried = "";
    this.check();
    this.rows.at(-1).call.focus();
  }

  add({ call = "", sender = "", value = "0", delaySeconds = 0, delayBlocks = 0 }) {
    const options = el("datalist", { id: unique("calls") });
    const problem = el("p", { class: "p-problem", id: unique("problem"), role: "status" });
    const input = (attributes) => el("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...attributes });
    const row = { problem, options };
    const changed = () => {
      this.complete(row);
      this.later();
    };
    row.call = input({ type: "text", class: "p-call", list: options.id, "aria-describedby": problem.id, placeholder: "transfer(?, ?)", input: changed, keydown: (event) => this.key(event, row) });
    row.sender = input({ type: "text", list: this.senders.id, placeholder: "0x10000", input: changed });
    row.value = input({ type: "text", inputmode: "numeric", input: changed });
    row.delay = input({ type: "number", min: "0", input: changed });
    row.blocks = input({ type: "number", min: "0", input: changed });
    row.call.value = call;
    row.sender.value = sender;
    row.value.value = value;
    row.delay.value = delaySeconds || "";
    row.blocks.value = delayBlocks || "";
    const labelled = (text, made, wide) => {
      made.id = unique("call");
      return el("div", { class: wide ? "p-field p-wide" : "p-field" }, el("label", { for: made.id }, text), made);
    };
    const move = (step, text, label) => el("button", { type: "button", "aria-label": label, title: label, click: () => this.move(row, step) }, text);
    row.element = el("li", { class: "p-row" }, options,
      labelled("Call", row.call, true), labelled("Sender", row.sender), labelled("Wei", row.value),
      labelled("Seconds before", row.delay), labelled("Blocks before", row.blocks),
      el("div", { class: "p-buttons" }, move(-1, "↑", "move call up"), move(1, "↓", "move call down"),
        el("button", { type: "button", "aria-label": "remove call", title: "remove call", click: () => this.remove(row, true) }, "✕")),
      problem);
    this.rows.push(row);
    this.list.append(row.element);
    this.complete(row);
    this.update();
    return row;
  }

  remove(row, isByHand) {
    const place = this.rows.indexOf(row);
    this.rows.splice(place, 1);
    row.element.remove();
    if (!isByHand) return;
    if (!this.rows.length) this.add({});
    this.rows[Math.min(place, this.rows.length - 1)].call.focus();
    this.check();
  }

  move(row, step) {
    const place = this.rows.indexOf(row);
    const to = place + step;
    if (to < 0 || to >= this.rows.length) return;
    this.rows.splice(place, 1);
    this.rows.splice(to, 0, row);
    this.list.replaceChildren(...this.rows.map((each) => each.element));
    row.call.focus();
    this.check();
  }

  key(event, row) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const next = this.rows[this.rows.indexOf(row) + 1] ?? this.add({});
    next.call.focus();
  }

  // Completion of the text so far: functions first, then values for the argument that is being written.
  complete({ call, options }) {
    const text = call.value;
    const opening = text.indexOf("(");
    const found = opening < 0 ? this.functionsLike(text) : this.argumentsFor(text, opening);
    fill(options, found.slice(0, MAX_OPTIONS).map(([value, label]) => el("option", { value, label })));
  }

  functionsLike(text) {
    const wanted = text.toLowerCase();
    const ambiguous = new Set();
    const seen = new Set();
    for (const { signature } of this.known.functions) (seen.has(signature) ? ambiguous : seen).add(signature);
    return this.known.functions
      .map(({ name, signature }) => {
        const bare = signature.slice(0, signature.indexOf("("));
        const open = Array(arity(signature)).fill("?").join(", ");
        const isFirst = name === this.known.functions[0].name && !ambiguous.has(signature);
        return [`${isFirst ? "" : `${name}.`}${bare}(${open})`, `${name}.${signature}`];
      })
      .filter(([value, label]) => value.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted));
  }

  argumentsFor(text, opening) {
    const cut = Math.max(text.lastIndexOf(","), opening) + 1;
    const begun = text.slice(cut).trim().toLowerCase();
    const before = text.slice(0, cut) + (text[cut - 1] === "," ? " " : "");
    const name = text.slice(0, opening).split(".").at(-1).trim();
    const place = text.slice(opening, cut).split(",").length - 1;
    const types = this.known.functions.filter(({ signature }) => signature.startsWith(`${name}(`)).map(({ signature }) => typesOf(signature));
    const wanted = new Set(types.map((each) => each[place]));
    const isLast = types.some((each) => each.length === place + 1);
    const values = [];
    if (wanted.has("address")) values.push(...this.known.addresses, ...this.known.senders.map((each) => [each, "sender"]));
    if (wanted.has("bool")) values.push(["true", "bool"], ["false", "bool"]);
    if ([...wanted].some((type) => /^u?int\d*$/.test(type ?? ""))) values.push(["1", "number"], ["1e18", "number"]);
    values.push(["?", "left open"]);
    return values.filter(([value]) => value.toLowerCase().startsWith(begun))
      .map(([value, label]) => [`${before}${value}${isLast ? ")" : ", "}`, label]);
  }

  get sequence() {
    return this.rows.filter((row) => row.call.value.trim()).map((row) => {
      const made = { call: row.call.value.trim() };
      if (row.sender.value.trim()) made.sender = padded(row.sender.value.trim());
      if (row.value.value.trim()) made.value = row.value.value.trim();
      if (Number(row.delay.value)) made.delaySeconds = Number(row.delay.value);
      if (Number(row.blocks.value)) made.delayBlocks = Number(row.blocks.value);
      return made;
    });
  }

  later() {
    clearTimeout(this.timer);
    this.checked = null;
    this.update();
    this.timer = setTimeout(() => this.check(), CHECK_MILLISECONDS);
  }

  async check() {
    const { sequence } = this;
    const asked = JSON.stringify(sequence);
    this.asked = asked;
    this.checked = null;
    this.update();
    if (!sequence.length) {
      for (const row of this.rows) this.mark(row, null);
      return;
    }
    try {
      const found = await this.api.call("page_check_calls", { sequence });
      if (this.asked !== asked) return;
      const rows = this.rows.filter((row) => row.call.value.trim());
      for (const row of this.rows) this.mark(row, found.calls[rows.indexOf(row)] ?? null);
      const isWhole = found.calls.every((each) => !each.problem);
      this.checked = { asked, isWhole, hasOpen: found.calls.some((each) => each.wildcards), content: found.content };
      if (isWhole) say(this.status, "");
    } catch (error) {
      if (this.asked !== asked) return;
      say(this.status, error.message, true);
    }
    this.update();
  }

  mark(row, found) {
    const problem = found?.problem ?? "";
    row.call.setAttribute("aria-invalid", String(Boolean(problem)));
    row.problem.classList.toggle("p-error", Boolean(problem));
    fill(row.problem, problem || (found ? `✓ ${found.function}${found.wildcards ? ", with open arguments" : ""}` : ""));
  }

  update() {
    const { checked, api } = this;
    const isReady = Boolean(checked?.isWhole);
    const isTried = isReady && this.tried === checked.asked;
    this.try.disabled = !isReady || checked.hasOpen;
    this.inject.disabled = !api.canSteer || !isReady || !(isTried || checked.hasOpen);
    this.template.disabled = !api.canSteer || !isReady;
    const why = !api.canSteer ? "your token may only read"
      : !isReady ? "every call must fit first"
        : checked.hasOpen ? "open arguments are filled in several ways; what is open cannot be tried before"
          : isTried ? "as it was tried" : "try it first";
    this.inject.title = `inject_transaction, or import_sequence where calls differ in sender, value or delay: ${why}`;
  }

  async trial() {
    const { sequence } = this;
    const asked = JSON.stringify(sequence);
    fill(this.outcome, el("p", {}, "trying…"));
    let done;
    try {
      done = await this.api.call("execute_sequence", { sequence, trace: true });
    } catch (error) {
      fill(this.outcome);
      throw error;
    }
    if (JSON.stringify(this.sequence) !== asked) return "changed meanwhile: try again";
    this.tried = asked;
    this.update();
    fill(this.outcome, tried(done));
    const reverted = done.outcomes.filter((each) => !each.success).length;
    return reverted ? `tried: ${reverted} of ${done.outcomes.length} calls revert` : "tried: every call succeeds";
  }

  async send() {
    const { sequence, checked } = this;
    const same = (key) => new Set(sequence.map((each) => each[key] ?? "")).size === 1;
    const isPlain = same("sender") && same("value")
      && sequence.every((each) => PLAIN.test(each.call) && !each.delaySeconds && !each.delayBlocks);
    if (isPlain) {
      const wanted = { sequence: sequence.map((each) => each.call) };
      if (sequence[0].sender) wanted.sender = sequence[0].sender;
      if (sequence[0].value) wanted.value = sequence[0].value;
      await this.api.call("inject_transaction", wanted);
    } else if (checked.content) {
      await this.api.call("import_sequence", { content: checked.content });
    } else {
      throw new Error("Open arguments go with one sender, one value and no delay or contract name; use it as a template instead");
    }
    return `injected: ${count(sequence.length)} calls, which every worker executes and the corpus keeps`;
  }

  async sendTemplate() {
    const { sequence } = this;
    const { id, effectiveShare } = await this.api.call("inject_template", { sequence, share: TEMPLATE_SHARE });
    return `template ${id}: ${Math.round(100 * effectiveShare)} % of all sequences are built around it`;
  }
}

function tried({ outcomes, failingTests, checkedTests, trace }) {
  return [
    el("h3", {}, "Trial run"),
    outcomes.length ? el("ol", { class: "p-outcomes" }, outcomes.map((each) => el("li", { class: each.success ? "p-good" : "p-bad" },
      el("code", {}, each.call), " ", each.success ? `✓ ${each.returned}` : `✗ ${each.reason}`,
      el("span", { class: "p-gas" }, `${count(each.gasUsed)} gas`)))) : emptyNote("no call"),
    el("p", { class: failingTests.length ? "p-bad" : "" }, failingTests.length
      ? `Afterwards fail: ${failingTests.join(", ")}`
      : checkedTests ? `None of ${checkedTests} properties fails afterwards.` : "There is no property to check afterwards."),
    callTree(trace, "call tree of the trial run"),
  ];
}

// 0x10000 is the address of 40 digits.
function padded(address) {
  return /^0x[0-9a-fA-F]{1,39}$/.test(address) ? `0x${address.slice(2).padStart(40, "0")}` : address;
}

function typesOf(signature) {
  const inside = signature.slice(signature.indexOf("(") + 1, -1);
  if (!inside) return [];
  const types = [""];
  let depth = 0;
  for (const letter of inside) {
    depth += (letter === "(") - (letter === ")");
    if (letter === "," && !depth) types.push("");
    else types[types.length - 1] += letter;
  }
  return types;
}

const arity = (signature) => typesOf(signature).length;
