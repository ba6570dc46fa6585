// Workers under the command: waited for, kept, ended by signals, tried again and given up; and the inbox watched.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "node:test";
import { deliverInboxItem, listInbox, parseSessionMarkers } from "seatkit/inbox-claims";
import { SEATKIT, document, seatkit } from "./cli-seat.mjs";
import { STAMP, Seat } from "./inbox-seat.mjs";
import { until } from "./mux-sandbox.mjs";

/** The command in a process of its own, for as long as it runs. */
function running(t, args) {
  const child = spawn(process.execPath, [SEATKIT, "inbox", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (said.err += text));
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...said }));
  return { child, said, ended };
}

const only = (seat) => {
  const { items } = listInbox(seat.root);
  assert.equal(items.length, 1);
  return items[0];
};

/** Every claim of the seat, as old as that. */
function age(seat, minutes) {
  const { path } = only(seat);
  const past = new Date(Date.now() - minutes * 60_000);
  writeFileSync(path, readFileSync(path, "utf8").replace(/claimed_at: ".*"/, `claimed_at: "${past.toISOString()}"`));
  utimesSync(path, past, past);
}

test("next --wait takes what comes, and --timeout ends it", async (t) => {
  const seat = new Seat(t);
  const args = ["inbox", "next", "--root", seat.root, "--wait", "--timeout"];
  const { message, ...none } = document([...args, "0.1s"]);
  assert.deepEqual(none, { status: 3, ok: false, error: "empty" });
  assert.match(message, /no new item/);

  const waiting = running(t, ["next", "--root", seat.root, "--service", "later", "--wait", "--json"]);
  deliverInboxItem(seat.root, "cohort", { a: 1 }, { id: "m1" });
  deliverInboxItem(seat.root, "later", { a: 1 }, { id: "m2" });
  const { code, out } = await waiting.ended;
  assert.deepEqual([code, JSON.parse(out).id], [0, "m2"]);
  assert.equal(document([...args, "1h"]).id, "m1", "what is there is not waited for");
});

/** Whether a process watches folders by now; where that cannot be seen it has had the time. */
async function watches({ child }) {
  const folder = `/proc/${child.pid}/fd`;
  if (!existsSync(folder)) return sleep(1000);
  const link = (fd) => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      return "closed again";
    }
  };
  const links = () => readdirSync(folder).map(link);
  return until("its watching", () => links().includes("anon_inode:inotify"));
}

test("a wait that is ended by a signal claims nothing, and says which", async (t) => {
  const seat = new Seat(t);
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ]) {
    const next = running(t, ["next", "--root", seat.root, "--wait"]);
    await watches(next);
    next.child.kill(signal);
    assert.deepEqual(await next.ended, { code, signal: null, out: "", err: "" });
  }
  deliverInboxItem(seat.root, "cohort", { a: 1 }, { id: "m1" });
  assert.equal(only(seat).state, "new");
});

test("watch prints a line at first and after each change, of one service or of all, until a signal", async (t) => {
  const seat = new Seat(t);
  const all = running(t, ["watch", "--root", seat.root, "--json"]);
  const one = running(t, ["watch", "--root", seat.root, "--service", "cohort"]);
  for (const { said } of [all, one]) await until("the first line", () => said.out !== "");
  deliverInboxItem(seat.root, "another", { a: 1 }, { id: "m1" });
  await until("the first item", () => all.said.out.includes('"new":1'));
  deliverInboxItem(seat.root, "cohort", { a: 1 }, { id: "m2" });
  await until("the second item", () => all.said.out.includes('"new":2') && one.said.out.includes("1 new"));
  assert.equal(seatkit(["inbox", "claim", "m2", "--root", seat.root]).status, 0);
  await until("the claim", () => one.said.out.includes("1 claimed"));
  for (const watched of [all, one]) {
    watched.child.kill("SIGTERM");
    const { code, err } = await watched.ended;
    assert.deepEqual([code, err], [0, ""]);
  }
  assert.deepEqual([...new Set(one.said.out.split("\n"))], ["no items", "1 new", "1 claimed", ""]);
  for (const line of all.said.out.trimEnd().split("\n")) assert.equal(JSON.parse(line).ok, true);
});

