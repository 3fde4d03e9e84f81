// The corpus: what each entry alone covers, how old it is, what it shares with others, and the search of the tools.

import { NUMBERS, attempt, callTable, choose, copy, count, duration, el, emptyNote, field, fill, jump, say, short, statusLine, whileSeen } from "../parts.js";

export const title = "Corpus";

const PAGE = 25;
const ORIGINS = {
  coverage: "brought coverage", failed: "fails a test", injected: "was injected", foreign: "of another fuzzer's file",
};

export function mount(root, api) {
  const state = { offset: 0, entry: "", drawn: "", isSearch: false };
  const order = el("select", { change: () => { state.offset = 0; state.isSearch = false; reload(); } });
  choose(order, [
    ["unique", "most that only it covers"], ["rare", "most that few cover"], ["newest", "newest"], ["oldest", "oldest"],
    ["longest", "longest"],
  ]);
  const input = (placeholder) => el("input", { type: "text", placeholder, autocomplete: "off", spellcheck: "false" });
  const name = input("transfer or transfer(address,uint256)");
  const sender = input("0x… of 40 digits");
  const value = input("wei");
  const status = statusLine();
  const summary = el("p", { class: "p-summary" });
  const list = el("div", { class: "p-scroll", role: "region", "aria-label": "entries", tabindex: "0" });
  const back = el("button", { type: "button", click: () => turn(-1) }, "previous");
  const on = el("button", { type: "button", click: () => turn(1) }, "next");
  const detail = el("section", { class: "p-detail", "aria-label": "corpus entry" });
  pages(0);
  const search = el("form", {
    class: "p-controls", role: "search",
    submit: (event) => {
      event.preventDefault();
      state.offset = 0;
      state.isSearch = Boolean(name.value || sender.value || value.value);
      reload();
    },
  }, field("Function", name), field("Sender", sender), field("Least value", value),
  el("div", { class: "p-buttons" }, el("button", { type: "submit", title: "search_corpus" }, "search")));
  fill(root, el("div", { class: "p-controls" }, field("Order", order)), search, summary, status, list,
    el("div", { class: "p-buttons" }, back, on), detail);

  function turn(step) {
    state.offset = Math.max(0, state.offset + step * PAGE);
    reload();
  }

  async function refresh() {
    try {
      await (state.isSearch ? find() : rank());
      say(status, "");
    } catch (error) {
      say(status, error.message, true);
      throw error;
    }
  }

  function pages(total) {
    back.hidden = state.offset === 0;
    on.hidden = state.offset + PAGE >= total;
  }

  function draw(data, head, rows, none) {
    const drawn = JSON.stringify(data);
    if (drawn === state.drawn || list.contains(document.activeElement)) return;
    state.drawn = drawn;
    fill(list, rows.length ? el("table", { class: "p-table" },
      el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col", class: NUMBERS.has(text) ? "p-number" : null }, text)))), el("tbody", {}, rows)) : emptyNote(none));
  }

  const link = (id) => el("button", {
    type: "button", class: "p-link", "aria-label": `corpus entry ${id}`, title: id, click: () => show(id),
  }, short(id));

  async function rank() {
    const found = await api.call("page_corpus", { order: order.value, offset: state.offset, limit: PAGE });
    pages(found.ranked);
    say(summary, `${count(found.total)} entries`
      + (found.ranked < found.total ? `; the newest ${count(found.ranked)} of them were compared` : ""));
    // The age of an entry changes all the time; it is shown, and does not make the table another one.
    const known = found.entries.map(({ age, ...rest }) => [rest, duration(age)]);
    draw(known, ["entry", "only it covers", "covers", "calls", "age", "because it", "found by", "begins with"],
      found.entries.map((each) => el("tr", {},
        el("td", {}, link(each.id)),
        el("td", { class: "p-number" }, each.unique === null ? (api.state.figures.saved ? "not saved" : "not measured") : count(each.unique)),
        el("td", { class: "p-number" }, each.features === null ? "" : count(each.features)),
        el("td", { class: "p-number" }, count(each.calls)),
        el("td", { class: "p-number" }, duration(each.age)),
        el("td", {}, ORIGINS[each.origin] ?? each.origin),
        el("td", { class: "when" }, each.finder === null ? "" : `worker ${each.finder}`),
        el("td", { class: "p-code" }, each.firstCalls.join("; ")))),
      "The corpus is empty.");
  }

  async function find() {
    const wanted = { offset: state.offset, limit: PAGE };
    if (name.value.trim()) wanted.function = name.value.trim();
    if (sender.value.trim()) wanted.sender = sender.value.trim();
    if (value.value.trim()) wanted.minValue = value.value.trim();
    const found = await api.call("search_corpus", wanted);
    pages(found.total);
    say(summary, `${count(found.total)} transactions`);
    draw(found, ["entry", "call", "sender", "value"], found.transactions.map((each) => el("tr", {},
      el("td", {}, link(each.entry)),
      el("td", { class: "p-code" }, each.call),
      el("td", { class: "p-code" }, each.sender),
      el("td", { class: "p-number" }, each.value))), "Nothing in the corpus is like that.");
  }

  async function show(id) {
    state.entry = id;
    await attempt(status, null, async () => {
      const [entry, relatives] = await Promise.all([api.call("get_corpus_entry", { id }), api.call("page_relatives", { id })]);
      if (state.entry !== id) return;
      fill(detail, details(entry, relatives));
      detail.querySelector("h3").focus();
    });
  }

  function details(entry, relatives) {
    const copies = el("button", {
      type: "button", title: "export_sequence",
      click: () => attempt(status, copies, async () => {
        await copy(await api.call("export_sequence", { id: entry.id }));
        return "The sequence is on the clipboard";
      }),
    }, "copy Echidna JSON");
    const covers = entry.features === null ? (api.state.figures.saved ? "not in the folder" : "no worker has measured it yet")
      : `${count(entry.features)} features, ${count(entry.uniqueFeatures)} of them nothing else does`;
    const parent = relatives.relatives.find((each) => each.earlier);
    return [
      el("h3", { tabindex: "-1" }, `Entry ${entry.id}`),
      el("dl", { class: "p-facts" }, [
        ["It", ORIGINS[entry.origin] ?? entry.origin],
        ["Found by", entry.finder === null ? "not known: it came from a file or a client" : `worker ${entry.finder}`],
        ["Covers", covers + (entry.superseded ? "; others cover it too, so it has left the corpus" : "")],
        ["Likely parent", parent ? [link(parent.id), ` shares ${parent.shared} of ${relatives.calls} calls`] : "no earlier entry shares a call"],
      ].flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])),
      el("div", { class: "p-buttons" }, copies,
        api.state.figures.saved ? null : jump(api, "source", { coveredBy: entry.id }, "lines it covers"),
        api.state.figures.saved ? null : jump(api, "injection", { calls: entry.sequence }, "into the injection box")),
      callTable(entry.sequence, `calls of entry ${entry.id}`),
      entry.totalCalls > entry.sequence.length ? el("p", { class: "p-muted" }, `${entry.totalCalls - entry.sequence.length} more calls`) : null,
      el("h4", {}, "Relatives"),
      el("p", { class: "p-muted" }, "The fuzzer does not record what it mutated; these share calls to the last byte."),
      relatives.relatives.length
        ? el("ul", {}, relatives.relatives.map((each) => el("li", {}, link(each.id),
          ` ${each.earlier ? "earlier" : "later"}, shares ${each.shared} of its ${each.calls} calls, ${ORIGINS[each.origin] ?? each.origin}`)))
        : emptyNote("No other entry shares a call."),
    ];
  }

  const open = ({ id }) => (id ? show(id) : undefined);
  const reload = whileSeen(root, api, 5, refresh);
  return { show: open };
}
