// Runs an Emscripten build of solc: node solc_runner.js SOLJSON [SHA256] < standard-json-input > standard-json-output
// With --version behind the digest it says which release it is.
//
// All sources are part of the input, so the compiler gets no read callback and cannot reach the file system.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const handlers = ["uncaughtException", "unhandledRejection"];
const before = handlers.map((name) => process.listeners(name));
const soljson = said(() => load(path.resolve(process.argv[2]), process.argv[3]));
// Emscripten's handlers rethrow from the middle of the bundle and print megabytes of it.
handlers.forEach((name, index) =>
  process.listeners(name).filter((listener) => !before[index].includes(listener))
    .forEach((listener) => process.removeListener(name, listener)));

// An error in one line: its stack is the bundle's.
function said(step) {
  try {
    return step();
  } catch (error) {
    process.stderr.write(`${String((error && error.message) || error).split("\n")[0].slice(0, 500)}\n`);
    process.exit(1);
  }
}

// What is checked is what runs: the file is read once.
function load(file, expected) {
  const content = fs.readFileSync(file);
  if (expected && crypto.createHash("sha256").update(content).digest("hex") !== expected) {
    process.stderr.write(`${file}: not the compiler that was fetched\n`);
    process.exit(1);
  }
  const bundle = new Module(file, module);
  bundle.filename = file;
  bundle.paths = [];
  bundle._compile(content.toString("utf8"), file);
  return bundle.exports;
}

function text(pointer) {
  return soljson.UTF8ToString ? soljson.UTF8ToString(pointer) : soljson.Pointer_stringify(pointer);
}

function compile(input) {
  if (soljson._solidity_alloc) {
    // `cwrap` would copy the input to the compiler's small stack.
    const size = Buffer.byteLength(input, "utf8") + 1;
    const pointer = soljson._solidity_alloc(size);
    soljson.stringToUTF8(input, pointer, size);
    return text(soljson._solidity_compile(pointer, 0, 0));
  }
  const name = soljson._solidity_compile ? "solidity_compile" : "compileStandard";
  return soljson.cwrap(name, "string", ["string", "number"])(input, 0);
}

function version() {
  return soljson.cwrap(soljson._solidity_version ? "solidity_version" : "version", "string", [])();
}

function main() {
  if (process.argv[4] === "--version") {
    fs.writeSync(1, version());
    process.exit(0);
  }
  const output = Buffer.from(compile(fs.readFileSync(0, "utf8")), "utf8");
  for (let sent = 0; sent < output.length; ) {
    try {
      sent += fs.writeSync(1, output, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
  process.exit(0);
}

said(main);
