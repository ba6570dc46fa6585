// `seatkit/session` as JavaScript has it: what it answers, what it refuses, and how it waits.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import test from "node:test";
import * as session from "seatkit/session";
import { isAlive, needsTmux } from "./mux-sandbox.mjs";
import { both, inProcess, seat } from "./session-seat.mjs";

const { adoptSession, listRuns, startSession, stopRun } = session;
const RUN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

test("the module has its four functions and nothing else", () => {
  assert.deepEqual(Object.keys(session.default).sort(), ["adoptSession", "listRuns", "startSession", "stopRun"]);
});

both("a session is started, found, followed to its end and adopted", async (it) => {
  const one = await it.start("read line; exit 5");
  const { record } = one;
  const words = "run name kind bin socket started process shell server sessionId paneId exitFile stopSignal stopRequested endToldBy";
  assert.equal(Object.keys(record).join(" "), words);
  assert.match(record.run, RUN);
  assert.equal(record.name, "olivia");
  assert.equal(record.kind, it.mux.kind);
  assert.equal(record.exitFile, `${it.at("session.json")}.exit`);
  assert.deepEqual(JSON.parse(readFileSync(one.recordFile, "utf8")), record, "as it stands in its file");
  assert.notEqual(one.record, record, "a copy: nobody changes what it knows");
  record.run = "another";
  assert.match(one.record.run, RUN);

  assert.equal(one.state(), "running");
  const { sessionId, sessionName, windowId, paneId, ...rest } = await one.where();
  assert.equal(sessionName, "olivia");
  assert.deepEqual([sessionId, paneId], [one.record.sessionId, one.record.paneId]);
  assert.equal(windowId, it.mux.kind === "tmux" ? "@0" : null);
  assert.deepEqual(rest, {});
  const listed = (await listRuns()).find(({ run }) => run === one.record.run);
  assert.deepEqual([listed.name, listed.recordFile], ["olivia", one.recordFile]);
  assert.ok(listed.processes.some(({ pid }) => pid === one.record.process.pid));
  for (const { pid, command } of listed.processes) assert.ok(isAlive(pid) && command.length > 0);

  const again = await startSession(it.launch("exit 0"));
  assert.deepEqual(again, {
    ok: false,
    error: "already-running",
    message: `run ${one.record.run} of this record is still there; adopt it by its record`,
  });
  const adopted = await adoptSession(one.recordFile);
  assert.equal(adopted.ok, true);
  assert.deepEqual(adopted.session.record, one.record);
  const all = Promise.all([one.ended(), one.ended({}), one.ended(null), adopted.session.ended({ timeoutMs: null, signal: null })]);
  await one.send("go");
  assert.deepEqual(
    await all,
    Array.from({ length: 4 }, () => ({ kind: "exited", code: 5 })),
  );
  assert.equal(one.state(), "ended");
  assert.equal(await one.where(), null);
  assert.deepEqual(await one.ended({ timeoutMs: 0 }), { kind: "exited", code: 5 }, "it is over, however short one waits");
  const later = await adoptSession(one.recordFile);
  assert.deepEqual([later.session.state(), await later.session.ended()], ["ended", { kind: "exited", code: 5 }]);
  assert.deepEqual(await adoptSession(it.at("nothing")), {
    ok: false,
    error: "no-record",
    message: `${it.at("nothing")} is no record of a session`,
  });
});

both("what is typed arrives, and what is shown is read", async (it) => {
  const one = await it.start('stty -echo; echo ready; while read -r line; do echo "got $line"; done');
  const shows = async (text) => {
    for (let tries = 0; (await one.read()) !== text; tries++) {
      assert.ok(tries < 500, await one.read());
      await sleep(10);
    }
  };
  await shows("ready");
  await one.send("one");
  await one.send("t", { enter: false });
  await one.send("wo", { enter: null });
  await shows("ready\ngot one\ngot two");
  assert.equal(await one.read({ lines: 1 }), "got two");
  assert.equal(await one.read({ lines: 0 }), "");
  assert.equal(await one.read({ lines: null }), "ready\ngot one\ngot two");
  const stopped = await one.stop({ graceMs: 5_000 });
  assert.deepEqual(stopped.outcome, { kind: "stopped" });
  await assert.rejects(one.send("x"), { name: "Error", code: "no-pane", message: `run ${one.record.run} is shown in no pane` });
  await assert.rejects(one.read(), { code: "no-pane" });
});

