// The recipe of examples/supervisor.mjs, killed at any moment: every item is worked on once, and nothing is left running.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deliverInboxItem, listInbox } from "seatkit/inbox-claims";
import { listRuns } from "seatkit/session";
import { Seat } from "./inbox-seat.mjs";

const TMUX = "/usr/bin/tmux";
const skip = existsSync(TMUX) ? false : "tmux is not installed";
const EXAMPLE = new URL("../examples/supervisor.mjs", import.meta.url).href;

/** A seat with a tmux server of its own, a log of what its agents did, and supervisors. */
class Supervised {
  constructor(t, script) {
    this.seat = new Seat(t);
    this.root = this.seat.root;
    this.folder = join(this.root, "sessions");
    this.log = join(this.root, "log");
    appendFileSync(this.log, "");
    const socket = join(this.root, "s");
    const mux = { kind: "tmux", bin: TMUX };
    this.launch = { claudeBin: "/bin/sh", claudeArgs: ["-c", script, this.log], terminator: false, mux, socket, config: "/dev/null" };
    t.after(() => spawnSync(TMUX, ["-S", socket, "kill-server"]));
  }

  start() {
    const program = `
      import { supervise } from ${JSON.stringify(EXAMPLE)};
      const stop = new AbortController();
      process.on("SIGTERM", () => stop.abort());
      process.send("up");
      await supervise(...JSON.parse(process.argv[1]), stop.signal);
      process.disconnect();`;
    const args = JSON.stringify([this.root, this.folder, this.launch]);
    const stdio = ["ignore", "ignore", "inherit", "ipc"];
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, args], { stdio });
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
    const up = new Promise((resolve) => child.once("message", resolve));
    return { child, ended, up };
  }

  get lines() {
    return readFileSync(this.log, "utf8").split("\n").filter(Boolean);
  }

  states() {
    return listInbox(this.root).items.map(({ state }) => state);
  }

  async runs() {
    return (await listRuns()).filter(({ recordFile }) => recordFile?.startsWith(this.folder));
  }
}

async function until(what, condition) {
  for (const end = Date.now() + 60_000; !(await condition()); await sleep(20)) assert.ok(Date.now() < end, what());
}

// The item is its last argument; who it is of is in its second line.
const WORK = 'id=$(printf "%s" "$1" | sed -n "s/^id: //p"); sleep 0.1; echo "$id" >>"$0"';

test("a supervisor that is killed all the time works on every item once", { skip }, async (t) => {
  const it = new Supervised(t, WORK);
  const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
  for (const id of ids) deliverInboxItem(it.root, "cohort", { content: `question of ${id}` }, { id });
  let kills = 0;
  for (let life = 5; it.states().some((state) => state !== "processed"); life += 25) {
    assert.ok(life < 4000, JSON.stringify(listInbox(it.root).items));
    const { child, ended, up } = it.start();
    await up;
    await Promise.race([sleep(life), ended]);
    child.kill("SIGKILL");
    kills += (await ended) === "SIGKILL" ? 1 : 0;
  }
  assert.deepEqual(it.lines.map((line) => line.replaceAll('"', "")).sort(), ids.sort());
  assert.ok(kills > 3, `${kills}`);
  await until(
    () => "nothing of it runs",
    async () => (await it.runs()).length === 0,
  );
});

test("a supervisor that is asked to end stops its session and gives the item back", { skip }, async (t) => {
  const it = new Supervised(t, "exec sleep 600");
  mkdirSync(it.folder, { recursive: true });
  deliverInboxItem(it.root, "cohort", { content: "for long" }, { id: "m1" });
  const { child, ended } = it.start();
  await until(
    () => "its session runs",
    async () => (await it.runs()).length === 1,
  );
  await until(
    () => "its agent runs",
    async () => (await it.runs())[0]?.processes.some(({ command }) => command.startsWith("sleep")),
  );
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
  assert.deepEqual(await it.runs(), []);
  assert.deepEqual(it.states(), ["new"]);
});

test("an agent that fails is tried again later, and a program that is not there is said", { skip }, async (t) => {
  const it = new Supervised(t, "exit 9");
  deliverInboxItem(it.root, "cohort", { content: "too hard" }, { id: "m1" });
  const { child, ended } = it.start();
  await until(
    () => JSON.stringify(it.states()),
    () => it.states()[0] === "deferred",
  );
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
  const [{ markers }] = listInbox(it.root).items;
  assert.equal(markers.failedReason, '{"kind":"exited","code":9}');
});
