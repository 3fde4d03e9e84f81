// Functions: how often they were called, whether that succeeds, and how much of the calls they get.

import { attempt, choose, count, duration, el, emptyNote, field, fill, jump, percent, say, short, statusLine, unique, whileSeen } from "../parts.js";

export const title = "Functions";

const LEAST = -3;
const MOST = 3;

export function mount(root, api) {
  const contract = el("select", { change: () => reload() });
  choose(contract, [["", "all"]]);
  const order = el("select", { change: () => reload() });
  choose(order, [["calls", "most calls"], ["failing", "fewest successes"], ["coverage", "last new coverage"], ["name", "name"]]);
  const status = statusLine();
  const steering = el("p", { class: "p-summary" });
  const body = el("tbody");
  const rows = new Map();
  const clear = el("button", {
    type: "button", title: "clear_priorities", click: () => attempt(status, clear, () => takeBack("clear_priorities", "No function is prioritized.")),
  }, "clear priorities");
  const reset = el("button", {
    type: "button", title: "reset_functions: priorities, exclusions and weights",
    click: () => attempt(status, reset, () => takeBack("reset_functions", "All functions are called evenly again.")),
  }, "reset all");
  const heads = [
    ["function", ""], ["calls", "p-number"], ["success", "p-number"], ["last new coverage", "p-number"],
    ["weight", ""], ["steering", ""], ["reverts", ""],
  ];
  const table = el("table", { class: "p-table p-functions" },
    el("caption", { class: "p-offscreen" }, "Functions of the target"),
    el("thead", {}, el("tr", {}, heads.map(([text, kind]) => el("th", { scope: "col", class: kind }, text)))), body);
  const none = emptyNote("No function is known yet.");
  fill(root,
    el("div", { class: "p-controls" }, field("Contract", contract), field("Order", order), el("div", { class: "p-buttons" }, clear, reset)),
    steering, status, none, el("div", { class: "p-scroll", role: "region", "aria-label": "table of functions", tabindex: "0" }, table));

  async function takeBack(tool, text) {
    await api.call(tool, {});
    await reload();
    return text;
  }

  async function refresh() {
    clear.disabled = reset.disabled = !api.canSteer || Boolean(api.state.figures.saved);
    let found;
    let set;
    try {
      // The folder of an ended campaign says how often functions were called, and not what steers it.
      const isSaved = api.state.figures.saved;
      [found, set] = await Promise.all([api.pages("function_statistics", "functions"), isSaved ? null : api.call("list_steering", {})]);
    } catch (error) {
      say(status, error.message, true);
      throw error;
    }
    const contracts = [...new Set(found.functions.map((each) => each.contract))].sort();
    choose(contract, [["", "all"], ...contracts.map((name) => [name, name])]);
    say(steering, set ? sharesText(set) : "The campaign has ended: the last counts of its folder.");
    const listed = found.functions.filter((each) => !contract.value || each.contract === contract.value).sort(orders[order.value]);
    none.hidden = listed.length > 0;
    table.hidden = !listed.length;
    for (const each of listed) {
      const key = `${each.contract}.${each.signature}`;
      if (!rows.has(key)) rows.set(key, new Row(api, each, status, () => reload()));
      rows.get(key).show(each, set ? userWeight(set, each) : each.weight, Boolean(set));
    }
    const wanted = listed.flatMap((each) => rows.get(`${each.contract}.${each.signature}`).elements);
    // Rows that somebody works in stay where they are.
    const isSame = wanted.length === body.children.length && wanted.every((row, index) => body.children[index] === row);
    if (!isSame && (!body.contains(document.activeElement) || wanted.length !== body.children.length)) body.replaceChildren(...wanted);
  }
  const reload = whileSeen(root, api, 3, refresh);
}

const success = ({ calls, reverts }) => (calls ? (calls - reverts) / calls : 2);
const orders = {
  calls: (a, b) => b.calls - a.calls,
  failing: (a, b) => success(a) - success(b) || b.calls - a.calls,
  coverage: (a, b) => (a.secondsSinceCoverage ?? Infinity) - (b.secondsSinceCoverage ?? Infinity) || 0,
  name: (a, b) => `${a.contract}.${a.signature}`.localeCompare(`${b.contract}.${b.signature}`),
};

function userWeight({ weights }, { contract, signature }) {
  const bare = signature.slice(0, signature.indexOf("("));
  for (const name of [`${contract}.${signature}`, signature, `${contract}.${bare}`, bare]) {
    if (Object.hasOwn(weights, name)) return weights[name];
  }
  return 1;
}

function sharesText({ shares, templates, prioritized, excluded, dictionaryWords, injectedSequences }) {
  const part = (share) => `${Math.round(100 * share)} %`;
  const parts = [];
  if (templates.length) parts.push(`${part(shares.templates)} of sequences around ${templates.length} templates`);
  if (prioritized.length) parts.push(`${part(shares.prioritized)} of calls to ${prioritized.length} prioritized functions`);
  if (excluded.length) parts.push(`${excluded.length} functions excluded`);
  if (dictionaryWords) parts.push(`${count(dictionaryWords)} dictionary words given`);
  if (injectedSequences) parts.push(`${count(injectedSequences)} sequences injected`);
  return parts.length ? `In force: ${parts.join("; ")}.` : "Nothing steers the campaign: functions are called evenly.";
}

