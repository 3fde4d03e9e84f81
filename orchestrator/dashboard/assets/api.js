// What panels are given: the newest state, what changes, and the tools that agents use.

import * as format from "./text.js";

const KEY = "monotreme-dashboard-token";
const KEPT_EVENTS = 1000;
const SILENCE = 40_000; // The server says something every 15 seconds.
const AWAY = 60_000; // A page that nobody sees lets go of its stream after so long.
const RETRY = [500, 1000, 2000, 4000, 8000];

export class ToolError extends Error {
  constructor(message, code = "", details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export class Unknown extends Error {}

export class Gone extends Error {}

const query = (campaign) => (campaign ? `?campaign=${encodeURIComponent(campaign)}` : "");

export class Api {
  text = format.text;
  format = format;
  state = { figures: {}, tests: [], workers: [], health: { points: [] }, campaigns: [] };
  canSteer = false;
  pinned = new URLSearchParams(location.search).get("campaign") ?? ""; // The campaign that this page names, if any.
  campaign = ""; // The one that is shown.
  history = []; // Events, oldest first.
  samples = { interval: 1, samples: [], marks: [] };
  #listeners = { state: new Set(), events: new Set(), timeline: new Set(), connection: new Set() };
  #epoch = "";
  #last = "";
  #offset = 0;
  #stream = null;
  #attempts = 0;
  #wake = () => {};

  // Set by the shell: go(panel, parameters), notify(text, isError), ask(question, yes).
  go = () => {};
  notify = () => {};
  ask = async () => true;

  // --- tools ---------------------------------------------------------------------------------------------------------

  // The result of a tool, of the campaign that is shown. Rejects with a ToolError whose message is for people.
  async call(tool, args = {}, campaign = this.campaign) {
    const answer = await this.#post(`/api/call/${encodeURIComponent(tool)}${query(campaign)}`, args);
    return answer.result;
  }

  // All pages of a tool as one result: of these lists, those of every page.
  async pages(tool, ...lists) {
    let result = null;
    let offset = 0;
    while (offset !== null) {
      const page = await this.call(tool, { offset, limit: 1000 });
      result ??= { ...page, ...Object.fromEntries(lists.map((name) => [name, []])) };
      for (const name of lists) result[name].push(...page[name]);
      offset = page.nextOffset;
    }
    return result;
  }

  async redeem(ticket) {
    const { token } = await this.#post("/api/session", { ticket });
    this.token = token;
  }

  get token() {
    return sessionStorage.getItem(KEY) ?? "";
  }

  set token(token) {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  }

  async #post(path, body) {
    let response;
    try {
      response = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...this.#authorization() },
        body: JSON.stringify(body),
      });
    } catch {
      throw new ToolError("The program cannot be reached: the campaign may have ended.", "UNREACHABLE");
    }
    const answer = await response.json().catch(() => ({}));
    if (response.status === 401) throw new Unknown(answer.error?.message ?? "a token is needed");
    if (!response.ok) {
      const { code, message, details } = answer.error ?? {};
      throw new ToolError(message ?? `the server answered ${response.status}`, code, details);
    }
    return answer;
  }

  #authorization() {
    return this.token ? { authorization: `Bearer ${this.token}` } : {};
  }

  // --- what is pushed ------------------------------------------------------------------------------------------------

  // Calls fn with the newest state, now and whenever it changes. Returns a function that ends it.
  subscribe(fn) {
    fn(this.state);
    return this.#listen("state", fn);
  }

  // Calls fn with lists of events, oldest first: those that are known now, then those that come. `isAll` is true when
  // the list replaces all before it.
  events(fn) {
    fn(this.history, true);
    return this.#listen("events", fn);
  }

  timeline(fn) {
    fn(this.samples);
    return this.#listen("timeline", fn);
  }

  connection(fn) {
    return this.#listen("connection", fn);
  }

  #listen(kind, fn) {
    this.#listeners[kind].add(fn);
    return () => this.#listeners[kind].delete(fn);
  }

  #tell(kind, ...values) {
    for (const fn of this.#listeners[kind]) {
      try {
        fn(...values);
      } catch (error) {
        console.error(error);
      }
    }
  }

  // The server's clock, in Unix seconds.
  get now() {
    return Date.now() / 1000 + this.#offset;
  }

  // Runs fn at once and then every so many seconds, while root is on the screen and the page is looked at. Returns a
  // function that runs it now.
  poll(root, fn, seconds) {
    let [seen, due, busy, timer] = [false, 0, false, 0];
    const run = async () => {
      if (busy) return;
      busy = true;
      clearTimeout(timer);
      try {
        await fn();
      } catch (error) {
        if (!(error instanceof Unknown)) console.warn(error);
      }
      busy = false;
      due = Date.now() + seconds * 1000;
      plan();
    };
    const plan = () => {
      clearTimeout(timer);
      if (seen && !document.hidden) timer = setTimeout(run, Math.max(0, due - Date.now()));
    };
    new IntersectionObserver((entries) => {
      seen = entries.at(-1).isIntersecting;
      plan();
    }).observe(root);
    document.addEventListener("visibilitychange", plan);
    return run;
  }

  // Connects, and connects again whenever the connection is lost. Rejects with Unknown when the token is not
  // known, and with Gone when the campaign that the page names is not.
  async follow() {
    document.addEventListener("visibilitychange", () => this.#seen());
    for (;;) {
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof Unknown || error instanceof Gone) throw error;
      }
      this.#tell("connection", document.hidden ? "resting" : "lost");
      const wait = RETRY[Math.min(this.#attempts++, RETRY.length - 1)];
      await new Promise((resolve) => {
        this.#wake = resolve;
        if (!document.hidden) setTimeout(resolve, wait);
      });
    }
  }

  #seen() {
    clearTimeout(this.away);
    if (document.hidden) this.away = setTimeout(() => this.#stream?.abort(), AWAY);
    else this.#wake();
  }

  async #read() {
    this.#stream = new AbortController();
    const headers = { accept: "text/event-stream", ...this.#authorization() };
    if (this.#last) headers["last-event-id"] = this.#last;
    const response = await fetch(`/api/stream${query(this.pinned)}`, { headers, signal: this.#stream.signal, cache: "no-store" });
    if (response.status === 401) throw new Unknown("this token is not known");
    if (response.status === 404) {
      const answer = await response.json().catch(() => ({}));
      throw new Gone(answer.error?.message ?? "there is no such campaign");
    }
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, watch] = ["", 0];
    try {
      for (;;) {
        clearTimeout(watch);
        watch = setTimeout(() => this.#stream.abort(), SILENCE);
        const { done, value } = await reader.read();
        if (done) return;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        parts.forEach((part) => this.#take(part));
      }
    } finally {
      clearTimeout(watch);
    }
  }

  #take(message) {
    let [kind, data, id] = ["", "", ""];
    for (const line of message.split("\n")) {
      if (line.startsWith("event: ")) kind = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("id: ")) id = line.slice(4);
    }
    if (kind) this.#dispatch(kind, JSON.parse(data));
    if (id) this.#last = id;
  }

  #dispatch(kind, data) {
    switch (kind) {
      case "scope":
        this.canSteer = data.canSteer;
        break;
      case "hello":
        this.#attempts = 0;
        this.#offset = data.time - Date.now() / 1000;
        this.campaign = data.campaign ?? "";
        if (this.#epoch !== data.epoch) {
          this.#epoch = data.epoch;
          this.history = [];
          this.#tell("events", this.history, true);
        }
        this.#tell("connection", "connected");
        break;
      case "state":
        this.state = { ...this.state, ...data };
        this.#tell("state", this.state);
        break;
      case "timeline":
        this.samples = data;
        this.#tell("timeline", this.samples);
        break;
      case "sample":
        this.samples.samples.push(data);
        this.#tell("timeline", this.samples);
        break;
      case "mark":
        this.samples.marks.push(data);
        this.#tell("timeline", this.samples);
        break;
      case "events": {
        const newest = this.history.at(-1)?.cursor ?? 0;
        const fresh = data.filter((event) => event.cursor > newest);
        if (!fresh.length) break;
        this.history.push(...fresh);
        this.history.splice(0, this.history.length - KEPT_EVENTS);
        this.#tell("events", fresh, false);
        break;
      }
    }
  }
}
