// Whoever waits at a terminal for longer than a second is shown that it goes on; nobody else is.

import assert from "node:assert/strict";
import test from "node:test";
import { Output } from "../lib/command/output.mjs";

/** What is written to a stderr while something takes so many milliseconds. */
async function written(t, millis, isTTY) {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const chunks = [];
  const stderr = { isTTY, write: (text) => chunks.push(text) };
  const { promise, resolve } = Promise.withResolvers?.() ?? deferred();
  const during = new Output({ stdout: {}, stderr }).during("archiving", promise);
  for (let at = 0; at < millis; at += 50) t.mock.timers.tick(50);
  resolve("done");
  assert.equal(await during, "done");
  t.mock.timers.tick(5000);
  t.mock.timers.reset();
  return chunks;
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

test("what is over within a second shows nothing", async (t) => assert.deepEqual(await written(t, 900, true), []));

test("what takes longer shows a bar that moves, and takes it away", async (t) => {
  const chunks = await written(t, 3000, true);
  const last = chunks.pop();
  assert.equal(last, "\r\u001b[K");
  assert.ok(chunks.length > 5);
  assert.equal(new Set(chunks).size, chunks.length, "each is another picture");
  for (const chunk of chunks) assert.match(chunk, /^\rarchiving \[·*#·*\] [123] s$/);
});

test("no terminal, no bar", async (t) => assert.deepEqual(await written(t, 5000, false), []));

test("what fails takes its bar away too", async () => {
  const chunks = [];
  const stderr = { isTTY: true, write: (text) => chunks.push(text) };
  const failing = new Output({ stdout: {}, stderr }).during("archiving", Promise.reject(new Error("no")));
  await assert.rejects(failing, /no/);
  assert.deepEqual(chunks, []);
});
