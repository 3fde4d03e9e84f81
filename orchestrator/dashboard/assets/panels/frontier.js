// Open branches by how near the campaign came to their other side, and what can be done about each.

import { attempt, choose, count, el, emptyNote, field, fill, jump, say, short, statusLine, whileSeen } from "../parts.js";

export const title = "Frontier";

const SIGNATURE = /^[a-zA-Z_][a-zA-Z0-9_]*\([^)]*\)$/;
const SOLVE_SHARE = 0.1;
const TIPS = {
  focus: "prioritize_function: nine tenths of all calls go to the prioritized functions",
  inject: "opens the injection box with the nearest known sequence, to change, try and inject",
  solve: "The fuzzer solves comparisons by itself; no command orders it to. This gives it the operands as dictionary"
    + " values (add_dictionary_values) and builds a tenth of all sequences around the nearest one with the last call's"
    + " arguments open (inject_template).",
  exclude: "exclude_function: the fuzzer calls the function no more",
};

export function mount(root, api) {
  const contract = el("select", { change: () => reload() });
  const order = el("select", { change: () => reload() });
  choose(order, [["near", "nearest first"], ["blocking", "blocking code first"]]);
  choose(contract, [["", "all"]]);
  const status = statusLine();
  const summary = el("p", { class: "p-summary" });
  const list = el("ol", { class: "p-cards" });
  fill(root, el("div", { class: "p-controls" }, field("Contract", contract), field("Order", order)), summary, status, list);
  let drawn = "";

  async function refresh() {
    const wanted = { order: order.value };
    if (contract.value) wanted.contract = contract.value;
    let found;
    try {
      found = await api.call("page_frontier", wanted);
    } catch (error) {
      say(summary, error.message, true);
      throw error;
    }
    choose(contract, [["", "all"], ...found.contracts.map((name) => [name, name])]);
    const shownCount = found.branches.length;
    if (found.unknown) {
      say(summary, found.unknown);
      list.replaceChildren();
      drawn = "";
      throw new Error(found.unknown);
    }
    say(summary, found.total
      ? `${count(shownCount)} of ${count(found.total)} open branches`
        + (found.ranked < found.total ? `; ${count(found.ranked)} that block code were compared` : "")
      : "");
    const state = JSON.stringify([found.branches, api.canSteer]);
    // A card that somebody is about to press must not move away under the pointer or the focus.
    if (state === drawn || list.contains(document.activeElement) || list.matches(":hover")) return;
    drawn = state;
    fill(list, found.branches.length
      ? found.branches.map((branch) => card(api, branch, status))
      : el("li", { class: "p-plain" }, emptyNote("No branch is open: every condition that was evaluated went both ways.")));
  }
  const reload = whileSeen(root, api, 5, refresh);
}

function card(api, branch, status) {
  const place = `${branch.file}:${branch.line}`;
  const name = [branch.contract, branch.function].filter(Boolean).join(".");
  const callee = branch.callees[0] ?? "";
  return el("li", { class: "p-card" },
    el("div", { class: "p-card-head" },
      jump(api, "source", { file: branch.file, line: branch.line }, place, `source of ${place}`),
      el("span", { class: "p-muted" }, name),
      api.state.figures.saved ? null : el("span", { class: "p-badge" }, distanceText(branch))),
    el("pre", { class: "p-line" }, branch.source),
    el("p", {}, `never ${branch.missing}; ${count(branch.times)} times the other`),
    branch.seen ? el("p", {}, branch.seen, branch.needs ? `; ${branch.needs}` : "") : null,
    branch.nearestEntry
      ? el("p", {}, "nearest: ", jump(api, "corpus", { id: branch.nearestEntry }, short(branch.nearestEntry),
        `corpus entry ${branch.nearestEntry}`), ` with ${branch.nearest.length} calls, the last of them `,
      el("code", {}, branch.nearest.at(-1)?.call ?? ""))
      : null,
    api.state.figures.saved ? null : el("div", { class: "p-buttons", role: "group", "aria-label": `steering for ${place}` },
      action("focus", callee, () => focus(api, callee)),
      el("button", {
        type: "button", title: TIPS.inject, "aria-label": `inject at ${place}`,
        click: () => api.go("injection", { calls: branch.nearest }),
      }, "inject"),
      action("solve", branch.solving.length || branch.values.length, () => solve(api, branch)),
      action("exclude", callee, () => exclude(api, callee))));

  function action(word, possible, act) {
    const why = api.canSteer ? (possible ? "" : " Nothing that the fuzzer calls leads here.") : " Your token may only read.";
    const button = el("button", {
      type: "button", title: TIPS[word] + (why ? `.${why}` : ""), "aria-label": `${word} ${callee || place}`,
      disabled: Boolean(why), click: () => attempt(status, button, act),
    }, word);
    return button;
  }
}

function distanceText({ distanceBits }) {
  if (distanceBits === null) return "distance unknown";
  if (distanceBits === 0) return "ranges meet";
  if (distanceBits <= 20) return `at least ${count(2 ** (distanceBits - 1))} apart`;
  return `at least 2^${distanceBits - 1} apart`;
}

async function focus(api, callee) {
  const signature = callee.slice(callee.indexOf(".") + 1);
  if (!SIGNATURE.test(signature)) {
    await api.call("set_function_weights", { weights: [{ function: callee, weight: 10 }] });
    return `${callee} has ten times the weight: a function with structs cannot be prioritized by signature`;
  }
  await api.call("prioritize_function", { functionSignature: signature });
  return `${signature} is prioritized; clear_priorities in the functions panel takes it back`;
}

async function exclude(api, callee) {
  await api.call("exclude_function", { function: callee });
  return `${callee} is excluded; reset in the functions panel takes it back`;
}

async function solve(api, branch) {
  const done = [];
  if (branch.values.length) {
    const { added } = await api.call("add_dictionary_values", { values: branch.values.map((value) => ({ value })) });
    done.push(`${added} new dictionary values`);
  }
  if (branch.solving.length) {
    const sequence = branch.solving.map((call, index) => {
      const { value, delaySeconds, delayBlocks, sender } = branch.nearest[index];
      const isLast = index === branch.solving.length - 1;
      return isLast ? { call, value, delaySeconds, delayBlocks } : { call, value, delaySeconds, delayBlocks, sender };
    });
    const { id, effectiveShare } = await api.call("inject_template", { sequence, share: SOLVE_SHARE });
    done.push(`template ${id} with ${(100 * effectiveShare).toFixed(0)} % of all sequences`);
  }
  return `solving: ${done.join(", ")}`;
}
