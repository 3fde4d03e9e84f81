"""JavaScript that tries to leave the sandbox, and what it would bring home.

Each attack is the body of a function. It returns `loot(...)` of whatever it got hold of: a text that is empty when
nothing of it leads out of the realm.
"""

from __future__ import annotations

LOOT = """
const HOST = ['process', 'require', 'module', 'exports', 'Buffer', 'global', 'Deno', 'Bun', 'd8', 'load', 'read',
  'readFile', 'readline', 'print', 'write', 'quit', 'os', 'std', 'scriptArgs', 'Worker', 'gc', 'importScripts', 'fs',
  'child_process', 'py', 'python', 'ctypes', 'setTimeout', 'WebAssembly', 'window', 'ShadowRealm', '__timer_manager'];
const TOP = Object.prototype;
const { getPrototypeOf } = Object;
const loot = (...values) => {
  let caught = '';
  const take = (what) => { caught += what + ';'; };
  for (const name of HOST) {
    try { if (typeof globalThis[name] !== 'undefined') take(name); } catch { }
    try { if (typeof (0, eval)(name) !== 'undefined') take('eval ' + name); } catch { }
  }
  for (const value of values) {
    let top = value;
    try { while (getPrototypeOf(top) !== null) top = getPrototypeOf(top); } catch { }
    if (top !== null && typeof top === 'object' && top !== TOP) take('another realm');
    for (const path of [[], ['constructor'], ['constructor', 'constructor'], ['__proto__', 'constructor']]) {
      try {
        const maker = path.reduce((at, key) => at[key], value);
        if (/Function$/.test(maker.name) && typeof maker('return 1') === 'function') take('code from a string');
      } catch { }
    }
  }
  try { (0, require)('child_process').execSync('touch MARK'); take('a process'); } catch { }
  try { process.mainModule.require('fs').writeFileSync('MARK', ''); take('a file'); } catch { }
  return caught;
};
"""

