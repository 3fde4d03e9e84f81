'use strict';
// Evaluated in each realm before the code under test. It notices what would make a test depend on where and when it runs
// (the clock, chance, the language, what Node or Jest add to a realm, changed globals), and writes results as source text.
Object.defineProperty(globalThis, '__sandbox', { value: (() => {
  const { apply, construct, defineProperty, getPrototypeOf, ownKeys } = Reflect;
  const { getOwnPropertySymbols } = Object;
  const { stringify } = JSON;
  const MOST_ITEMS = 20;
  const FIRST_ITEMS = 5;
  const LONGEST_SOURCE = 2000;
  const used = new Set();
  const note = (what) => { used.add(what); };
  const realm = globalThis;

  const hide = (names) => {
    for (const name of names) {
      if (name in realm) continue;
      const set = (value) => { defineProperty(realm, name, { value, writable: true, configurable: true }); };
      defineProperty(realm, name, { get: () => { note(name); }, set, configurable: true });
    }
    before = fingerprint();
  };

  // What code changes for all that follows: a test file has one realm for all of its tests.
  const SHARED = [Object, Array, Function, String, Number, Boolean, RegExp, Error, Promise, Map, Set];
  const fingerprint = () => stringify([realm, ...SHARED, ...SHARED.map((made) => made.prototype)].map((o) => ownKeys(o).length));
  let before = '';

  const RealDate = Date;
  const clocked = new Proxy(RealDate, {
    construct(target, given, wanted) {
      if (given.length === 0) note('the clock');
      return construct(target, given, wanted === clocked ? target : wanted);
    },
    apply() {
      note('the clock');
      return RealDate();
    },
  });
  RealDate.now = () => { note('the clock'); return 0; };
  RealDate.prototype.constructor = clocked;
  defineProperty(realm, 'Date', { value: clocked, writable: true, configurable: true });
  Math.random = () => { note('Math.random'); return 0.5; };

  const LOCALIZED = [[Number, 'toLocaleString'], [BigInt, 'toLocaleString'], [Array, 'toLocaleString'],
    [RealDate, 'toLocaleString'], [RealDate, 'toLocaleDateString'], [RealDate, 'toLocaleTimeString']];
  for (const [{ prototype }, name] of LOCALIZED) {
    const plain = prototype[name];
    prototype[name] = { [name](...given) {
      if (given[0] === undefined) note('the language of the machine');
      return apply(plain, this, given);
    } }[name];
  }
  for (const name of ownKeys(Intl)) {
    if (typeof Intl[name] !== 'function' || !/^[A-Z]/.test(String(name))) continue;
    const heard = (given) => { if (given[0] === undefined) note('the language of the machine'); };
    Intl[name] = new Proxy(Intl[name], {
      construct(target, given) { heard(given); return construct(target, given); },
      apply(target, self, given) { heard(given); return apply(target, self, given); },
    });
  }

  const generator = getPrototypeOf(function* () {}).prototype;
  const isGenerator = (value) => typeof value === 'object' && value !== null && generator.isPrototypeOf(value);
  const plain = (value) => getPrototypeOf(value) === Object.prototype || getPrototypeOf(value) === null;
  const all = (items) => (items.some((item) => item === null) ? null : items.join(', '));
  const wrap = (open, inside, close) => (inside === null ? null : open + inside + close);
  const quoted = (value) => stringify(value).replace(/[\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16));
  const named = (key) => (key === '__proto__' ? '["__proto__"]' : quoted(key));
  const typed = (value) => Object.prototype.toString.call(value).slice(8, -1);
  const source = (value, above) => {
    if (value === null || value === undefined || typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value === 'bigint') return String(value) + 'n';
    if (typeof value === 'string') return value.length > LONGEST_SOURCE ? null : quoted(value);
    if (typeof value !== 'object' || above.length > 8 || above.includes(value)) return null;
    if (value.length > LONGEST_SOURCE || value.size > LONGEST_SOURCE) return null;
    const inner = (item) => source(item, [...above, value]);
    if (Array.isArray(value)) return wrap('[', all(Array.from(value, inner)), ']');
    if (value instanceof Map) return wrap('new Map([', all([...value].map((pair) => inner(pair))), '])');
    if (value instanceof Set) return wrap('new Set([', all([...value].map(inner)), '])');
    if (value instanceof RealDate) return Number.isNaN(value.getTime()) ? null : 'new Date(' + value.getTime() + ')';
    if (value instanceof RegExp) return `new RegExp(${quoted(value.source)}, ${quoted(value.flags)})`;
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return wrap(`new ${typed(value)}([`, all(Array.from(value, inner)), '])');
    if (!plain(value) || getOwnPropertySymbols(value).length > 0) return null;
    return wrap('{', all(Object.keys(value).map((key) => wrap(named(key) + ': ', inner(value[key]), ''))), '}');
  };
  const literal = (value) => {
    try {
      const found = source(value, []);
      return found !== null && found.length <= LONGEST_SOURCE ? found : null;
    } catch {
      return null; // a proxy or a getter that throws
    }
  };

  const returned = (value) => (isGenerator(value) ? drawn(value) : { kind: 'value', source: literal(value), type: typeof value });
  const thrown = (error) => (error instanceof Error
    ? { kind: 'throw', name: String(error.name), message: String(error.message) }
    : { kind: 'throw', source: literal(error) });
  // The items of a generator: all of them, or the first few of one that goes on.
  const drawn = (items) => {
    const found = [];
    try {
      while (found.length <= MOST_ITEMS) {
        const { done, value } = items.next();
        if (done) return { kind: 'value', source: literal(found), type: 'object', iterates: 'all' };
        found.push(value);
      }
    } catch (error) {
      return { ...thrown(error), iterates: 'all' };
    }
    return { kind: 'value', source: literal(found.slice(0, FIRST_ITEMS)), type: 'object', iterates: 'first' };
  };

  let outcome = null;
  const settle = (found, awaited) => { outcome = { ...found, awaited }; };
  const observe = (call) => {
    try {
      const result = call();
      if (result instanceof Promise) {
        result.then((value) => settle(returned(value), true), (error) => settle(thrown(error), true));
      } else {
        settle(returned(result), false);
      }
    } catch (error) {
      settle(thrown(error), false);
    }
  };
  const uses = () => {
    if (before !== fingerprint()) note('changed globals');
    return [...used].join(', ');
  };
  return { hide, uses, observe, subject: null, outcome: () => (outcome === null ? '' : stringify({ ...outcome, uses: uses() })) };
})() });
