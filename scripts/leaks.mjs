// Makes many calls of each export and fails when memory does not stay flat:
//
//   node scripts/leaks.mjs [--calls N]
//
// N is a million of each pure call by default, and fewer of what touches files or runs programs.
// Memory is looked at after a full collection and on both sides of the binding: what JavaScript
// uses of its heap, and what is resident beside that heap. The first tenth of the calls warms up.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import v8 from "node:v8";
import vm from "node:vm";
import { CALLS } from "./leak-calls.mjs";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

async function memory() {
  // A turn of the event loop lets go of what promises and finalizers hold.
  await new Promise((done) => setImmediate(done));
  collect();
  collect();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return { script: heapUsed, native: rss - heapTotal };
}

/**
 * By how many bytes memory grows over `calls` calls: the typical fifth of them times five, because
 * a heap grows and shrinks now and then of its own, and a leak goes on. What a round gives is
 * awaited where it is a promise.
 */
export async function growth(round, calls) {
  const first = round(0);
  const asynchronous = first.some((answer) => answer instanceof Promise);
  await Promise.all(first);
  const rounds = Math.ceil(calls / 5 / first.length);
  const batch = async (n) => {
    for (let i = 0; i < n; i++) {
      const answers = round(i);
      if (asynchronous) await Promise.all(answers);
    }
  };
  await batch(rounds / 4);
  const grown = { script: [], native: [] };
  for (let fifth = 0, before = await memory(); fifth < 5; fifth++) {
    await batch(rounds);
    const after = await memory();
    for (const side of ["script", "native"]) grown[side].push(after[side] - before[side]);
    before = after;
  }
  const typical = (sizes) => 5 * sizes.sort((a, b) => a - b)[2];
  return { script: typical(grown.script), native: typical(grown.native) };
}

// Less than a byte a call in a million on the one side, and what an allocator may keep on the other.
const ALLOWED = { script: 512 * 1024, native: 4 * 1024 * 1024 };

export const leaks = (grown) => grown.script > ALLOWED.script || grown.native > ALLOWED.native;

async function main() {
  const { values } = parseArgs({ options: { calls: { type: "string", default: "1000000" } } });
  const kib = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`.padStart(10);
  let leaking = 0;
  for (const [name, { round, share }] of CALLS) {
    const calls = Number(values.calls) * share;
    const grown = await growth(round, calls);
    if (leaks(grown)) leaking++;
    console.log(
      `${name.padEnd(36)}${kib(grown.script)} script${kib(grown.native)} native over ${calls} calls${leaks(grown) ? "  LEAK" : ""}`,
    );
  }
  process.exitCode = leaking > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