class Row {
  constructor(api, { contract, signature }, status, reload) {
    this.name = `${contract}.${signature}`;
    this.signature = signature;
    this.api = api;
    this.status = status;
    this.reload = reload;
    this.calls = el("td", { class: "p-number" });
    this.success = el("td", { class: "p-number" });
    this.coverage = el("td", { class: "p-number" });
    const numberName = `weight of ${this.name}`;
    this.slider = el("input", {
      type: "range", min: LEAST, max: MOST, step: "0.1", "aria-label": numberName,
      title: "set_function_weights: multiplies the share of calls, from 0.001 to 1000",
      input: () => this.showWeight(), change: () => this.weigh(),
    });
    this.weight = el("output", { class: "p-weight" });
    this.badges = el("span", { class: "p-badges" });
    this.focus = el("button", { type: "button", "aria-label": `focus ${this.name}`, click: () => this.act(this.focus, "focus") }, "focus");
    this.exclude = el("button", { type: "button", "aria-label": `exclude ${this.name}`, title: "exclude_function", click: () => this.act(this.exclude, "exclude") }, "exclude");
    this.reasons = el("tr", { class: "p-reasons", id: unique("reasons"), hidden: true }, el("td", { colspan: "7" }));
    this.sample = el("button", {
      type: "button", "aria-expanded": "false", "aria-controls": this.reasons.id, "aria-label": `reasons of ${this.name}`,
      title: "sample_function: executes sequences of the corpus that call it", click: () => this.unfold(),
    }, "reasons");
    const head = el("th", { scope: "row", class: "p-code" },
      jump(api, "source", { function: this.name }, this.name, `source of ${this.name}`), " ", this.badges);
    this.row = el("tr", {}, head, this.calls, this.success, this.coverage,
      el("td", { class: "p-slider" }, this.slider, this.weight), el("td", {}, el("div", { class: "p-buttons" }, this.focus, this.exclude)), el("td", {}, this.sample));
    this.elements = [this.row, this.reasons];
  }

  show(figures, weight, isLive) {
    this.calls.textContent = count(figures.calls);
    this.success.textContent = percent(figures.calls - figures.reverts, figures.calls);
    this.success.classList.toggle("p-bad", figures.calls > 0 && figures.calls === figures.reverts);
    const since = figures.secondsSinceCoverage;
    this.coverage.textContent = since === null ? "never" : `${duration(since)} ago`;
    fill(this.badges,
      figures.prioritized ? el("span", { class: "p-badge" }, "prioritized") : null,
      figures.excluded ? el("span", { class: "p-badge p-badge-bad" }, "excluded") : null);
    const canSteer = this.api.canSteer && isLive;
    for (const control of [this.slider, this.focus, this.exclude]) control.disabled = !canSteer;
    this.sample.disabled = !isLive;
    this.focus.disabled ||= figures.prioritized;
    this.exclude.disabled ||= figures.excluded;
    if (document.activeElement !== this.slider) this.slider.value = String(Math.log10(weight));
    this.automatic = figures.weight / weight;
    this.showWeight();
  }

  showWeight() {
    const weight = this.chosen();
    const own = Math.abs(this.automatic - 1) > 0.001 ? `, and ${this.automatic.toPrecision(2)} by the fuzzer` : "";
    this.weight.textContent = `×${weight}`;
    this.weight.title = `×${weight} by users${own}`;
    this.slider.setAttribute("aria-valuetext", `times ${weight}${own}`);
  }

  chosen() {
    return Number((10 ** Number(this.slider.value)).toPrecision(2));
  }

  weigh() {
    const weight = Math.min(1000, Math.max(0.001, this.chosen()));
    attempt(this.status, this.slider, async () => {
      await this.api.call("set_function_weights", { weights: [{ function: this.name, weight }] });
      return `${this.name} has weight ${weight}`;
    });
  }

  act(button, word) {
    attempt(this.status, button, async () => {
      if (word === "exclude") await this.api.call("exclude_function", { function: this.name });
      else await this.api.call("prioritize_function", { functionSignature: this.signature });
      await this.reload();
      return word === "exclude" ? `${this.name} is excluded` : `${this.signature} is prioritized`;
    });
  }

  unfold() {
    const isOpen = this.reasons.hidden;
    this.reasons.hidden = !isOpen;
    this.sample.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    const cell = this.reasons.firstElementChild;
    fill(cell, el("p", {}, "executing sequences of the corpus…"));
    attempt(this.status, this.sample, async () => {
      const bare = this.signature;
      try {
        fill(cell, sampled(this.api, await this.api.call("sample_function", { function: bare })));
      } catch (error) {
        fill(cell, el("p", { class: "p-error" }, error.message));
      }
    });
  }
}

function sampled(api, { calls, sequences, reverted, returned }) {
  if (!calls) return el("p", {}, "No sequence of the corpus calls it.");
  const list = (items, text) => (items.length ? [el("h4", {}, text), el("ul", {}, items.map((each) => el("li", {},
    el("code", {}, each.text || "(nothing)"), ` ${count(each.calls)} times, as in `,
    jump(api, "corpus", { id: each.entry }, short(each.entry), `corpus entry ${each.entry}`))))] : []);
  return [
    el("p", { class: "p-muted" }, `Of ${count(calls)} calls in ${count(sequences)} sequences of the corpus:`),
    list(reverted, "reverted"), list(returned, "returned"),
  ];
}
