// Traces of the tools, which are lines with the tree drawn before them, as a tree that folds.

import { el } from "./parts.js";

const BRANCH = /^((?: {2}| {4}|│ {3}|│)*)(├─|└─) ?(.*)$/u;
const GAS = /^\[(\d+)\] (.*)$/su;
const OPEN_DEPTH = 2;

// Lines as nodes: { text, gas, result, children }.
export function parseTrace(lines) {
  const roots = [];
  const open = [];
  for (const line of lines) {
    const match = BRANCH.exec(line);
    if (!match) {
      const node = asNode(line);
      roots.push(node);
      open.length = 0;
      open.push(node);
      continue;
    }
    const depth = Math.round((match[1].length - 2) / 4) + 1;
    const parent = open[Math.min(depth, open.length) - 1];
    if (!parent) {
      roots.push(asNode(line));
      continue;
    }
    if (match[2] === "└─" && match[3].startsWith("← ")) {
      parent.result = match[3].slice(2);
      open.length = Math.min(depth, open.length);
      continue;
    }
    const node = asNode(match[3]);
    parent.children.push(node);
    open.length = Math.min(depth, open.length);
    open.push(node);
  }
  return roots;
}

function asNode(text) {
  const gas = GAS.exec(text);
  return gas ? { gas: Number(gas[1]), text: gas[2], result: "", children: [] } : { text, result: "", children: [] };
}

const hasFailed = (node) => node.result !== "" && !/^\[(Return|Stop)\]/.test(node.result);

// The tree with buttons that open and close all of it.
export function callTree(lines, label) {
  if (!lines.length) return el("p", { class: "p-empty" }, "no trace");
  const list = el("ul", { class: "p-tree", "aria-label": label }, parseTrace(lines).map((node) => item(node, 1)));
  const all = (isOpen) => () => {
    for (const each of list.querySelectorAll("details")) each.open = isOpen;
  };
  return el("div", { class: "p-calltree" },
    el("div", { class: "p-buttons" },
      el("button", { type: "button", click: all(true) }, "unfold all"),
      el("button", { type: "button", click: all(false) }, "fold all")),
    list);
}

function item(node, depth) {
  const failed = hasFailed(node);
  const words = [
    el("span", { class: "p-code" }, node.text),
    node.gas === undefined ? null : el("span", { class: "p-gas" }, `${node.gas.toLocaleString("en")} gas`),
    node.result ? el("span", { class: failed ? "p-code p-bad" : "p-code p-good" }, `← ${node.result}`) : null,
  ];
  if (!node.children.length) return el("li", { class: "p-leaf" }, words);
  const details = el("details", {}, el("summary", {}, words),
    el("ul", {}, node.children.map((child) => item(child, depth + 1))));
  details.open = depth <= OPEN_DEPTH || failed;
  return el("li", {}, details);
}
