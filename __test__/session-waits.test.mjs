// What a wait for the end of a session keeps alive, what it costs, and what it leaves.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import test from "node:test";
import { adoptSession } from "seatkit/session";
import { needsTmux } from "./mux-sandbox.mjs";
import { MODULE, both, inProcess, seat } from "./session-seat.mjs";

const SOON = { timeout: 60_000 };
const needsProc = existsSync("/proc/self/task") ? { ...needsTmux, ...SOON } : { skip: "no /proc here" };

/** What this process has: descriptors, threads, children. */
function held() {
  const children = readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        Number(
          readFileSync(`/proc/${pid}/stat`, "latin1")
            .replace(/^.*\) /s, "")
            .split(" ")[1],
        ) === process.pid
      );
    } catch {
      return false;
    }
  });
  return { descriptors: readdirSync("/proc/self/fd").length, threads: readdirSync("/proc/self/task").length, children: children.length };
}

/** Whether the thread that waits for sessions is there. */
const waits = () =>
  readdirSync("/proc/self/task").some((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/comm`, "utf8") === "seatkit-wait\n";
    } catch {
      return false;
    }
  });

/** What this process has once it has worked with files, and nobody waits any more for what a test before began. */
async function heldAtRest() {
  await Promise.all(Array.from({ length: 16 }, () => stat("/")));
  for (let tries = 0; waits(); tries++) {
    assert.ok(tries < 2000, "a test before left a wait");
    await sleep(10);
  }
  return held();
}

/** Waits until this process has what it had, and fails with what it has. */
async function isBackAt(before) {
  for (let tries = 0; ; tries++) {
    try {
      return assert.deepEqual(held(), before);
    } catch (error) {
      if (tries === 500) throw error;
      await sleep(10);
    }
  }
}

const adopted = (one) => `const { session } = await adoptSession(${JSON.stringify(one.recordFile)});\n`;

test("a process ends by itself while its sessions run, unless it waits for them", { ...needsTmux, ...SOON }, async (t) => {
  const it = await seat(t);
  const one = await it.start("read line; exit 5");
  assert.equal(await inProcess(`${adopted(one)} await session.where(); await session.read(); console.log(session.state());`), "running\n");
  assert.equal(await inProcess(`${adopted(one)} console.log(await session.ended({ timeoutMs: 20 }));`), "null\n");
  assert.equal(
    await inProcess(`${adopted(one)}
      const controller = new AbortController();
      session.ended({ signal: controller.signal }).catch(({ name }) => console.log(name));
      setTimeout(() => controller.abort(), 20);
    `),
    "AbortError\n",
  );
  assert.equal(await inProcess(`${adopted(one)} session.ended(); session.ended(); process.exit(7);`, { status: 7 }), "");
  const waiting = inProcess(`${adopted(one)} session.ended().then(({ code }) => console.log(code));`);
  await sleep(300);
  await one.send("");
  assert.equal(await waiting, "5\n", "nobody awaited it");
  const after = await it.start("exit 4");
  assert.equal(await inProcess(`${adopted(after)} console.log((await session.ended()).code);`), "4\n");
});

test("a starter may end at once, and its session goes on", { ...needsTmux, ...SOON }, async (t) => {
  const it = await seat(t);
  const launch = JSON.stringify(it.launch("exec sleep 600"));
  const run = await inProcess(`console.log((await startSession(${launch})).session.record.run);`);
  const { session } = await adoptSession(it.at("session.json"));
  t.after(() => session.stop({ graceMs: 0 }));
  assert.deepEqual([`${session.record.run}\n`, session.state()], [run, "running"]);
  assert.deepEqual((await session.stop({ graceMs: 5_000 })).outcome, { kind: "stopped" });
});

/** A worker that runs `code` with the module's functions and `tell` at hand. */
function worker(code) {
  const text = `
    import { parentPort } from "node:worker_threads";
    import { adoptSession, startSession } from "${MODULE}";
    const tell = (value) => parentPort.postMessage(value);
    ${code}
  `;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`));
}
const told = async (one) => (await once(one, "message"))[0];

