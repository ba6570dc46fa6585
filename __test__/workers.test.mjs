// Workers and ends in mid-call. Each case is a process of its own, because the first thread that
// loads the addon matters.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

const SEATKIT = import.meta.resolve("seatkit");

// What a worker begins with. `spin` tells the main thread that it is running, and goes on for ever.
const WORKER = `
  import { workerData as shared } from "node:worker_threads";
  import * as seatkit from "${SEATKIT}";
  const spin = () => {
    Atomics.store(shared, 0, 1);
    for (;;) Atomics.wait(shared, 1, 0, 5);
  };
`;

// What the process begins with; only `start` loads the addon, in a worker.
const MAIN = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const start = (code) =>
    new Worker(new URL("data:text/javascript," + encodeURIComponent(${JSON.stringify(WORKER)} + code)), { workerData: shared });
  const reached = async () => {
    while (Atomics.load(shared, 0) === 0) await new Promise((done) => setTimeout(done, 1));
  };
`;

async function run(code) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", MAIN + code], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const [status, signal] = await once(child, "close");
  return { status, signal, output };
}

const ends = async (code, status, output = "") => assert.deepEqual(await run(code), { status, signal: null, output });

test("a worker may be the first to load the addon, and the main thread the second", () =>
  ends(
    `
    const worker = start("if (seatkit.parseExitFile('7') !== 7) throw new Error('wrong')");
    const [code] = await once(worker, "exit");
    const seatkit = await import("${SEATKIT}");
    console.log(code, seatkit.parseExitFile("8"));
  `,
    0,
    "0 8\n",
  ));

test("only a worker loads the addon, and the process ends well", () =>
  ends(
    `
    const [code] = await once(start("seatkit.mainSessionName('kim')"), "exit");
    process.exitCode = code + 5;
  `,
    5,
  ));

test("thirty workers at once answer rightly and end well", () =>
  ends(
    `
    const code = "for (let i = 0; i < 2000; i++) {" +
      "const { ok, sessionId } = seatkit.resolveTmuxSessionId('kim', () => ({ status: 0, stdout: '$' + i, stderr: '' }));" +
      "if (!ok || sessionId !== '$' + i) throw new Error('wrong'); }";
    const ended = await Promise.all(Array.from({ length: 30 }, () => once(start(code), "exit")));
    console.log(ended.filter(([code]) => code === 0).length);
  `,
    0,
    "30\n",
  ));

// Where user code runs inside a call: a worker is stopped just there.
const IN_CALL = {
  "a callback whose errors are caught": "seatkit.detectMux({ existsSync: spin })",
  "a reader whose errors are caught": "seatkit.sweepSessionInboxForDaemon('/nowhere', { readState: spin })",
  "an answer of a reader": "seatkit.sweepSessionInboxForDaemon('/nowhere', { readState: () => ({ get frontDoor() { return spin(); } }) })",
  "a callback whose errors come out": "seatkit.resolveTmuxSessionId('kim', spin)",
  "a getter": "seatkit.buildClaudeArgs({ get sessionId() { spin(); } })",
  "a list": "seatkit.packedSize(Object.defineProperty([], 0, { get: spin }))",
};

for (const [where, call] of Object.entries(IN_CALL)) {
  test(`a worker that is terminated inside ${where} is gone, and the others go on`, () =>
    ends(
      `
      const worker = start(${JSON.stringify(`${call}; Atomics.store(shared, 0, 2);`)});
      await reached();
      console.log(await worker.terminate(), Atomics.load(shared, 0));
      const [code] = await once(start("seatkit.parseExitFile('1')"), "exit");
      console.log(code);
    `,
      0,
      "1 1\n0\n",
    ));
}

test("workers that are terminated between calls are gone", () =>
  ends(
    `
    const busy = "for (;;) { seatkit.detectMux({ existsSync: () => { Atomics.store(shared, 0, 1); return false; } }); seatkit.chooseMux('auto', { tmux: 'b' }); }";
    for (let i = 0; i < 10; i++) {
      Atomics.store(shared, 0, 0);
      const worker = start(busy);
      await reached();
      if (await worker.terminate() !== 1) throw new Error("wrong");
    }
  `,
    0,
  ));

test("process.exit() inside a callback of a worker ends that worker with its code", () =>
  ends(
    `
    for (const call of ["seatkit.detectMux({ existsSync: () => process.exit(7) })", "seatkit.resolveTmuxSessionId('kim', () => process.exit(7))"]) {
      const [code] = await once(start(call + "; Atomics.store(shared, 0, 2);"), "exit");
      console.log(code, Atomics.load(shared, 0));
    }
  `,
    0,
    "7 0\n7 0\n",
  ));

test("process.exit() inside a callback of the main thread ends the process with its code", async () => {
  const load = `const seatkit = await import("${SEATKIT}");`;
  await ends(`${load} seatkit.detectMux({ existsSync: () => process.exit(9) }); console.log("went on");`, 9);
  await ends(`${load} seatkit.resolveTmuxSessionId("kim", () => process.exit(11)); console.log("went on");`, 11);
});

test("process.exit() of the main thread while workers are in mid-call keeps its code", () =>
  ends(
    `
    for (let i = 0; i < 5; i++) start("seatkit.resolveTmuxSessionId('kim', spin)");
    await reached();
    process.exit(3);
  `,
    3,
  ));

test("what a callback throws in a worker is the worker's error", () =>
  ends(
    `
    const worker = start("seatkit.resolveTmuxSessionId('kim', () => { throw new RangeError('no tmux'); })");
    const [error] = await once(worker, "error");
    console.log(error.name, error.message);
  `,
    0,
    "RangeError no tmux\n",
  ));