both("a stop tells what ended and what is left, and everything ends that too", async (it) => {
  const one = await it.start("(setsid sleep 611 &); exec sleep 610");
  const carriers = async () => (await listRuns()).find(({ run }) => run === one.record.run)?.processes ?? [];
  const pidOf = async (command) => {
    for (let tries = 0; tries < 500; tries++) {
      const found = (await carriers()).find((process) => process.command === command);
      if (found) return found.pid;
      await sleep(10);
    }
    return assert.fail(`${command} did not come up`);
  };
  const forked = await pidOf("sleep 611");
  assert.equal(await pidOf("sleep 610"), one.record.process.pid);
  const agent = one.record.process.pid;
  const stopped = await one.stop({ graceMs: 5_000 });
  assert.deepEqual(Object.keys(stopped), ["outcome", "ended", "left"]);
  assert.deepEqual(stopped.outcome, { kind: "stopped" });
  assert.deepEqual(stopped.ended, [{ pid: agent, command: "sleep 610", by: "SIGTERM" }]);
  assert.deepEqual(stopped.left, [{ pid: forked, command: "sleep 611" }]);
  assert.equal(one.record.stopRequested, true);
  assert.equal(JSON.parse(readFileSync(one.recordFile, "utf8")).stopRequested, true);
  const rest = await one.stop({ graceMs: 5_000, everything: true });
  assert.deepEqual([rest.outcome, rest.left], [{ kind: "stopped" }, []]);
  assert.deepEqual(rest.ended, [{ pid: forked, command: "sleep 611", by: "SIGTERM" }]);
  assert.deepEqual(await one.stop(), { outcome: { kind: "stopped" }, ended: [], left: [] }, "as often as one likes");
  assert.deepEqual(await stopRun(one.record.run), { ended: [], left: [] });
});

test("a signal of one's own asks, and the code that comes of it is kept", needsTmux, async (t) => {
  const it = await seat(t);
  const script = "trap 'exit 3' INT; trap 'exit 4' USR1; trap '' TERM; echo up >up; while :; do sleep 0.02; done";
  const first = await it.start(script, { stopSignal: "SIGINT" });
  await it.said("up");
  assert.equal(first.record.stopSignal, "SIGINT");
  assert.deepEqual((await first.stop({ graceMs: 9_000 })).outcome, { kind: "exited", code: 3 });
  const second = await it.start(`rm up; ${script}`);
  await it.said("up");
  const { outcome, ended } = await second.stop({ graceMs: 9_000, stopSignal: "SIGUSR1" });
  assert.deepEqual([outcome, ended[0].by], [{ kind: "exited", code: 4 }, "SIGUSR1"]);
  const third = await it.start(`rm up; ${script}`);
  await it.said("up");
  const killed = await third.stop({ graceMs: 50 });
  assert.deepEqual([killed.outcome, killed.ended[0].by], [{ kind: "stopped" }, "SIGKILL"]);
});

test("a wait ends with its time or its signal, and the session goes on", needsTmux, async (t) => {
  const it = await seat(t);
  const one = await it.start("read line; exit 5");
  assert.equal(await one.ended({ timeoutMs: 0 }), null);
  assert.equal(await one.ended({ timeoutMs: 15.5 }), null);
  assert.equal(await one.ended({ timeoutMs: 15, signal: new AbortController().signal }), null);

  const reason = new Error("enough");
  await assert.rejects(one.ended({ signal: AbortSignal.abort(reason) }), reason);
  const while_waiting = new AbortController();
  const waiting = one.ended({ signal: while_waiting.signal });
  const other = one.ended();
  setTimeout(() => while_waiting.abort(reason), 10);
  await assert.rejects(waiting, reason);
  await assert.rejects(one.ended({ signal: AbortSignal.timeout(10) }), { name: "TimeoutError" });
  await assert.rejects(one.ended({ timeoutMs: 60_000, signal: AbortSignal.timeout(10) }), { name: "TimeoutError" });
  // An abort in the same turn as the wait begins, before anything could be told.
  const at_once = new AbortController();
  const begun = one.ended({ signal: at_once.signal });
  at_once.abort();
  await assert.rejects(begun, { name: "AbortError" });

  const after = new AbortController();
  const last = one.ended({ signal: after.signal, timeoutMs: 2 ** 53 });
  await one.send("");
  assert.deepEqual(
    [await last, await other],
    Array.from({ length: 2 }, () => ({ kind: "exited", code: 5 })),
  );
  after.abort(reason);
  assert.deepEqual(await last, { kind: "exited", code: 5 }, "what has ended has ended");
  await assert.rejects(one.ended({ signal: after.signal }), reason, "asked with a signal that was given before");
});

