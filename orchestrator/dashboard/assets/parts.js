// What panels are made of: elements, readable text, tasks that say how they went, and refreshing while somebody looks.

import { shown } from "./text.js";

export { shown };

// An element. Attributes that are functions listen to the event of that name; false and null leave one out.
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, shown(value));
  }
  add(made, children);
  return made;
}

export function add(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

export const count = (number) => Number(number).toLocaleString("en");

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "never";
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

export function percent(part, whole) {
  return whole ? `${Math.floor((1000 * part) / whole) / 10} %` : "–";
}

let names = 0;
export const unique = (prefix) => `${prefix}-${(names += 1)}`;

// A field with its label.
export function field(text, input, attributes = {}) {
  input.id ||= unique("field");
  return el("div", { class: "p-field", ...attributes }, el("label", { for: input.id }, text), input);
}

// A select that keeps its choice when its options change.
export function choose(select, options) {
  const before = select.value;
  const wanted = options.map(([value, text]) => `${value}\n${text}`).join("\0");
  if (select.dataset.options === wanted) return;
  select.dataset.options = wanted;
  select.replaceChildren(...options.map(([value, text]) => {
    const made = el("option", {}, text);
    made.value = value;
    return made;
  }));
  if (options.some(([value]) => value === before)) select.value = before;
}

// The line in which a panel says what it did, read aloud by screen readers.
export function statusLine() {
  return el("p", { class: "p-status", role: "status", "aria-live": "polite" });
}

export function say(line, text, isError = false) {
  line.textContent = shown(text);
  line.classList.toggle("p-error", isError);
}

// Runs what somebody asked for, and says how it went. The button cannot be pressed again before.
export async function attempt(line, button, action) {
  if (button) button.setAttribute("aria-busy", "true");
  if (button?.dataset.busy) return undefined;
  if (button) button.dataset.busy = "1";
  try {
    const text = await action();
    if (typeof text === "string") say(line, text);
    return true;
  } catch (error) {
    say(line, error.message, true);
    return false;
  } finally {
    if (button) {
      delete button.dataset.busy;
      button.removeAttribute("aria-busy");
    }
  }
}

export async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = el("textarea", { class: "p-offscreen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser does not let the page copy");
}

// Calls `refresh` when the panel comes into view, and while it is in view at most every `seconds`, when the campaign
// has moved on; more rarely where answers take long. An open page that nobody looks at asks for nothing.
export function whileSeen(root, api, seconds, refresh) {
  let isSeen = false;
  let isWanted = true;
  let last = -Infinity;
  let mark = "";
  let isBusy = false;
  let timer = 0;
  let failures = 0;
  let pace = seconds;
  const markOf = () => {
    const figures = api.state?.figures ?? {};
    return [figures.target, figures.seed, figures.calls, figures.points, figures.phase, figures.commands].join();
  };
  async function look(isForced) {
    // What somebody asks for is kept in mind until the panel can be seen and the answer before it has come.
    isWanted ||= isForced;
    if (!isSeen || document.hidden || isBusy) return;
    clearTimeout(timer);
    const now = markOf();
    if (!isWanted && now === mark) return;
    const wait = last + pace * 1000 - performance.now();
    if (!isWanted && wait > 0) {
      timer = setTimeout(() => look(false), wait);
      return;
    }
    [isBusy, isWanted] = [true, false];
    const began = performance.now();
    try {
      mark = now;
      await refresh();
      failures = 0;
    } catch {
      // What went wrong is told by the panel itself, which tries again, ever more rarely.
      mark = "";
      timer = setTimeout(() => look(false), Math.min(60, seconds * 2 ** failures) * 1000);
      failures += 1;
    } finally {
      last = performance.now();
      pace = Math.min(30, Math.max(seconds, (20 * (last - began)) / 1000));
      isBusy = false;
    }
    if (isWanted) look(false);
  }
  new IntersectionObserver((entries) => {
    isSeen = entries.some((entry) => entry.isIntersecting);
    if (isSeen) look(false);
  }).observe(root);
  document.addEventListener("visibilitychange", () => look(false));
  api.subscribe(() => look(false));
  return () => look(true);
}

// A shortened id that is whole in the tooltip.
export const short = (id) => (id.length > 12 ? `${id.slice(0, 10)}…` : id);

// A button that leads to another panel.
export function jump(api, panel, parameters, text, label = "") {
  return el("button", {
    type: "button", class: "p-link", "aria-label": label || null, click: () => api.go(panel, parameters),
  }, text);
}

export function emptyNote(text) {
  return el("p", { class: "p-empty" }, text);
}

export const NUMBERS = new Set(["#", "value", "before", "after", "only it covers", "covers", "calls", "age"]);

// Calls as a table: of a finding, of an entry.
export function callTable(calls, label) {
  const head = ["#", "call", "contract", "sender", "value", "delay"];
  return el("div", { class: "p-scroll", role: "region", "aria-label": label, tabindex: "0" },
    el("table", { class: "p-table" },
      el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col", class: NUMBERS.has(text) ? "p-number" : null }, text)))),
      el("tbody", {}, calls.map((each, index) => el("tr", {},
        el("td", { class: "p-number" }, String(index + 1)),
        el("td", { class: "p-code" }, each.call),
        el("td", {}, each.contract),
        el("td", { class: "p-word", title: each.sender }, shortAddress(each.sender)),
        el("td", { class: "p-number" }, each.value === "0" ? "" : each.value),
        el("td", {}, delayText(each)),
      )))));
}

export function shortAddress(address) {
  const digits = address.replace(/^0x0+/, "0x");
  return digits.length < address.length && digits.length <= 12 ? digits : `${address.slice(0, 8)}…${address.slice(-4)}`;
}

export function delayText({ delaySeconds, delayBlocks }) {
  const parts = [];
  if (delaySeconds) parts.push(`${count(delaySeconds)} s`);
  if (delayBlocks) parts.push(`${count(delayBlocks)} blocks`);
  return parts.join(", ");
}
