// Each guard of the safe layer on a real screen: what happens without it, and that it does not with it.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MuxCommandError, buildSafeMuxCommands, classifyScreenRun, parseScreenSessions, screenStopArgs, sessionOutcome } from "seatkit/mux";
import { buildMuxCommands, parseScreenList } from "seatkit/launch-args";
import { SCREEN, cleanEnv, isAlive, needsScreen, runCommand, screenFolder, standIn, until } from "./mux-sandbox.mjs";

const launchIn = (screens, facts = {}) => ({
  mux: screens.mux,
  muxName: "alpha",
  cwd: screens.folder,
  claudeBin: "/bin/sleep",
  claudeArgs: ["600"],
  exitFile: join(screens.folder, "last-exit"),
  ...facts,
});
const safe = (screens, facts) =>
  buildSafeMuxCommands({ socket: screens.home, config: "/dev/null", terminator: false, ...launchIn(screens, facts) });

/** Starts a foreground command as a supervisor does; `ended` gives its exit status. */
function supervise({ file, args, cwd, env }, base = cleanEnv()) {
  const child = spawn(file, args, { cwd, env: { ...base, ...env }, stdio: "ignore" });
  const ended = once(child, "exit").then(([status]) => status);
  return { child, ended };
}
function refusal(build) {
  try {
    return build();
  } catch (error) {
    assert.ok(error instanceof MuxCommandError && error.code === "name-too-long", error);
    return error;
  }
}
const listed = (screens, name) => parseScreenSessions(screens.list()).filter((session) => session.name === name);
const started = (screens, name, count = 1) => until(`${name} being listed`, () => listed(screens, name).length === count);
const stop = (screens, name) => runCommand({ file: SCREEN, args: screenStopArgs(screens.list(), name), env: { SCREENDIR: screens.home } });

test("a session lives from start to stop, in its folder and with its arguments", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder, { after: "exec sleep 600" });
  const cwd = join(screens.folder, "C#Projects; #(x)");
  mkdirSync(cwd);
  const claudeArgs = ["be brief;", ";", "", "#{x}", "$HOME", "`id`", "é\n日", "-d", "--", "%H"];
  const { start, exists, waitProbe, stop: none, blocking } = safe(screens, { cwd, claudeBin: stand.bin, claudeArgs });
  assert.deepEqual([blocking, waitProbe, none], [true, null, null]);
  const { ended } = supervise(start);
  assert.deepEqual(await stand.read(), { cwd, claudecode: "unset", args: claudeArgs });
  const [session] = parseScreenSessions(runCommand(exists).stdout);
  assert.deepEqual({ ...session, pid: 0 }, { pid: 0, name: "alpha", state: "Detached", live: true });
  assert.ok(isAlive(session.pid));
  assert.equal(stop(screens, "alpha").status, 0);
  await ended;
  assert.deepEqual(parseScreenSessions(runCommand(exists).stdout), []);
});

test("the reference starts it in the folder of whoever runs it", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  const { start } = buildMuxCommands(launchIn(screens, { claudeBin: stand.bin, claudeArgs: [] }));
  await supervise(start, screens.env).ended;
  assert.equal((await stand.read()).cwd, process.cwd());
});

test("a stop by name would end a session whose name only starts so", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const old = supervise(safe(screens, { muxName: "alpha-old" }).start);
  await started(screens, "alpha-old");
  assert.equal(screenStopArgs(screens.list(), "alpha"), null);

  const young = supervise(safe(screens).start);
  await started(screens, "alpha");
  assert.equal(stop(screens, "alpha").status, 0);
  await young.ended;
  assert.equal(listed(screens, "alpha-old").length, 1, "the other one lives");

  const { stop: byName } = buildMuxCommands(launchIn(screens));
  assert.equal(runCommand(byName, screens.env).status, 0);
  await old.ended;
  assert.deepEqual(parseScreenSessions(screens.list()), [], "without the guard it is ended");
});

test("of two sessions with one name none is guessed", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const twins = [supervise(safe(screens).start), supervise(safe(screens).start)];
  await started(screens, "alpha", 2);
  assert.equal(screenStopArgs(screens.list(), "alpha"), null);
  for (const { pid, name } of listed(screens, "alpha")) screens.screen("-S", `${pid}.${name}`, "-X", "quit");
  await Promise.all(twins.map(({ ended }) => ended));
});

test("a killed session is not live, does not stop, and is wiped by name", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const { start, wipe } = safe(screens);
  const killed = supervise(start);
  const other = supervise(safe(screens, { muxName: "beta" }).start);
  await started(screens, "alpha");
  await started(screens, "beta");
  const [{ pid }] = listed(screens, "alpha");
  process.kill(pid, "SIGKILL");
  await killed.ended;
  const dead = await until("the list saying so", () => listed(screens, "alpha").find((session) => !session.live));
  assert.match(dead.state, /^(?:Dead \?\?\?|Remote or dead)$/);
  assert.equal(parseScreenList(screens.list(), "alpha"), false);
  assert.equal(screenStopArgs(screens.list(), "alpha"), null);
  runCommand(wipe);
  assert.deepEqual(listed(screens, "alpha"), []);
  assert.equal(listed(screens, "beta")[0].live, true, "the living are not wiped");
  stop(screens, "beta");
  await other.ended;
});