both("a shell that is stopped holds up no wait that has a limit", async (it) => {
  const one = await it.start("exec sleep 600");
  const { process: agent, shell, server } = one.record;
  // A server that runs lets a stopped shell go on at once.
  for (const { pid } of [server, shell]) process.kill(pid, "SIGSTOP");
  try {
    process.kill(agent.pid, "SIGKILL");
    assert.equal(await one.ended({ timeoutMs: 30 }), null);
    assert.equal(one.state(), "ended");
    await assert.rejects(one.ended({ signal: AbortSignal.timeout(30) }), { name: "TimeoutError" });
  } finally {
    for (const { pid } of [shell, server]) process.kill(pid, "SIGCONT");
  }
  assert.deepEqual(await one.ended(), { kind: "signalled", signal: 9 });
});

test("a wait that is over leaves nothing at its signal", needsTmux, async (t) => {
  const it = await seat(t);
  const one = await it.start("read line; exit 0");
  const listeners = new Set();
  const controller = new AbortController();
  const { signal } = controller;
  for (const name of ["addEventListener", "removeEventListener"]) {
    signal[name] = function (type, listener, ...rest) {
      listeners[name === "addEventListener" ? "add" : "delete"](listener);
      return EventTarget.prototype[name].call(this, type, listener, ...rest);
    };
  }
  for (let i = 0; i < 20; i++) assert.equal(await one.ended({ timeoutMs: 0, signal }), null);
  assert.equal(listeners.size, 0);
  await one.send("");
  await one.ended({ signal });
  assert.equal(listeners.size, 0);
});

test("a wrong argument is a TypeError that names it, and nothing is done", needsTmux, async (t) => {
  const it = await seat(t);
  const launch = (change) => startSession(it.launch("exit 0", change));
  const wrong = async (promise, message) => {
    assert.ok(promise instanceof Promise, "a rejection, not a throw");
    await assert.rejects(promise, { name: "TypeError", message });
  };
  await wrong(startSession(), "options must be an object");
  await wrong(startSession("olivia"), "options must be an object");
  await wrong(startSession({}), /^options\.(muxName|cwd|claudeBin) is missing$/);
  await wrong(launch({ cwdd: "/" }), "options.cwdd is not an option");
  await wrong(launch({ cwd: 5 }), "options.cwd must be a string");
  await wrong(launch({ claudeArgs: "--print" }), "options.claudeArgs must be an array");
  await wrong(launch({ utf8: 1 }), "options.utf8 must be a boolean");
  await wrong(launch({ mux: { kind: "zellij", bin: "/x" } }), "options.mux.kind must be tmux or screen");
  await wrong(launch({ size: { columns: 80, rows: 24, depth: 1 } }), "options.size.depth is not an option");
  await wrong(launch({ size: { columns: 80.5, rows: 24 } }), /^options\.size\.columns must be a whole number/);
  await wrong(launch({ env: { KEY: 5 } }), "options.env must be a string");
  await wrong(launch({ env: "KEY" }), "options.env must be an object");
  await wrong(launch({ stopSignal: "SIGKILL" }), /^options\.stopSignal: /);
  await wrong(adoptSession(), "recordFile must be a string");
  await wrong(adoptSession(7), "recordFile must be a string");
  await wrong(stopRun(), "run must be a string");
  await wrong(stopRun("x", { grace: 1 }), "options.grace is not an option");
  await wrong(stopRun("x", { graceMs: -1 }), "options.graceMs must be a finite number, 0 or more");
  assert.deepEqual(readdirSync(it.folder), [], "nothing was written");

  const one = await it.start("exec sleep 600");
  for (const timeoutMs of [-1, Number.NaN, Infinity]) {
    await wrong(one.ended({ timeoutMs }), "options.timeoutMs must be a finite number, 0 or more");
  }
  await wrong(one.ended({ timeoutMs: "1" }), "options.timeoutMs must be a number");
  await wrong(one.ended({ timeout: 1 }), "options.timeout is not an option");
  await wrong(one.ended(5), "options must be an object");
  for (const signal of [5, {}, "abort"]) await wrong(one.ended({ signal }), "options.signal must be an AbortSignal");
  await wrong(one.stop({ grace: 1 }), "options.grace is not an option");
  await wrong(one.stop(5), "options must be an object");
  for (const graceMs of [-1, Number.NaN, Infinity]) {
    await wrong(one.stop({ graceMs }), "options.graceMs must be a finite number, 0 or more");
  }
  await wrong(one.stop({ graceMs: "1" }), "options.graceMs must be a number");
  await wrong(one.stop({ everything: 1 }), "options.everything must be a boolean");
  await wrong(one.stop({ stopSignal: "KILL" }), /^options\.stopSignal: /);
  await wrong(one.send(), "text must be a string");
  await wrong(one.send("x", { Enter: false }), "options.Enter is not an option");
  await wrong(one.send("x", { enter: 1 }), "options.enter must be a boolean");
  await wrong(one.read({ lines: -1 }), "options.lines is out of range: -1");
  for (const lines of [1.5, Number.NaN, 2 ** 60]) await wrong(one.read({ lines }), "options.lines must be a whole number");
  await wrong(one.read({ lines: "1" }), "options.lines must be a number");
  await wrong(one.read({ line: 1 }), "options.line is not an option");
  assert.equal(one.state(), "running");
  assert.equal(one.record.stopRequested, false, "and none of it stopped anything");
});

