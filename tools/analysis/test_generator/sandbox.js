'use strict';
// Runs calls of untrusted code, each in a realm of its own that holds no object of this one, and prints what they did.
// stdin:  {subject: source of an expression that gives an object of functions, calls: [{key, local, invocation}],
//          milliseconds: for each call, zone: the time zone, coverage: whether V8 counts blocks}
// stdout: {outcomes: [{kind, source?, type?, name?, message?, awaited?, iterates?, uses?, coverage?}]} or {error, uses}
const vm = require('node:vm');
const fs = require('node:fs');
const path = require('node:path');

const FILE = 'subject.js';
const MOST_LATE = 2;
const PATIENT_WITH = 4;
const IMPATIENT = 5;
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
process.env.TZ = input.zone;
const REALM = new vm.Script(fs.readFileSync(path.join(__dirname, 'realm.js'), 'utf8'), { filename: 'realm.js' });
const JEST = ['describe', 'it', 'test', 'expect', 'jest', 'fit', 'xit', 'xtest', 'xdescribe', 'fdescribe', 'beforeEach',
  'beforeAll', 'afterEach', 'afterAll', 'require', '__filename', '__dirname'];
const HOST = [...Object.getOwnPropertyNames(globalThis), ...JEST];
let limit = input.milliseconds;
const post = input.coverage ? profiler() : null;

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
  const evaluate = (source, filename) => vm.runInContext(source, context, { filename, timeout: limit });
  REALM.runInContext(context);
  evaluate(`__sandbox.hide(${JSON.stringify(HOST)})`, 'hide.js');
  return evaluate;
}

const load = (evaluate) => evaluate(`__sandbox.subject = ${input.subject}`, FILE);
const usedIn = (evaluate) => String(evaluate('__sandbox.uses()', 'uses.js'));

// The call and what follows it as microtasks run under the same time limit; a promise that is still open then is late.
function carryOut(call) {
  const evaluate = realm();
  let outcome;
  try {
    load(evaluate);
    const subject = `__sandbox.subject[${JSON.stringify(call.key)}]`;
    evaluate(`__sandbox.observe(() => ((${call.local}) => ${call.invocation})(${subject}))`, 'call.js');
    const found = evaluate('__sandbox.outcome()', 'outcome.js');
    outcome = typeof found === 'string' && found !== '' ? JSON.parse(found) : { kind: 'late' };
  } catch (error) {
    outcome = { kind: isTimeout(error) ? 'late' : 'broken', message: safely(error) };
  }
  if (post) outcome.coverage = counted();
  return outcome;
}

const isTimeout = (error) => error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

// A function that keeps running into the time limit would use up the time of all the others.
function patiently() {
  const late = new Map();
  let all = 0;
  return (call) => {
    if ((late.get(call.name) ?? 0) >= MOST_LATE) return { kind: 'late' };
    const outcome = carryOut(call);
    if (outcome.kind === 'late') {
      late.set(call.name, (late.get(call.name) ?? 0) + 1);
      all += 1;
      if (all >= PATIENT_WITH) limit = input.milliseconds / IMPATIENT;
    }
    return outcome;
  };
}

function safely(error) {
  try {
    return String(error.message).slice(0, 500);
  } catch {
    return 'an error without text';
  }
}

function main() {
  const evaluate = realm();
  try {
    load(evaluate);
  } catch (error) {
    process.stdout.write(JSON.stringify({ error: safely(error), uses: usedIn(evaluate) }));
    return;
  }
  if (post) counted();
  process.stdout.write(JSON.stringify({ outcomes: input.calls.map(patiently()) }));
}

main();