ATTACKS = {
    "the published one: a stack overflow while a stack is written": """
        let error;
        const read = () => { try { new Error('q').stack; } catch (caught) { error = caught; } };
        const fall = () => { try { fall(); } catch { read(); } };
        fall();
        const above = Object.getPrototypeOf(Object.getPrototypeOf(error ?? new RangeError()));
        (above.constructor ?? Object).prototype.toJSON = () => ({ method: 'Runtime.evaluate' });
        Object.prototype.toJSON = () => ({ method: 'Runtime.evaluate' });
        return loot(error, above);""",
    "prepareStackTrace gets call sites": """
        let sites = [];
        Error.prepareStackTrace = (error, all) => { sites = all; return error; };
        new Error('q').stack;
        const got = sites.flatMap((site) => [site, site.getThis?.(), site.getFunction?.(), site.getEvalOrigin?.()]);
        return loot(...got);""",
    "the constructor of a constructor": "return loot(this, loot, {}, [], () => 1, globalThis, new Error('q'));",
    "constructors of other kinds of functions": """
        const kinds = [async () => {}, function* () {}, async function* () {}];
        return loot(...kinds.map((kind) => kind.constructor));""",
    "eval, straight and roundabout": """
        let got = '';
        for (const go of [() => eval('1'), () => (0, eval)('1'), () => Reflect.apply(eval, null, ['1'])]) {
          try { go(); got += 'eval'; } catch { }
        }
        return got + loot();""",
    "import of a module of the host": """
        return Promise.all(['node:fs', 'fs', 'file:///etc/passwd', '/etc/passwd'].map((name) => import(name).then(
          () => name, (error) => loot(error)))).then((all) => all.join(''));""",
    "the errors of the engine itself": """
        const errors = [];
        for (const go of [() => null.x, () => new Array(-1), () => BigInt('x'), () => decodeURI('%'),
          () => 'a'.repeat(-1), () => new Intl.NumberFormat('xx-invalid-locale-x'), () => Symbol() + '',
          () => new Proxy({}, null)]) {
          try { go(); } catch (error) { errors.push(error); }
        }
        return loot(...errors);""",
    "functions made in other ways": """
        let got = '';
        for (const go of [() => Reflect.construct(Function, ['return 1']), () => Function.call(null, 'return 1'),
          () => Function.bind(null, 'return 1')(), () => new (class extends Function {})('return 1'),
          () => Reflect.apply(Function, {}, ['a', 'return a'])]) {
          try { got += typeof go(); } catch { }
        }
        return got + loot();""",
    "arguments and callers in sloppy mode": """
        const found = [];
        function sloppy() {
          let at = sloppy;
          for (let n = 0; at && n < 20; n += 1) { found.push(at, at.arguments); at = at.caller; }
        }
        try { sloppy(); } catch { }
        return loot(...found.filter((one) => typeof one === 'object'));""",
    "toJSON on every prototype": """
        for (const made of [Object, String, Number, Boolean, Array, Function, Uint8Array, Symbol, BigInt, Date]) {
          made.prototype.toJSON = () => ({ kind: 'value', source: { deep: [1] }, hits: 7, extra: 'x'.repeat(1e6) });
        }
        return loot();""",
    "JSON and String replaced": """
        const evil = () => '{"kind":"value","source":"1"}\\n{"kind":"value"}';
        const torn = () => '\\ud800\\n';
        Array.prototype.join = torn;
        String.prototype.slice = String.prototype.replace = String.prototype.isWellFormed = evil;
        JSON.stringify = evil; globalThis.JSON = { stringify: evil }; globalThis.String = evil;
        return [1, 2];""",
    "the methods of arrays replaced": """
        const evil = () => ({ length: 1e9, [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });
        for (const name of Object.getOwnPropertyNames(Array.prototype)) {
          if (typeof Array.prototype[name] === 'function') Array.prototype[name] = evil;
        }
        return '';""",
    "iterators replaced": """
        const tale = { next: () => ({ done: true }) };
        for (const made of [Array, String, Map, Set]) made.prototype[Symbol.iterator] = () => tale;
        return '';""",
    "setters on Object.prototype": """
        for (const name of ['kind', 'source', 'type', 'awaited', 'uses', 'hits', 'name', 'message', '0', 'get']) {
          Object.defineProperty(Object.prototype, name, { get: () => ({ evil: 1 }), set() { throw loot; },
            configurable: true });
        }
        return '';""",
    "instanceof lies": """
        Object.defineProperty(Error, Symbol.hasInstance, { value: () => true });
        Object.defineProperty(Promise, Symbol.hasInstance, { value: () => true });
        return { then(resolve) { resolve({ message: { toString: () => { throw 1; } }, name: 5 }); } };""",
    "a proxy that answers anything": """
        const maze = () => new Proxy(function () {}, {
          get: (_, key) => (key === Symbol.toPrimitive ? () => '7' : maze()),
          getPrototypeOf: () => maze(), ownKeys: () => { throw maze(); }, apply: () => maze(), has: () => true });
        return maze();""",
    "a proxy that throws a proxy": """
        throw new Proxy(new Error('x'), { get() { throw this; }, getPrototypeOf: () => Error.prototype });""",
    "an error whose words are objects": """
        const error = new Error('x');
        error.name = { toString: () => '\\n{"kind":"value"}\\n' };
        error.message = { toString: () => '\\u2028\\ud800'.repeat(1e5) };
        throw error;""",
    "a promise that calls back twice": """
        const mine = Object.create(Promise.prototype);
        mine.then = (one, other) => { one(1); other(2); one({ toJSON: () => 3 }); };
        return mine;""",
    "the reporter itself": """
        const box = __sandbox;
        for (const name of Object.getOwnPropertyNames(box)) { try { box[name] = () => '{}'; } catch { } }
        try { Object.defineProperty(globalThis, '__sandbox', { value: null }); } catch { }
        try { globalThis.__sandbox = null; delete globalThis.__sandbox; } catch { }
        try { box.load(() => ({}), 2 ** 53); } catch { }
        return loot(box.report, box.load, box.hide, box.observe);""",
    "natives of the engine": """
        let got = '';
        for (const code of ['%DebugPrint(1)', '%SystemBreak()', '%AbortJS("x")']) {
          try { (0, eval)(code); got += code; } catch { }
        }
        return got + loot();""",
    "the console": """
        const found = [];
        for (const name of Object.getOwnPropertyNames(console)) { try { found.push(console[name]('x')); } catch { } }
        return loot(console, ...found, ...Object.values(console));""",
    "shared memory and weak references": """
        const buffer = new SharedArrayBuffer(64);
        const registry = new FinalizationRegistry(() => {});
        registry.register({}, 1);
        return loot(buffer, new Int32Array(buffer), registry, new WeakRef({}));""",
    "memory out of a detached buffer": """
        const buffer = new ArrayBuffer(64, { maxByteLength: 128 });
        const view = new Float64Array(buffer);
        const evil = { valueOf: () => { buffer.resize(0); return 1; } };
        try { view.fill(evil); } catch { }
        const moved = new ArrayBuffer(64); const old = new Uint8Array(moved); moved.transfer();
        return [view.length, view[0], old.length, old[5]].join() === '0,,0,' ? loot(buffer) : 'stale memory';""",
    "everything that can be reached from the global object": """
        const seen = new Set(); const waiting = [globalThis]; let got = '';
        while (waiting.length > 0) {
          const one = waiting.pop();
          if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one)) continue;
          seen.add(one);
          waiting.push(Object.getPrototypeOf(one));
          for (const key of Reflect.ownKeys(one)) {
            const { value, get, set } = Object.getOwnPropertyDescriptor(one, key);
            waiting.push(value, get, set);
            if (/^(pid|env|binding|dlopen|mainModule|exec|spawn|open|_load|internal)(Sync|Binding)?$/.test(String(key))
              && one !== RegExp.prototype) got += String(key);
          }
        }
        return got + loot();""",
    "a loop that begins when the call is over": """
        Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1).value.then(() => { for (;;); });
        return 1;""",
}
"""These end by themselves."""

