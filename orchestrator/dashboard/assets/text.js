// Text for people, and elements that hold nothing but text. Names from contracts may be hostile: nothing here, and
// nothing in a panel, ever parses markup.

// Control characters, and characters that turn, hide or join text, are shown as escapes.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
  "\\ufeff\\ufff9-\\ufffb\\ud800-\\udfff\\u{e0000}-\\u{e007f}]", "gu",
);

// Text from outside as the user may read it: nothing in it acts.
export function shown(text) {
  return String(text).replace(HIDDEN, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`);
}

// An element with attributes and children. Children are elements or texts; null, undefined and false are left out.
// Attributes whose names begin with "on" are listeners; true sets an empty attribute; false and null leave it out.
export function text(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : shown(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false).map(
    (child) => (child instanceof Node ? child : shown(child)),
  ));
  return made;
}

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

// 1,234,567
export const count = (number) => WHOLE.format(number);

// 1.2 M, for places without room.
export function short(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) {
      const value = number / size;
      return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
    }
  }
  return WHOLE.format(number);
}

// 45 s, 3 min 05 s, 1 h 02 min
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const pad = (part) => String(part).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${pad(Math.floor(whole / 60) % 60)} min`;
  return `${Math.floor(whole / 86400)} d ${pad(Math.floor(whole / 3600) % 24)} h`;
}

// 143 MB
export function size(bytes) {
  let [amount, unit] = [bytes, 0];
  const units = ["B", "kB", "MB", "GB", "TB"];
  while (amount >= 1000 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  return `${amount < 10 && unit > 1 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

export const plural = (number, noun, many = `${noun}s`) => `${count(number)} ${number === 1 ? noun : many}`;

// 14:03:22, with the date where it is of another day.
export function clock(moment) {
  const date = new Date(moment);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString()} ${time}`;
}