test("what fails is tried again at its time, and given up after so many attempts", (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  const next = (...more) => document(["inbox", "next", "--root", seat.root, "--exec", "exit 9", ...more]);
  const tries = [];
  for (let round = 0; round < 3; round++) {
    const { status, ended, outcome } = next("--retry", "10m", "--max-attempts", "3");
    const { state, attempts, markers } = only(seat);
    tries.push([status, ended, outcome, state, attempts, markers.failedReason]);
    if (state === "deferred") assert.equal(seatkit(["inbox", "reopen", "m1", "--from", "deferred", "--root", seat.root]).status, 0);
  }
  const reason = "the worker exited with 9";
  assert.deepEqual(tries, [
    [1, 9, "deferred after a failure", "deferred", 1, reason],
    [1, 9, "deferred after a failure", "deferred", 2, reason],
    [1, 9, "given up", "dead", 3, reason],
  ]);
  assert.equal(next().status, 3);
});

test("sweep --max-attempts gives up what was claimed so often and never finished", (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  const swept = [];
  for (let round = 0; round < 2; round++) {
    assert.equal(seatkit(["inbox", "next", "--root", seat.root]).status, 0);
    age(seat, 21);
    const { reopened } = document(["inbox", "sweep", "--root", seat.root, "--max-attempts", "2"]);
    swept.push([reopened[0].reason, only(seat).state]);
  }
  assert.deepEqual(swept, [
    ["claim-stale", "new"],
    ["attempts-exhausted", "dead"],
  ]);
  for (const number of ["0", "-1", "1.5", "many", ""]) {
    assert.equal(seatkit(["inbox", "sweep", "--root", seat.root, "--max-attempts", number]).status, 2, number);
  }
});

test("a worker that a signal ends fails its item, and the reason names the signal", (t) => {
  const seat = new Seat(t);
  for (const [exec, ended] of [
    // The shell itself, and a program that it waited for, of which it says so by 128 and the number.
    ["kill -9 $$", "SIGKILL"],
    ["sh -c 'kill -SEGV $$'; exit $?", "SIGSEGV"],
    ["exit 143", "SIGTERM"],
    ["exit 255", 255],
  ]) {
    seat.put(`${STAMP}m1.yaml`);
    const answer = document(["inbox", "next", "--root", seat.root, "--exec", exec, "--retry", "1h"]);
    assert.deepEqual([answer.status, answer.ended, only(seat).state], [1, ended, "deferred"], exec);
    const reason = typeof ended === "string" ? `the worker was ended by ${ended}` : `the worker exited with ${ended}`;
    assert.equal(parseSessionMarkers(readFileSync(only(seat).path, "utf8")).deferredReason ?? only(seat).markers.failedReason, reason);
    assert.equal(seatkit(["inbox", "reopen", "m1", "--from", "deferred", "--root", seat.root]).status, 0);
  }
});

test("a signal reaches the worker, whose item is given back unless it finishes", async (t) => {
  const seat = new Seat(t);
  const trap = (code) => `trap 'exit ${code}' TERM; : > "${seat.root}/ready"; while :; do sleep 0.05; done`;
  for (const [exec, state, outcome] of [
    [`: > "${seat.root}/ready"; exec sleep 600`, "new", "released"],
    [trap(1), "new", "released"],
    [trap(0), "processed", "done"],
  ]) {
    seat.put(`${STAMP}m1.yaml`);
    const next = running(t, ["next", "--root", seat.root, "--json", "--exec", exec]);
    await until("the worker", () => existsSync(join(seat.root, "ready")));
    assert.equal(only(seat).state, "claimed");
    next.child.kill("SIGTERM");
    const { code, out } = await next.ended;
    assert.deepEqual([code, JSON.parse(out).outcome, only(seat).state], [143, outcome, state], exec);
    rmSync(join(seat.root, "ready"));
  }
});

