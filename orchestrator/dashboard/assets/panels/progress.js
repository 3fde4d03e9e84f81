// Calls a second, coverage and corpus over time; the budget that is left, and an estimate of what is left to find.

import { count, duration, plural, short, text } from "../text.js";

export const title = "Progress";

const PLATEAU_SECONDS = 30; // Nothing new for so long, and for a tenth of the campaign, is drawn as a plateau.
const HEIGHT = 150;
const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
const MARKS = {
  finding: { word: "finding", many: "findings", color: "--fail", glyph: "▲" },
  injection: { word: "injection", many: "injections", color: "--info", glyph: "●" },
  steering: { word: "other command", many: "other commands", color: "--soft", glyph: "◆" },
  restart: { word: "worker restart", many: "worker restarts", color: "--warn", glyph: "✕" },
};
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Stretches without new coverage, as [from, to] in seconds.
export function plateaus(samples) {
  if (!samples.length) return [];
  const end = samples.at(-1)[0];
  const least = Math.max(PLATEAU_SECONDS, end / 10);
  const found = [];
  let start = 0;
  for (let index = 1; index <= samples.length; index += 1) {
    // Something new is a point of coverage, or a sequence that was worth keeping.
    if (index < samples.length && [2, 3].every((column) => samples[index][column] === samples[start][column])) continue;
    const last = samples[Math.min(index, samples.length - 1)][0];
    if (last - samples[start][0] >= least) found.push([samples[start][0], last]);
    start = index;
  }
  return found;
}

function bands(chart, timeline) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = color("--sunk");
  for (const [from, to] of plateaus(timeline.samples)) {
    const left = chart.valToPos(from, "x", true);
    ctx.fillRect(left, bbox.top, chart.valToPos(to, "x", true) - left, bbox.height);
  }
  ctx.restore();
}

function marks(chart, timeline) {
  const { ctx, bbox } = chart;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `${10 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  for (const mark of timeline.marks) {
    const { color: name, glyph } = MARKS[mark.kind];
    const x = Math.round(chart.valToPos(mark.seconds, "x", true));
    ctx.strokeStyle = ctx.fillStyle = color(name);
    ctx.globalAlpha = 0.45;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + 8 * scale);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillText(glyph, x, bbox.top + 5 * scale);
  }
  ctx.restore();
}

function options(width, series, timeline) {
  const axis = { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui", labelFont: "11px system-ui" };
  const axes = [{ ...axis, values: (_, ticks) => ticks.map((tick) => duration(tick).replace(/ (min|h|d) 00 (s|min|h)$/, " $1")), space: 80, size: 28, incrs: STEPS }];
  series.forEach(({ scale, side }) => axes.push({
    ...axis, scale, side: side ?? 3, size: 52, space: 30, grid: side === 1 ? { show: false } : axis.grid,
    values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? short(tick) : "")),
  }));
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: "progress" }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: false },
      ...Object.fromEntries(series.map(({ scale }) => [scale, { range: (_, low, high) => [0, Math.max(1, high * 1.1)] }])),
    },
    axes,
    series: [{}, ...series.map(({ scale, stroke, fill, dash }) => ({
      scale, stroke: color(stroke), width: 1.5, points: { show: false }, dash, fill: fill ? `${color(stroke)}22` : undefined,
    }))],
    hooks: { drawAxes: [(chart) => bands(chart, timeline())], draw: [(chart) => marks(chart, timeline())] },
  };
}

// A chart with the newest values above it.
function makeChart(label, series, columns, timeline) {
  const values = series.map(({ name, stroke, dash }) => {
    const value = text("strong", {});
    const swatch = text("span", { class: `swatch ${stroke.slice(2)}${dash ? " dashed" : ""}`, "aria-hidden": "true" });
    return { value, shown: text("span", { class: "row legend" }, swatch, text("span", { class: "muted" }, name), value) };
  });
  const plot = text("div", { class: "plot", role: "img", "aria-label": label });
  const root = text("figure", { class: "chart" }, text("figcaption", { class: "row" }, ...values.map(({ shown }) => shown)), plot);
  let chart = null;
  const data = () => [timeline().samples.map((sample) => sample[0]), ...columns.map((column) => timeline().samples.map((sample) => sample[column]))];
  const show = (index) => values.forEach(({ value }, each) => {
    const sample = timeline().samples.at(index ?? -1);
    value.textContent = sample ? count(sample[columns[each]]) : "-";
  });
  const build = () => {
    chart?.destroy();
    chart = null;
    if (!plot.clientWidth || !timeline().samples.length) return;
    const made = options(plot.clientWidth, series, timeline);
    made.hooks.setCursor = [(each) => show(each.cursor.idx ?? undefined)];
    chart = new uPlot(made, data(), plot);
  };
  new ResizeObserver(() => {
    if (!chart) build();
    else if (chart.width !== plot.clientWidth) chart.setSize({ width: plot.clientWidth, height: HEIGHT });
  }).observe(plot);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
  const update = () => {
    if (!chart) build();
    else chart.setData(data());
    show(chart?.cursor.idx ?? undefined);
    const last = timeline().samples.at(-1);
    if (last) plot.setAttribute("aria-label", `${label} after ${duration(last[0])}: ${series.map(({ name }, each) => `${name} ${count(last[columns[each]])}`).join(", ")}`);
  };
  return { root, update };
}

function fact(term, value, note = "") {
  return text("div", { class: "fact" }, text("dt", {}, term), text("dd", {}, value, note && text("span", { class: "muted small" }, note)));
}

function budget({ calls, callLimit, seconds, timeLimit, callsPerSecond, coverageLimit, secondsSinceNewCoverage, running, ended }) {
  if (!running || ended) return ["Budget", ended ? `used: ${ended}` : "the campaign has ended", "", 1];
  const rest = [];
  const shares = [];
  if (timeLimit !== null && timeLimit !== undefined) {
    rest.push(`${duration(timeLimit - seconds)} of ${duration(timeLimit)}`);
    shares.push(timeLimit ? seconds / timeLimit : 1);
  }
  if (callLimit !== null && callLimit !== undefined) {
    const left = Math.max(0, callLimit - calls);
    rest.push(`${short(left)} of ${plural(callLimit, "call")}${callsPerSecond > 0 ? `, some ${duration(left / callsPerSecond)}` : ""}`);
    shares.push(callLimit ? calls / callLimit : 1);
  }
  if (coverageLimit !== null && coverageLimit !== undefined && secondsSinceNewCoverage !== null) {
    rest.push(`${duration(coverageLimit - secondsSinceNewCoverage)} without new coverage`);
  }
  return ["Budget left", rest.join("; ") || "no limit", "", Math.min(1, Math.max(0, ...shares))];
}

function left({ growth }) {
  if (!growth) return ["Left to find", "not known yet", ""];
  const more = Math.max(0, Math.round(growth.estimate - growth.places));
  const [low, high] = [growth.low, growth.high].map((bound) => Math.max(0, Math.round(bound - growth.places)));
  const range = high > low ? ` (${count(low)} to ${count(high)})` : "";
  const next = growth.nextNew > 0 ? `a new one in about ${short(1 / growth.nextNew)} calls` : "no new one is expected soon";
  return ["Left to find", more || high ? `about ${plural(more, "place")}${range}` : "nothing in sight", `${count(growth.places)} reached; ${next}. Chao's estimate tells too little rather than too much.`];
}