both("what one thread started another one ends, and every one is told", SOON, async (it) => {
  const launch = JSON.stringify(it.launch("exec sleep 600"));
  const starter = worker(`const { session } = await startSession(${launch}); tell(session.record.run); tell(await session.ended());`);
  const run = await told(starter);
  const { session } = await adoptSession(it.at("session.json"));
  assert.equal(session.record.run, run);
  const [here, there] = [session.ended(), told(starter)];
  const ender = worker(`${adopted(session)} tell((await session.stop({ graceMs: 5000 })).outcome);`);
  assert.deepEqual(
    await Promise.all([told(ender), here, there]),
    Array.from({ length: 3 }, () => ({ kind: "stopped" })),
  );
});

test("a worker that is terminated while it waits leaves nothing, and the others go on", needsProc, async (t) => {
  const it = await seat(t);
  const one = await it.start("read line; exit 5");
  await worker("tell()").terminate();
  const before = await heldAtRest();
  const waiting = one.ended();
  const ended = await one.ended({ timeoutMs: 0 });
  assert.equal(ended, null);
  const with_one = held();
  const workers = Array.from({ length: 5 }, () => worker(`${adopted(one)} for (let i = 0; i < 10; i++) session.ended(); tell();`));
  await Promise.all(workers.map(told));
  assert.ok(held().descriptors >= with_one.descriptors + 50, "each wait has its own");
  await Promise.all(workers.map((each) => each.terminate()));
  await isBackAt(with_one);
  // And while it starts and stops: what was begun is done all the same.
  const starting = worker(
    `startSession(${JSON.stringify(it.launch("exec sleep 600", { recordFile: it.at("other"), muxName: "other" }))}); tell();`,
  );
  await told(starting);
  await starting.terminate();
  await one.send("");
  assert.deepEqual(await waiting, { kind: "exited", code: 5 });
  await isBackAt(before);
  const other = await adoptSession(it.at("other"));
  if (other.ok) await other.session.stop({ graceMs: 0 });
});

test("a hundred sessions are waited for by one thread, without a child, for next to nothing", needsProc, async (t) => {
  const it = await seat(t);
  const before = await heldAtRest();
  const sessions = [];
  const starts = Array.from(
    { length: 100 },
    (_, i) => () => it.start("read line; exit 3", { muxName: `s${i}`, recordFile: it.at(`s${i}.json`) }),
  );
  const lane = async () => {
    for (let start = starts.pop(); start; start = starts.pop()) sessions.push(await start());
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  await isBackAt(before);
  const waits = sessions.map((session) => session.ended());
  await isBackAt({ ...before, threads: before.threads + 1, descriptors: before.descriptors + 100 + 2 });
  const [cpu, began] = [process.cpuUsage(), process.hrtime.bigint()];
  await sleep(3_000);
  const { user, system } = process.cpuUsage(cpu);
  const share = ((user + system) * 1_000) / Number(process.hrtime.bigint() - began);
  t.diagnostic(`waiting for 100 sessions took ${(share * 100).toFixed(3)} % of a core`);
  assert.ok(share < 0.05, `${share}`);
  await Promise.all(sessions.map((session) => session.send("")));
  assert.deepEqual(
    await Promise.all(waits),
    Array.from({ length: 100 }, () => ({ kind: "exited", code: 3 })),
  );
  await isBackAt(before);
});

test("no call leaves a descriptor, a thread or a child", needsProc, async (t) => {
  const it = await seat(t);
  const round = async () => {
    const one = await it.start("read line; exit 5");
    await Promise.all([one.where(), one.read(), one.send("x", { enter: false }), adoptSession(one.recordFile)]);
    await assert.rejects(one.ended({ signal: AbortSignal.timeout(5) }));
    assert.equal(await one.ended({ timeoutMs: 5 }), null);
    await one.stop({ graceMs: 5_000 });
    await one.ended();
  };
  await round();
  const before = await heldAtRest();
  for (let i = 0; i < 10; i++) await round();
  await isBackAt(before);
});
