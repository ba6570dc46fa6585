// `seatkit/session` from JavaScript: what it takes, what it answers, what it costs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { adoptSession, listRuns, startSession, stopRun } from "seatkit/session";

const skip = existsSync("/usr/bin/tmux") ? false : "tmux is not installed";

/** A folder with a tmux server of its own, both gone with the test. */
function place(t) {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-session-"));
  const socket = join(folder, "s");
  t.after(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });
  let number = 0;
  const launch = (script, more) => ({
    muxName: `olivia-${++number}`,
    cwd: folder,
    claudeBin: "/bin/sh",
    claudeArgs: ["-c", script],
    socket,
    config: "/dev/null",
    mux: { kind: "tmux", bin: "/usr/bin/tmux" },
    recordFile: join(folder, `${number}.json`),
    ...more,
  });
  const start = async (script, more) => {
    const started = await startSession(launch(script, more));
    assert.ok(started.ok, started.message);
    return started.session;
  };
  return { folder, launch, start };
}

const rejects = (promise, message) =>
  assert.rejects(promise, (error) => error instanceof TypeError && (assert.match(error.message, message), true));

test("what is no option, or no such value, is a TypeError that names it", { skip }, async (t) => {
  const it = place(t);
  const file = it.launch("exit 0").recordFile;
  await rejects(startSession(), /^options must be an object$/);
  await rejects(startSession(it.launch("exit 0", { tmux: true })), /^options\.tmux is not an option$/);
  await rejects(startSession(it.launch("exit 0", { claudeArgs: "-c" })), /^options\.claudeArgs must be an array$/);
  await rejects(startSession(it.launch("exit 0", { env: { A: 1 } })), /^options\.env must be a string$/);
  await rejects(startSession(it.launch("exit 0", { mux: { kind: "zellij", bin: "/z" } })), /^options\.mux\.kind must be tmux or screen$/);
  await rejects(startSession(it.launch("exit 0", { stopSignal: "KILL" })), /^options\.stopSignal: "KILL" is not one of SIGTERM, /);
  await rejects(startSession({ ...it.launch("exit 0"), cwd: undefined }), /^options\.cwd is missing$/);
  await rejects(adoptSession(7), /^recordFile must be a string$/);
  await rejects(stopRun("x", { force: true }), /^options\.force is not an option$/);
  assert.ok(!existsSync(file));
  const session = await it.start("exec sleep 600");
  await rejects(session.ended({ timeoutMS: 1 }), /^options\.timeoutMS is not an option$/);
  await rejects(session.ended({ timeoutMs: -1 }), /^options\.timeoutMs must be a finite number, 0 or more$/);
  await rejects(session.ended({ signal: 7 }), /^options\.signal must be an AbortSignal$/);
  await rejects(session.stop({ graceMs: Number.NaN }), /^options\.graceMs must be a finite number, 0 or more$/);
  await rejects(session.send(7), /^text must be a string$/);
  await rejects(session.read({ lines: 1.5 }), /^options\.lines must be a whole number$/);
  assert.equal(session.state(), "running");
  await session.stop({ graceMs: 5000 });
});

test("a refusal is an answer with a word", { skip }, async (t) => {
  const it = place(t);
  assert.deepEqual(await adoptSession(join(it.folder, "none")), {
    ok: false,
    error: "no-record",
    message: `${join(it.folder, "none")} is no record of a session`,
  });
  const launch = it.launch("exec sleep 600");
  const { session } = await startSession(launch);
  const again = await startSession(launch);
  assert.deepEqual([again.ok, again.error], [false, "already-running"]);
  const stopped = await session.stop({ graceMs: 5000 });
  assert.deepEqual([stopped.outcome, stopped.left, Object.keys(stopped).sort()], [{ kind: "stopped" }, [], ["ended", "left", "outcome"]]);
  assert.equal(session.record.stopRequested, true);
  await assert.rejects(session.send("x"), { code: "no-pane" });
  assert.equal(await session.where(), null);
});

test("a wait ends with the session, in time, or by its signal, and each alone", { skip }, async (t) => {
  const it = place(t);
  const session = await it.start("read line; exit 3");
  assert.equal(await session.ended({ timeoutMs: 0 }), null);
  const aborted = AbortSignal.abort(new Error("not any more"));
  await assert.rejects(session.ended({ signal: aborted }), /not any more/);
  const controller = new AbortController();
  const waits = [session.ended(), session.ended({ timeoutMs: 60_000 }), session.ended({ signal: controller.signal })];
  const other = session.ended({ signal: AbortSignal.timeout(20) });
  await assert.rejects(other, { name: "TimeoutError" });
  await session.send("");
  for (const wait of waits) assert.deepEqual(await wait, { kind: "exited", code: 3 });
  controller.abort();
  assert.deepEqual(await session.ended({ timeoutMs: 0 }), { kind: "exited", code: 3 });
  const adopted = await adoptSession(session.recordFile);
  assert.deepEqual([adopted.session.state(), await adopted.session.ended()], ["ended", { kind: "exited", code: 3 }]);
});

