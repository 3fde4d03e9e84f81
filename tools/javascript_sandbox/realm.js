'use strict';
// Evaluated in each realm before the code under test. It notices what would make a test depend on where and when it runs
// (the clock, chance, the language, what Node or Jest add to a realm, changed globals), and writes results as source text.
//
// The code under test can replace whatever is reachable in this realm. What is reported is therefore text alone, made by
// functions that were taken before, from objects without a prototype: the code can make the report untrue, and no more.
Object.defineProperty(globalThis, '__sandbox', { value: (() => {
  const { apply, construct, defineProperty, deleteProperty, getPrototypeOf, ownKeys } = Reflect;
  const { freeze, getOwnPropertySymbols } = Object;
  const { stringify } = JSON;
  const textOf = String;
  const { slice, includes, isWellFormed } = String.prototype;
  const MAX_ITEMS = 20;
  const FIRST_ITEMS = 5;
  const MAX_SOURCE_LENGTH = 2000;
  const DIGITS = '0123456789abcdef';
  const realm = globalThis;

  let used = '';
  const note = (what) => {
    if (!apply(includes, ', ' + used + ', ', [', ' + what + ', '])) used += (used === '' ? '' : ', ') + what;
  };
  const readable = (value) => {
    const found = apply(slice, textOf(value), [0, MAX_SOURCE_LENGTH]);
    return apply(isWellFormed, found, []) ? found : '';
  };

  // `absent` are names that a realm of Node or Jest has and this one lacks; `recent` those that not every Node has.
  const hide = (absent, recent) => {
    for (const name of recent) deleteProperty(realm, name);
    for (const name of [...absent, ...recent]) {
      if (name in realm) continue;
      const set = (value) => { defineProperty(realm, name, { value, writable: true, configurable: true }); };
      defineProperty(realm, name, { get: () => { note(name); }, set, configurable: true });
    }
    before = fingerprint();
  };

  // What code changes for all that follows: a test file has one realm for all of its tests.
  const SHARED = [Object, Array, Function, String, Number, Boolean, RegExp, Error, Promise, Map, Set];
  const WATCHED = [realm, ...SHARED, ...SHARED.map((made) => made.prototype)];
  const fingerprint = () => {
    let counts = '';
    for (let at = 0; at < WATCHED.length; at += 1) counts += ownKeys(WATCHED[at]).length + ',';
    return counts;
  };
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
    if (typeof value === 'string') return value.length > MAX_SOURCE_LENGTH ? null : quoted(value);
    if (typeof value !== 'object' || above.length > 8 || above.includes(value)) return null;
    if (value.length > MAX_SOURCE_LENGTH || value.size > MAX_SOURCE_LENGTH) return null;
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
      return typeof found === 'string' && found.length <= MAX_SOURCE_LENGTH && apply(isWellFormed, found, []) ? found : null;
    } catch {
      return null; // a proxy or a getter that throws
    }
  };

  const returned = (value) => (isGenerator(value) ? drawn(value) : { kind: 'value', source: literal(value), type: typeof value });
  const thrown = (error) => (error instanceof Error
    ? { kind: 'throw', name: readable(error.name), message: readable(error.message) }
    : { kind: 'throw', source: literal(error) });
  // The items of a generator: all of them, or the first few of one that continues.
  const drawn = (items) => {
    const found = [];
    try {
      while (found.length <= MAX_ITEMS) {
        const { done, value } = items.next();
        if (done) return { kind: 'value', source: literal(found), type: 'object', iterates: 'all' };
        found.push(value);
      }
    } catch (error) {
      return { ...thrown(error), iterates: 'all' };
    }
    return { kind: 'value', source: literal(found.slice(0, FIRST_ITEMS)), type: 'object', iterates: 'first' };
  };

  let subject = null;
  let reached = null;
  let most = 0;
  let outcome = null;
  const settle = (found, awaited) => { outcome = { __proto__: null, ...found, awaited }; };

  // `code` gives the functions under test; it sets an element of the array that it gets for each place it comes by.
  // Returns '' or, as JSON, what was thrown.
  const load = (code, places) => {
    reached = new Uint8Array(places);
    most = places;
    try {
      subject = code(reached);
      return '';
    } catch (error) {
      return stringify({ __proto__: null, error: complaint(error), uses: uses() });
    }
  };
  const complaint = (error) => {
    try {
      return readable(error instanceof Error ? error.message : error);
    } catch {
      return 'an error without text';
    }
  };
  const observe = (key, call) => {
    try {
      const result = call(subject[key]);
      if (result instanceof Promise) {
        result.then((value) => settle(returned(value), true), (error) => settle(thrown(error), true));
      } else {
        settle(returned(result), false);
      }
    } catch (error) {
      settle(thrown(error), false);
    }
    return '';
  };
  const uses = () => {
    if (before !== fingerprint()) note('changed globals');
    return used;
  };
  // The places reached: a hexadecimal digit for four of them, the first in its lowest bit.
  const hits = () => {
    let found = '';
    for (let at = 0; at < most; at += 4) {
      let four = 0;
      for (let bit = 0; bit < 4 && at + bit < most; bit += 1) if (reached[at + bit] !== 0) four |= 1 << bit;
      found += DIGITS[four];
    }
    return found;
  };
  // As JSON, '' for a call that has not ended.
  const report = () => (outcome === null ? '' : stringify({ __proto__: null, ...outcome, uses: uses(), hits: hits() }));
  return freeze({ __proto__: null, hide, load, observe, report });
})() });