test("what cannot be started is answered with a word and a sentence", needsTmux, async (t) => {
  const it = await seat(t);
  const error = async (change, script = "exit 0") => {
    const { ok, error, message, ...rest } = await startSession(it.launch(script, change));
    assert.deepEqual([ok, rest], [false, {}]);
    assert.ok(message.length > 10);
    return error;
  };
  assert.equal(await error({ recordFile: null }), "record-file-missing");
  assert.equal(await error({ cwd: "/nope" }), "cwd-missing");
  assert.equal(await error({ claudeBin: "/nope" }), "program-missing");
  assert.equal(await error({ env: { UID: "0" } }), "env-name-reserved");
  assert.equal(await error({ claudeArgs: ["x".repeat(200_000)] }), "too-long");
  assert.equal(await error({ mux: { kind: "tmux", bin: "/nope/tmux" } }), "mux-not-run");
  writeFileSync(it.at("session.json"), "my notes");
  assert.equal(await error({}), "no-record");
  assert.equal((await adoptSession(it.at("session.json"))).error, "no-record");
  assert.equal(readFileSync(it.at("session.json"), "utf8"), "my notes");
});

both("it is adopted and ended in another process, and both know how", async (it) => {
  const one = await it.start("exec sleep 600");
  const here = one.ended();
  const told = await inProcess(`
    const { session } = await adoptSession(${JSON.stringify(one.recordFile)});
    const waiting = session.ended();
    const { outcome } = await session.stop({ graceMs: 5000 });
    console.log(JSON.stringify([session.state(), outcome, await waiting]));
  `);
  assert.deepEqual(JSON.parse(told), ["ended", { kind: "stopped" }, { kind: "stopped" }]);
  assert.deepEqual(await here, { kind: "stopped" }, "no crash, although this process did not ask for it");
  assert.equal(one.record.stopRequested, false, "as it was known here");
});

test("a session is started with the environment of the moment and shows no secret", needsTmux, async (t) => {
  const it = await seat(t);
  const secret = "correct horse battery staple";
  const one = await it.start('printf %s "$KEY$GONE$SEATKIT_RUN" >key.part; mv key.part key; exec sleep 600', {
    env: { KEY: secret, GONE: null },
  });
  assert.equal(await it.said("key"), `${secret}${one.record.run}`);
  assert.ok(!JSON.stringify(one.record).includes(secret));
  for (const name of readdirSync(it.folder, { withFileTypes: true })) {
    if (name.isFile() && name.name !== "key") assert.ok(!readFileSync(it.at(name.name), "utf8").includes(secret), name.name);
  }
  assert.ok(!JSON.stringify(await listRuns()).includes(secret));
});