const threads = () => (existsSync("/proc/self/task") ? readdirSync("/proc/self/task").length : 0);
const descriptors = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);

test("a hundred waits are one thread, no child and next to no time, and leave nothing", { skip }, async (t) => {
  const it = place(t);
  const first = await it.start("exec sleep 600");
  const before = [threads(), descriptors()];
  const sessions = [];
  for (let number = 0; number < 100; number++) sessions.push(await it.start("exec sleep 600"));
  const ends = sessions.map((session) => session.ended());
  await sleep(200);
  assert.ok(threads() <= before[0] + 1, `${threads()} threads, ${before[0]} before`);
  const cpu = process.cpuUsage();
  await sleep(2000);
  const { user, system } = process.cpuUsage(cpu);
  t.diagnostic(`100 waits: ${((user + system) / 2_000_000) * 100} % of a core`);
  assert.ok(user + system < 400_000, "a fifth of a core would be a loop");
  for (const session of sessions) process.kill(session.record.process.pid, "SIGKILL");
  for (const end of ends) assert.deepEqual(await end, { kind: "signalled", signal: 9 });
  await first.stop({ graceMs: 5000 });
  for (let tries = 0; threads() > before[0] || descriptors() > before[1]; tries++) {
    assert.ok(tries < 500, `${threads()} threads and ${descriptors()} descriptors, ${before} before`);
    await sleep(10);
  }
});

test("a session that one thread started is waited for in another, which may end meanwhile", { skip }, async (t) => {
  const it = place(t);
  const session = await it.start("read line; exit 4");
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { adoptSession } = require(workerData.module);
    adoptSession(workerData.file).then(async ({ session }) => {
      parentPort.postMessage(session.state());
      parentPort.postMessage(await session.ended());
    });`;
  const workerData = { module: new URL("../lib/session.js", import.meta.url).pathname, file: session.recordFile };
  const workers = [1, 2].map(() => new Worker(program, { eval: true, workerData }));
  const said = workers.map((worker) => new Promise((resolve) => worker.once("message", resolve)));
  assert.deepEqual(await Promise.all(said), ["running", "running"]);
  const last = new Promise((resolve) => workers[0].once("message", resolve));
  await workers[1].terminate();
  await session.send("");
  assert.deepEqual(await last, { kind: "exited", code: 4 });
});

test("a wait keeps the process, and nothing else does", { skip }, async (t) => {
  const it = place(t);
  const session = await it.start("read line; exit 5");
  const module = JSON.stringify(new URL("../lib/session.js", import.meta.url).href);
  const run = (code) =>
    spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import s from ${module}; const { session } = await s.adoptSession(process.argv[1]); ${code}`,
        session.recordFile,
      ],
      {
        encoding: "utf8",
        timeout: 20_000,
      },
    );
  assert.deepEqual([run("session.state();").status, run("await session.ended({ timeoutMs: 10 });").status], [0, 0]);
  const aborted = run("await session.ended({ signal: AbortSignal.timeout(50) }).catch((error) => console.log(error.name));");
  assert.deepEqual([aborted.status, aborted.stdout], [0, "TimeoutError\n"]);
  const ended = run('session.ended().then((outcome) => console.log(outcome.code)); await session.send("");');
  assert.deepEqual([ended.status, ended.stdout], [0, "5\n"]);
});

test("a run is listed while anything of it lives, and stopped by its id", { skip }, async (t) => {
  const it = place(t);
  const session = await it.start("(setsid sleep 620 &); sleep 0.2; exit 0");
  await session.ended();
  const { run } = session.record;
  const own = async () => (await listRuns()).find((one) => one.run === run);
  const listed = await own();
  assert.deepEqual(
    [listed.name, listed.recordFile, listed.processes.map(({ command }) => command)],
    ["olivia-1", session.recordFile, ["sleep 620"]],
  );
  const stopped = await stopRun(run, { graceMs: 5000 });
  assert.deepEqual(
    stopped.ended.map(({ command, by }) => [command, by]),
    [["sleep 620", "SIGTERM"]],
  );
  assert.equal(await own(), undefined);
  assert.deepEqual(await stopRun(run), { ended: [], left: [] });
  assert.deepEqual(await session.ended(), { kind: "exited", code: 0 });
});
