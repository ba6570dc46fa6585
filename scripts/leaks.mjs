// Makes many calls of each export and fails when memory does not stay flat:
//
//   node scripts/leaks.mjs [--calls N]
//
// Memory is looked at after a full collection and on both sides of the binding: what JavaScript
// uses of its heap, and what is resident beside that heap. The first tenth of the calls warms up.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import v8 from "node:v8";
import vm from "node:vm";
import * as seatkit from "seatkit";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

const ID = "0A1b2C3d-4e5f-6071-8293-a4b5c6d7e8f9";
const throwing = () => { throw new Error("no"); };
const caught = (call) => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};
const launch = (kind) => ({ mux: { kind, bin: "/bin/mux" }, muxName: "kim", cwd: "/", claudeBin: "c", claudeArgs: ["a", "b"], exitFile: "/e" });
const ran = { status: 0, stdout: "$1\n", stderr: "" };
const long = "x".repeat(1000);

/** The calls of each pure export: what succeeds, what throws, what runs user code. */
export const CALLS = {
  mainSessionName: (i) => [seatkit.mainSessionName(`kim${i}`), seatkit.mainSessionName(long)],
  buildClaudeArgs: (i) => [
    seatkit.buildClaudeArgs({ first: `k${i}`, sessionId: ID, mode: "resume", permissionArgs: new Set(["a", i]) }),
    caught(() => seatkit.buildClaudeArgs({ sessionId: `${i}` })),
  ],
  detectMux: () => [seatkit.detectMux({ existsSync: () => true }), seatkit.detectMux({ existsSync: throwing })],
  chooseMux: (i) => [seatkit.chooseMux("auto", { tmux: `/t${i}` }), caught(() => seatkit.chooseMux("auto"))],
  buildMuxCommands: (i) => [
    seatkit.buildMuxCommands(launch(i % 2 ? "tmux" : "screen")),
    caught(() => seatkit.buildMuxCommands(launch(`z${i}`))),
  ],
  parseScreenList: (i) => [
    seatkit.parseScreenList(`\t${i}.kim\t(Detached)\n`, "kim"),
    seatkit.parseScreenList(long, long),
    seatkit.parseScreenList("7.kim", new String("kim")),
    caught(() => seatkit.parseScreenList("7.kim", i)),
  ],
  parseExitFile: (i) => [seatkit.parseExitFile(`${i}`), seatkit.parseExitFile(long), seatkit.parseExitFile(null)],
  classifyTmuxSessionName: (i) => [seatkit.classifyTmuxSessionName(`kim${i}`), seatkit.classifyTmuxSessionName({ toString: () => "a.b" })],
  buildTmuxSessionLookupArgs: (i) => [seatkit.buildTmuxSessionLookupArgs(`kim${i}`), caught(() => seatkit.buildTmuxSessionLookupArgs(`${i}.`))],
  resolveTmuxSessionId: () => [
    seatkit.resolveTmuxSessionId("kim", () => ran),
    caught(() => seatkit.resolveTmuxSessionId("kim", throwing)),
    caught(() => seatkit.resolveTmuxSessionId("kim", () => ({ ...ran, stdout: long }))),
  ],
};

function memory() {
  collect();
  collect();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return { script: heapUsed, native: rss - heapTotal };
}

/**
 * By how many bytes memory grows over `calls` calls: four times the least growth of a quarter of
 * them, because a heap grows now and then of its own, and a leak in every quarter.
 */
export function growth(make, calls) {
  const rounds = Math.ceil(calls / 4 / make(0).length);
  const batch = (n) => { for (let i = 0; i < n; i++) make(i); };
  batch(rounds / 10);
  const grown = { script: Infinity, native: Infinity };
  for (let quarter = 0, before = memory(); quarter < 4; quarter++) {
    batch(rounds);
    const after = memory();
    for (const side of ["script", "native"]) grown[side] = Math.min(grown[side], 4 * (after[side] - before[side]));
    before = after;
  }
  return grown;
}

// Less than a byte a call in a million on the one side, and what an allocator may keep on the other.
export const ALLOWED = { script: 512 * 1024, native: 4 * 1024 * 1024 };

export const leaks = (grown) => grown.script > ALLOWED.script || grown.native > ALLOWED.native;

function main() {
  const { values } = parseArgs({ options: { calls: { type: "string", default: "1000000" } } });
  const calls = Number(values.calls);
  const kib = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`.padStart(10);
  let leaking = 0;
  for (const [name, make] of Object.entries(CALLS)) {
    const grown = growth(make, calls);
    if (leaks(grown)) leaking++;
    console.log(`${name.padEnd(28)}${kib(grown.script)} script${kib(grown.native)} native over ${calls} calls${leaks(grown) ? "  LEAK" : ""}`);
  }
  process.exitCode = leaking > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