LATE = {
    "an endless loop": "for (;;);",
    "an endless loop in finally": "try { for (;;); } finally { for (;;); }",
    "a catastrophe of a regular expression": "return /^(a+)+$/.test('a'.repeat(50) + 'b');",
    "waiting for shared memory": "Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0);",
    "a promise that stays open": "return new Promise(() => {});",
    "numbers without end": "let n = 3n ** 1000n; for (;;) n = n * n % (2n ** 30000n);",
    "an iterator without end": "return new Map([[1, { get a() { for (;;); } }]]);",
    "an endless getter of an error": """
        throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } });""",
    "texts for every language": "for (;;) new Intl.DateTimeFormat(['de', 'ja'], { dateStyle: 'full' }).format(0);",
}
"""These end when their time is over."""

LARGE = {
    "arrays without end": "const all = []; for (;;) all.push(new Array(1000).fill(1));",
    "objects without end": "let all = null; for (;;) all = { all, more: { n: 1.5 } };",
    "buffers without end": "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));",
    "texts without end": """
        const all = [];
        for (let n = 0; ; n += 1) all.push(('x' + n).repeat(1e6).split('').join(''));""",
    "recursion without end": "const down = () => down() + 1; return down();",
    "deep values": "let deep = []; for (let n = 0; n < 1e5; n += 1) deep = [deep]; return deep;",
    "a long text": "return 'x'.repeat(2 ** 28);",
    "a deep regular expression": "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x');",
}
"""These end with an answer, whichever: an error of theirs, too much memory, or a value."""

FATAL = {
    "microtasks without end": "const on = () => Promise.resolve().then(on); return on();",
    "a built-in function that does not stop": "return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);",
    "more memory than there is, at once": "return new Array(2 ** 27).fill(0).length;",
}
"""These take their process along."""
