'use strict';
// Runs calls of untrusted code, each in a realm of its own that holds no object of this one, and prints what they did.
// stdin:  {subject: source of an expression that gives an object of functions, calls: [{name, arguments}],
//          milliseconds: for each call, coverage: whether V8 counts blocks}
// stdout: {functions: [{name, length}], outcomes: [{kind, source?, type?, name?, message?, coverage?}]}
const vm = require('node:vm');
const fs = require('node:fs');

const FILE = 'subject.js';
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const post = input.coverage ? profiler() : null;

// Evaluated inside the realm: how a value is written as source text; null for what has no literal form.
const DESCRIBE = `(() => {
  const text = JSON.stringify;
  const plain = (value) => {
    const prototype = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  };
  const all = (items) => (items.some((item) => item === null) ? null : items.join(', '));
  const wrap = (open, inside, close) => (inside === null ? null : open + inside + close);
  const source = (value, above) => {
    if (value === null || value === undefined || typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value === 'bigint') return String(value) + 'n';
    if (typeof value === 'string') return text(value).replace(/[\\u2028\\u2029]/g, (c) => '\\\\u' + c.charCodeAt(0).toString(16));
    if (typeof value !== 'object' || above.length > 8 || above.includes(value)) return null;
    const inner = (item) => source(item, [...above, value]);
    if (Array.isArray(value)) return wrap('[', all(Array.from(value, inner)), ']');
    if (value instanceof Map) return wrap('new Map([', all([...value].map((pair) => inner(pair))), '])');
    if (value instanceof Set) return wrap('new Set([', all([...value].map(inner)), '])');
    if (value instanceof Date) return 'new Date(' + value.getTime() + ')';
    if (!plain(value) || Object.getOwnPropertySymbols(value).length > 0) return null;
    return wrap('{', all(Object.keys(value).map((key) => wrap(text(key) + ': ', inner(value[key]), ''))), '}');
  };
  const returned = (value) => text({ kind: 'value', source: source(value, []), type: typeof value });
  const thrown = (error) => text(error instanceof Error
    ? { kind: 'throw', name: String(error.name), message: String(error.message) }
    : { kind: 'throw', source: source(error, []) });
  const isPromise = (value) => value instanceof Promise;
  return { returned, thrown, isPromise };
})()`;

function profiler() {
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  const send = (method, parameters) => {
    let answer;
    session.post(method, parameters, (error, result) => {
      if (error) throw new Error(method + ': ' + error.message);
      answer = result;
    });
    return answer;
  };
  send('Profiler.enable');
  send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return send;
}

function counted() {
  const scripts = post('Profiler.takePreciseCoverage').result.filter((script) => script.url === FILE);
  const ranges = scripts.flatMap((script) => script.functions.flatMap((fn) => fn.ranges));
  return ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]);
}

function realm() {
  const context = vm.createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  });
  const evaluate = (source, filename) => vm.runInContext(source, context, { filename, timeout: input.milliseconds });
  evaluate(`globalThis.describe = ${DESCRIBE}`, 'describe.js');
  evaluate(`globalThis.subject = ${input.subject}`, FILE);
  return evaluate;
}

// The call and what follows it as microtasks run under the same time limit; a promise that is still open then is late.
const CALL = (call) => `globalThis.outcome = null;
try {
  const result = subject[${JSON.stringify(call.name)}](${call.arguments});
  if (describe.isPromise(result)) {
    result.then((value) => { outcome = [true, describe.returned(value)]; }, (error) => { outcome = [true, describe.thrown(error)]; });
  } else {
    outcome = [false, describe.returned(result)];
  }
} catch (error) {
  outcome = [false, describe.thrown(error)];
}`;

function carryOut(call) {
  let outcome;
  try {
    const evaluate = realm();
    evaluate(CALL(call), 'call.js');
    const found = evaluate('outcome === null ? "" : JSON.stringify(outcome)', 'outcome.js');
    if (typeof found !== 'string' || found === '') {
      outcome = { kind: 'late' };
    } else {
      const [awaited, described] = JSON.parse(found);
      outcome = { ...JSON.parse(described), awaited };
    }
  } catch (error) {
    outcome = { kind: error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'late' : 'broken', message: safely(error) };
  }
  if (post) outcome.coverage = counted();
  return outcome;
}

function safely(error) {
  try {
    return String(error.message).slice(0, 500);
  } catch {
    return 'an error without text';
  }
}

function main() {
  let functions;
  try {
    const list = 'JSON.stringify(Object.keys(subject).filter((k) => typeof subject[k] === "function").map((k) => ({ name: k, length: subject[k].length })))';
    functions = JSON.parse(realm()(list, 'functions.js'));
  } catch (error) {
    process.stdout.write(JSON.stringify({ error: safely(error) }));
    return;
  }
  if (post) counted();
  process.stdout.write(JSON.stringify({ functions, outcomes: input.calls.map(carryOut) }));
}

main();
