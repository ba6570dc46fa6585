// `seatkit session`, as a person and as a script use it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const SEATKIT = fileURLToPath(new URL("../lib/command/seatkit.mjs", import.meta.url));
const skip = existsSync("/usr/bin/tmux") ? false : "tmux is not installed";

/** A folder with a tmux server of its own, both gone with the test. */
function place(t) {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-cli-"));
  const socket = join(folder, "s");
  t.after(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });
  const record = join(folder, "session.json");
  const { TMUX: _, ...env } = process.env;
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SEATKIT, "session", ...args], { encoding: "utf8", env });
    return { status, stdout, stderr };
  };
  const json = (...args) => {
    const { status, stdout } = run(...args, "--json");
    return { status, ...JSON.parse(stdout) };
  };
  return { folder, socket, record, env, run, json };
}

/** `start` puts its options before the `--`. */
const startArgs = ({ record, socket, folder }, script, ...options) =>
  ["start", "olivia", "--record", record, "--socket", socket, "--config", "/dev/null", "--cwd", folder].concat(options, [
    "--",
    "/bin/sh",
    "-c",
    script,
  ]);

test("a session is started once, followed, read, typed into, and waited for by its own code", { skip }, async (t) => {
  const it = place(t);
  const started = it.run(...startArgs(it, 'echo "up $KEY"; read line; echo "$line" >typed; exit 42', "--env", "KEY=one"));
  assert.equal(started.status, 0, started.stderr);
  assert.match(started.stdout, /^started olivia under tmux: run [0-9a-f-]{36}\nprocess \d+\n$/);
  const { run } = JSON.parse(readFileSync(it.record, "utf8"));

  const again = it.run(...startArgs(it, "exit 0"));
  assert.equal(again.status, 1);
  assert.match(again.stderr, new RegExp(`^seatkit: run ${run} of this record is still there`));

  const listed = it.json("list").runs.find((row) => row.run === run);
  assert.deepEqual([listed.name, listed.state, listed.where.sessionName], ["olivia", "running", "olivia"]);
  assert.match(it.run("list").stdout, new RegExp(`olivia +${run} +\\d+ +\\d+s +olivia %0 +running\n`));
  assert.match(it.run("where", it.record).stdout, /^session \$0, olivia\nwindow {2}@0\npane {4}%0\n$/);
  for (let tries = 0; !it.run("read", it.record).stdout.includes("up one"); tries++) assert.ok(tries < 100);
  assert.equal(it.run("wait", it.record, "--timeout", "0s").status, 124);

  const waiting = spawn(process.execPath, [SEATKIT, "session", "wait", it.record], { env: it.env });
  const code = new Promise((resolve) => waiting.once("exit", resolve));
  assert.equal(it.run("send", it.record, "hello there").status, 0);
  assert.equal(await code, 42);
  assert.equal(readFileSync(join(it.folder, "typed"), "utf8"), "hello there\n");
  assert.deepEqual(it.json("wait", it.record), { status: 42, ok: true, run, outcome: { kind: "exited", code: 42 } });
  assert.equal(it.run("where", it.record).status, 3);
});

test("a stop says what ended and what was left, and a run is stopped by its id alone", { skip }, (t) => {
  const it = place(t);
  it.run(...startArgs(it, "(setsid sleep 611 &); exec sleep 610"));
  const { run } = JSON.parse(readFileSync(it.record, "utf8"));
  for (let tries = 0; it.json("list").runs.find((row) => row.run === run).processes.length < 3; tries++) assert.ok(tries < 100);
  const stopped = it.json("stop", it.record, "--grace", "5s");
  assert.deepEqual([stopped.status, stopped.outcome], [0, { kind: "stopped" }]);
  assert.deepEqual(
    stopped.ended.map(({ command, by }) => [command, by]),
    [["sleep 610", "SIGTERM"]],
  );
  assert.deepEqual(
    stopped.left.map(({ command }) => command),
    ["sleep 611"],
  );
  assert.equal(it.run("wait", it.record).status, 143);
  assert.match(it.run("list").stdout, new RegExp(`olivia +${run} +\\d+ +\\d+s +- +left`));
  rmSync(it.record);
  const rest = it.run("stop", run);
  assert.equal(rest.status, 0, rest.stderr);
  assert.match(rest.stdout, /ended by SIGTERM +sleep 611\n1 ended\n$/);
  assert.equal(it.run("stop", run).status, 3);
});

test("what is wrong is said, with the exit code of its kind", { skip }, (t) => {
  const it = place(t);
  for (const [status, text, ...args] of [
    [3, /is no record of a session/, "wait", it.record],
    [2, /--record is needed/, "start", "olivia", "sleep"],
    [2, /PROGRAM is missing/, "start", "olivia"],
    [2, /--size takes/, "start", "olivia", "sleep", "--record", it.record, "--size", "big"],
    [2, /stopSignal/, "start", "olivia", "sleep", "--record", it.record, "--stop-signal", "KILL"],
    [2, /there is no such variable here/, "start", "olivia", "sleep", "--record", it.record, "--env", "NO_SUCH_VARIABLE_HERE"],
    [1, /cannot be run \(ENOENT/, "start", "olivia", "/nope/agent", "--record", it.record],
    [1, /the session name/, "start", "a.b", "sleep", "--record", it.record],
    [2, /--timeout takes a span/, "wait", it.record, "--timeout", "soon"],
    [2, /--lines takes a number/, "read", it.record, "--lines", "few"],
  ]) {
    const answer = it.run(...args);
    assert.equal(answer.status, status, `${args}: ${answer.stderr}`);
    assert.match(answer.stderr, text);
    assert.equal(answer.stdout, "");
  }
  assert.equal(existsSync(it.record), false);
});