export function mount(root, api) {
  let timeline = api.samples;
  const speed = makeChart("Calls a second over time", [{ name: "calls/s", scale: "y", stroke: "--chart-a", fill: true }], [1], () => timeline);
  const coverage = makeChart("Coverage and corpus over time", [
    { name: "coverage points", scale: "y", stroke: "--chart-b", fill: true },
    { name: "corpus sequences", scale: "corpus", side: 1, stroke: "--chart-c", dash: [5, 3] },
  ], [2, 3], () => timeline);
  const facts = text("dl", { class: "facts" });
  const meter = text("div", { class: "bar budget", "aria-hidden": "true" }, text("div", {}));
  const key = text("p", { class: "row small muted marks" });
  const list = text("ul", { class: "small marks-list" });
  const told = text("details", {}, text("summary", { class: "small" }, "Marks as a list"), list);
  const none = text("p", { class: "empty" }, "Nothing was executed yet.");
  root.append(facts, meter, none, text("div", { class: "charts" }, speed.root, coverage.root), key, told);

  const seen = { now: false };
  new IntersectionObserver((entries) => {
    seen.now = entries.at(-1).isIntersecting;
    if (seen.now) draw();
  }).observe(root);
  document.addEventListener("visibilitychange", () => draw());

  function draw() {
    if (!seen.now || document.hidden) return;
    none.hidden = timeline.samples.length > 0;
    speed.update();
    coverage.update();
    const parts = Object.entries(MARKS).map(([kind, { word, many, glyph }]) => {
      const number = timeline.marks.filter((mark) => mark.kind === kind).length;
      return number ? text("span", { class: `mark-${kind}` }, text("span", { "aria-hidden": "true" }, `${glyph} `), plural(number, word, many)) : null;
    }).filter(Boolean);
    const flat = plateaus(timeline.samples);
    if (flat.length) parts.push(text("span", {}, text("span", { class: "swatch band", "aria-hidden": "true" }), ` ${plural(flat.length, "plateau")}`));
    key.replaceChildren(...parts);
    told.hidden = !timeline.marks.length && !flat.length;
    const items = timeline.marks.map(({ seconds, kind, text: what }) => [seconds, `${MARKS[kind].word}: ${what}`]);
    flat.forEach(([from, to]) => items.push([from, `plateau: nothing new for ${duration(to - from)}`]));
    list.replaceChildren(...items.sort((a, b) => b[0] - a[0]).map(([seconds, what]) => (
      text("li", {}, text("span", { class: "muted" }, duration(seconds)), ` ${what}`)
    )));
  }

  async function extend() {
    const { timeLimit } = api.state.figures;
    await api.attempt(() => api.call("set_limits", { timeLimit: timeLimit + 600 }), "The campaign has ten more minutes.");
  }

  const more = text("button", { onclick: extend, hidden: true }, "10 min more");
  api.timeline((newest) => {
    timeline = newest;
    draw();
  });
  api.subscribe(({ figures, health }) => {
    const [term, value, note, share] = budget(figures);
    const first = fact(term, value, note);
    first.lastChild.append(more);
    more.hidden = !(api.canSteer && figures.running && !figures.ended && typeof figures.timeLimit === "number");
    const since = figures.secondsSinceNewCoverage;
    facts.replaceChildren(
      first,
      fact("Last new coverage", since === null || since === undefined ? "none yet" : figures.saved ? `${duration(since)} before the end` : `${duration(since)} ago`, figures.points ? plural(figures.points, "point") : ""),
      fact(...left(health)),
      fact("Covered", figures.lineCoverage === null || figures.lineCoverage === undefined ? "not known yet"
        : `${figures.lineCoverage.toFixed(1)} % of lines`, typeof figures.branchCoverage === "number" ? `${figures.branchCoverage.toFixed(1)} % of branches` : ""),
    );
    meter.hidden = !figures.running;
    meter.firstChild.style.width = `${(share * 100).toFixed(1)}%`;
  });
}