test("a name over 80 bytes would start nothing", needsScreen, (t) => {
  const screens = screenFolder(t);
  const muxName = "n".repeat(81);
  const { size, limit } = refusal(() => safe(screens, { muxName, socket: null }));
  assert.deepEqual([size, limit], [81, 80]);
  // macOS's screen takes somewhat more, and no version takes this.
  const run = screens.screen("-D", "-m", "-S", "n".repeat(300), "/bin/true");
  assert.deepEqual([run.status, parseScreenSessions(screens.list())], [1, []]);
  for (const name of ["a/b", "a b", "a\tb", ".", "a\nb", ""]) {
    assert.throws(() => safe(screens, { muxName: name }), { code: "name-invalid" }, name);
  }
});

test("the longest name that a socket's path leaves room for works, and one byte more would fail without a word", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  const facts = { claudeBin: stand.bin, claudeArgs: [] };
  const { limit } = refusal(() => safe(screens, { ...facts, muxName: "n".repeat(80) }));
  assert.ok(limit > 20 && limit < 80);
  await supervise(safe(screens, { ...facts, muxName: "n".repeat(limit) }).start).ended;
  await stand.read();
  if (process.platform === "linux") {
    const run = runCommand(buildMuxCommands(launchIn(screens, { muxName: "n".repeat(80) })).start, screens.env);
    assert.deepEqual([run.status, run.stdout, run.stderr], [1, "", ""]);
  }
});

test("a prompt far beyond tmux's limit arrives", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  const prompt = "p".repeat(100_000);
  const { start } = safe(screens, { claudeBin: stand.bin, claudeArgs: [prompt], utf8: true });
  await supervise(start).ended;
  assert.deepEqual((await stand.read()).args, [prompt]);
});

test("how it ended is known by the exit file alone", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const exitFile = join(screens.folder, "last-exit");
  const outcome = (stopRequested) =>
    sessionOutcome({ exitText: existsSync(exitFile) ? readFileSync(exitFile, "utf8") : null, stopRequested });
  const ran = (script) => supervise(safe(screens, { claudeBin: "/bin/sh", claudeArgs: ["-c", script] }).start).ended;
  assert.equal(await ran("exit 42"), 0, "screen's own status says nothing");
  assert.deepEqual(outcome(false), { kind: "exited", code: 42 });
  await ran("kill -TERM $$");
  assert.deepEqual(outcome(false), { kind: "signalled", signal: 15 });
});

test("variables are taken out of the session's environment", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  for (const [scrubEnv, seen] of [
    [[], "1"],
    [["CLAUDECODE"], "unset"],
  ]) {
    const { start } = safe(screens, { claudeBin: stand.bin, claudeArgs: [], scrubEnv });
    await supervise(start, cleanEnv({ CLAUDECODE: "1" })).ended;
    assert.equal((await stand.read()).claudecode, seen);
    stand.forget();
  }
});

test("no session outlives the test that started it", needsScreen, async (t) => {
  let pid;
  await t.test("a session", async (inner) => {
    const screens = screenFolder(inner);
    supervise(safe(screens).start);
    await started(screens, "alpha");
    [{ pid }] = listed(screens, "alpha");
  });
  await until("the session's end", () => !isAlive(pid));
});

test("a folder that screen refuses is not one without sessions", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const ask = (SCREENDIR) => classifyScreenRun(spawnSync(SCREEN, ["-ls"], { env: { ...screens.env, SCREENDIR }, encoding: "utf8" }));
  assert.equal(ask(screens.home), "absent");
  const { ended } = supervise(safe(screens).start);
  await started(screens, "alpha");
  assert.equal(ask(screens.home), "present");
  chmodSync(screens.home, 0o755);
  assert.equal(ask(screens.home), "unknown", "its mode");
  assert.equal(ask(join(screens.folder, "gone", "below")), "unknown", "a missing parent");
  chmodSync(screens.home, 0o700);
  if (process.getuid() === 0) {
    const theirs = join(screens.folder, "theirs");
    mkdirSync(theirs, { mode: 0o700 });
    chownSync(theirs, 65534, 65534);
    assert.equal(ask(theirs), "unknown", "its owner");
  }
  assert.equal(stop(screens, "alpha").status, 0);
  await ended;
  assert.equal(ask(screens.home), "absent");
});

test("a variable is the session's own", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  const { start } = safe(screens, { claudeBin: stand.bin, claudeArgs: ["a"], env: { CLAUDECODE: "own; é" } });
  await supervise(start, cleanEnv({ CLAUDECODE: "1" })).ended;
  assert.deepEqual(await stand.read(), { cwd: screens.folder, claudecode: "own; é", args: ["a"] });
});