test("a claim is renewed while its worker works, and lost ones are told", async (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  const exec = `while ! test -e "${seat.root}/over"; do sleep 0.05; done`;
  const next = running(t, ["next", "--root", seat.root, "--renew", "0.05s", "--exec", exec]);
  await until("the claim", () => only(seat).state === "claimed");
  const first = only(seat).markers.claimedAt;
  await until("a renewal", () => only(seat).markers.claimedAt > first);
  // Another one has it: the worker's end comes to nothing.
  writeFileSync(only(seat).path, readFileSync(only(seat).path, "utf8").replace(/claim_token: .*/, 'claim_token: "another"'));
  await until("the loss", () => next.said.err !== "");
  writeFileSync(join(seat.root, "over"), "");
  const { code, err } = await next.ended;
  assert.equal(code, 1);
  assert.match(err, /^seatkit: the claim on m1 could not be renewed: .*\nseatkit: .*\n$/);
  assert.equal(only(seat).state, "claimed");
});

const needsStrace = { skip: spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0 && "strace is not here, or may not trace" };

test("a worker that cannot be started has had no item", needsStrace, (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  // Threads are started by another call.
  const noProcesses = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,fork,vfork", "-e", "inject=clone,fork,vfork:error=EAGAIN"];
  const next = [process.execPath, SEATKIT, "inbox", "next", "--root", seat.root, "--exec", "true", "--json"];
  const { status, stdout } = spawnSync("strace", [...noProcesses, ...next], { encoding: "utf8" });
  assert.deepEqual([status, JSON.parse(stdout).code], [4, "EAGAIN"]);
  assert.equal(only(seat).state, "new");
});

test("an option that would come to nothing is a slip", (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  for (const args of [
    ["--timeout", "1s"],
    ["--retry", "1h"],
    ["--max-attempts", "3"],
    ["--renew", "1m"],
    ["--exec", "true", "--renew", "0s"],
    ["--exec", "true", "--renew", "often"],
    ["--exec", "true", "--retry", "99999999999d"],
    ["--wait", "--timeout", "soon"],
    ["--service", "a/b"],
  ]) {
    const { status, error } = document(["inbox", "next", "--root", seat.root, ...args]);
    assert.deepEqual([status, error], [2, "usage"], args.join(" "));
  }
  assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml`]);
});

test("what is no text is not delivered", (t) => {
  const seat = new Seat(t);
  const deliver = (input) => document(["inbox", "deliver", "--service", "cohort", "--id", "m1", "--root", seat.root], { input });
  assert.deepEqual([deliver(Buffer.from("a: \xff\n", "latin1")).error, deliver("").error], ["invalid-argument", "invalid-argument"]);
  assert.deepEqual(seat.ls(), []);
  assert.equal(deliver("\ufeffa: \u00e9\r\n").created, true);
  assert.equal(seat.read(seat.ls()[0]), "\ufeffa: \u00e9\r\n");
});

test("what was archived is listed and found where that is asked for", (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml.processed`);
  seat.put(`${STAMP}m2.yaml`);
  const run = (...args) => seatkit(["inbox", ...args, "--root", seat.root]);
  assert.match(run("archive", "--older-than", "0s").stdout, /^1 item .* archived\n$/);
  assert.match(run("list").stdout, /^1 item: 1 new$/m);
  assert.match(run("list", "--archived").stdout, /^processed +m1 .* archived$[^]*^2 items: 1 new, 1 processed; 1 archived$/m);
  assert.equal(run("find", "m1").status, 3);
  const path = run("find", "m1", "--archived").stdout.trimEnd();
  assert.ok(path.startsWith(join(seat.root, "state", "inbox-archive", "cohort")) && statSync(path).isFile(), path);
});
