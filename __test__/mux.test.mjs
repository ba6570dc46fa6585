import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import {
  MuxCommandError,
  TMUX_MESSAGE_LIMIT,
  buildSafeMuxCommands,
  classifyScreenRun,
  classifyTmuxRun,
  escapeTmuxArg,
  escapeTmuxFormat,
  muxCandidates,
  packedSize,
  parseScreenSessions,
  screenStopArgs,
  sessionOutcome,
} from "seatkit/mux";
import { MUX_CANDIDATES, buildClaudeArgs, detectMux, parseExitFile } from "seatkit/launch-args";
import { seeded } from "./mux-sandbox.mjs";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../tests/fixtures/${name}.json`, import.meta.url), "utf8"));
const wrongType = { name: "TypeError", code: /^ERR_INVALID_ARG_(?:TYPE|VALUE)$/ };

test("only a final semicolon is escaped for tmux", () => {
  for (const [given, escaped] of [
    ["", ""],
    [";", "\\;"],
    [";;", ";\\;"],
    ["a; b", "a; b"],
    ["a\\;", "a\\\\;"],
    ["é;", "é\\;"],
    ["\ud800;", "\ufffd\\;"],
  ]) {
    assert.equal(escapeTmuxArg(given), escaped);
  }
  for (const wrong of [undefined, null, 5, {}, [";"]]) assert.throws(() => escapeTmuxArg(wrong), wrongType);
});

test("a run of # is doubled unless a bracket follows", () => {
  for (const [given, escaped] of [
    ["", ""],
    ["/x/C#Projects", "/x/C##Projects"],
    ["###", "######"],
    ["#(touch p)", "##(touch p)"],
    ["a#[b", "a#[b"],
    ["##[#", "##[##"],
    ["\ud800#", "\ufffd##"],
  ]) {
    assert.equal(escapeTmuxFormat(given), escaped);
  }
  for (const wrong of [undefined, null, 5, {}]) assert.throws(() => escapeTmuxFormat(wrong), wrongType);
});

test("the packed size is the bytes and one more for each argument", () => {
  const random = seeded(7);
  assert.equal(packedSize([]), 0);
  for (let round = 0; round < 100; round++) {
    const args = Array.from({ length: Math.floor(random() * 5) }, () =>
      ["", "a", "é", "日", "😀", "\ud800"][Math.floor(random() * 6)].repeat(Math.floor(random() * 400)),
    );
    assert.equal(
      packedSize(args),
      args.reduce((size, arg) => size + Buffer.byteLength(arg) + 1, 0),
    );
  }
  assert.equal(TMUX_MESSAGE_LIMIT, 16364);
  for (const wrong of ["abc", undefined, [5], [undefined]]) assert.throws(() => packedSize(wrong), wrongType);
});

test("what tmux of six versions answered is present, absent or unknown", () => {
  for (const { answer, ...run } of fixture("tmux-answers")) assert.equal(classifyTmuxRun(run), answer, JSON.stringify(run));
  const said = (stderr, status = 1) => classifyTmuxRun({ status, stdout: "", stderr });
  assert.equal(said("protocol version mismatch (client 8, server 7)\n"), "unknown");
  assert.equal(said("server exited unexpectedly\n"), "unknown");
  assert.equal(said("error connecting to /tmp/s (Permission denied)\n"), "unknown");
  assert.equal(said("can't find session: protocol version mismatch\n"), "absent");
  assert.equal(said("can't find session: a\n", null), "unknown", "a killed run is no answer");
});

test("what is no run of tmux is refused, a promise above all", () => {
  for (const wrong of [
    undefined,
    null,
    "x",
    {},
    Promise.resolve({ status: 0, stderr: "" }),
    { status: "0", stderr: "" },
    { status: undefined, stderr: "" },
    { status: NaN, stderr: "" },
    { status: 1 },
  ]) {
    assert.throws(() => classifyTmuxRun(wrong), wrongType);
  }
});

test("every listing of screen gives its sessions, and those that live can be stopped", () => {
  for (const { screen, case: what, stdout, sessions } of fixture("screen-listings")) {
    assert.deepEqual(parseScreenSessions(stdout), sessions, `${screen}: ${what}`);
    for (const { pid, name, live } of sessions) {
      assert.deepEqual(screenStopArgs(stdout, name), live ? ["-S", `${pid}.${name}`, "-X", "quit"] : null);
      assert.equal(screenStopArgs(stdout, name.slice(0, -1)), null, "a part of a name does not count");
    }
  }
  for (const nothing of [undefined, null, 5, {}]) {
    assert.deepEqual(parseScreenSessions(nothing), []);
    assert.equal(screenStopArgs(nothing, "a"), null);
    assert.throws(() => screenStopArgs("", nothing), wrongType);
  }
});

test("an outcome is what was recorded, and never a zero made of nothing", () => {
  for (let code = 0; code <= 999; code++) {
    const exitText = `${code}\n`;
    const recorded =
      code > 255 ? { kind: "unknown" } : code > 128 && code <= 192 ? { kind: "signalled", signal: code - 128 } : { kind: "exited", code };
    assert.deepEqual(sessionOutcome({ exitText, stopRequested: false }), recorded);
    assert.deepEqual(sessionOutcome({ exitText, stopRequested: true }), code > 255 ? { kind: "stopped" } : recorded);
  }
  for (const exitText of [undefined, null, "", "\n", "abc", "-1", "1e3", "0x0"]) {
    assert.equal(typeof exitText === "string" ? parseExitFile(exitText) : null, null);
    assert.deepEqual(sessionOutcome({ exitText }), { kind: "unknown" });
    assert.deepEqual(sessionOutcome({ exitText, stopRequested: true }), { kind: "stopped" });
  }
  assert.deepEqual(sessionOutcome({}), { kind: "unknown" });
  for (const wrong of [undefined, null, "0", { exitText: 0 }, { stopRequested: "yes" }, { exitFile: "0" }])
    assert.throws(() => sessionOutcome(wrong), wrongType);
});

test("the candidates begin with the fixed ones, know the package managers, and end with PATH", () => {
  const env = { HOME: "/home/o", USER: "o", PATH: "/usr/bin:relative::/srv/tools" };
  for (const platform of ["darwin", "linux", "freebsd"]) {
    const { tmux, screen } = muxCandidates(platform, env);
    assert.deepEqual(tmux.slice(0, 3), [...MUX_CANDIDATES.tmux]);
    assert.deepEqual(screen.slice(0, 3), [...MUX_CANDIDATES.screen]);
    for (const list of [tmux, screen]) {
      assert.equal(new Set(list).size, list.length);
      assert.ok(list.every((path) => path.startsWith("/")));
    }
    assert.equal(tmux.at(-1), "/srv/tools/tmux");
    assert.ok(
      ["/home/o/.nix-profile/bin", "/etc/profiles/per-user/o/bin", "/run/current-system/sw/bin"].every((folder) =>
        tmux.includes(`${folder}/tmux`),
      ),
    );
  }
  assert.ok(muxCandidates("darwin", env).tmux.includes("/opt/local/bin/tmux"));
  assert.ok(["/home/linuxbrew/.linuxbrew/bin/tmux", "/snap/bin/tmux"].every((path) => muxCandidates("linux", env).tmux.includes(path)));
  assert.deepEqual(muxCandidates(), muxCandidates(process.platform, process.env));
  const { tmux } = detectMux({ existsSync });
  if (tmux)
    assert.equal(
      muxCandidates().tmux.find((path) => existsSync(path)),
      tmux,
      "who looked before finds the same",
    );
  assert.throws(() => muxCandidates(5), wrongType);
});

const launch = (facts = {}) => ({
  mux: { kind: "tmux", bin: "/usr/bin/tmux" },
  muxName: "maestro-olivia",
  cwd: "/",
  claudeBin: "claude",
  claudeArgs: ["--name", "olivia-main", "prompt"],
  exitFile: "/last-exit",
  ...facts,
});

test("the safe commands take what the plain ones take, and claudeArgs as buildClaudeArgs gives them", () => {
  const claudeArgs = buildClaudeArgs({
    first: "olivia",
    sessionId: "11111111-2222-4333-8444-555555555555",
    mode: "resume",
    permissionArgs: ["--allowedTools", "Read"],
    prompt: "- [ ] do it;",
  });
  const { start, waitProbe, exists, wipe, stop, blocking } = buildSafeMuxCommands(launch({ claudeArgs, prompt: true }));
  assert.deepEqual(Object.keys(start), ["file", "args"]);
  assert.deepEqual(start.args.slice(0, 6), ["new-session", "-d", "-s", "maestro-olivia", "-c", "/"]);
  assert.deepEqual(start.args.slice(-4), ["--allowedTools", "Read", "--", "- [ ] do it\\;"]);
  assert.deepEqual([blocking, exists], [false, waitProbe]);
  assert.deepEqual(stop, { file: "/usr/bin/tmux", args: ["kill-session", "-t", "=maestro-olivia:"] });
  assert.equal(wipe.args.at(-1), "kill-session -t =maestro-olivia:");
  assert.deepEqual(buildSafeMuxCommands(launch({ socket: "seat", config: "/dev/null", utf8: true })).stop.args.slice(0, 5), [
    "-L",
    "seat",
    "-f",
    "/dev/null",
    "-u",
  ]);
});

test("the prompt is told, never guessed", () => {
  const ID = "11111111-2222-4333-8444-555555555555";
  const tail = (facts) => buildSafeMuxCommands(launch(facts)).start.args.slice(11);
  assert.deepEqual(tail({ claudeArgs: ["--resume", ID] }), ["claude", "--resume", ID]);
  assert.deepEqual(tail({ claudeArgs: ["--resume", ID], prompt: "- go;" }), ["claude", "--resume", ID, "--", "- go\\;"]);
  assert.deepEqual(tail({ claudeArgs: ["--resume", ID, "go"], prompt: true }), ["claude", "--resume", ID, "--", "go"]);
  assert.deepEqual(tail({ claudeArgs: ["--resume", ID], prompt: "go", terminator: false }), ["claude", "--resume", ID, "go"]);
  for (const prompt of [false, null, undefined]) assert.deepEqual(tail({ claudeArgs: ["go"], prompt }), ["claude", "go"]);
});

test("what spawnSync tells of a program that is not there is no answer", () => {
  const run = spawnSync("/nope", { encoding: "utf8" });
  assert.equal(classifyTmuxRun(run), "unknown");
  assert.equal(classifyScreenRun(run), "unknown");
  assert.equal(classifyTmuxRun({ status: 1, stdout: null, stderr: null }), "unknown");
  // As Node 20 tells of it, and as Node 24 does.
  for (const nothing of [null, undefined]) {
    const run = { status: null, stdout: nothing, stderr: nothing };
    assert.deepEqual([classifyTmuxRun(run), classifyScreenRun(run)], ["unknown", "unknown"]);
  }
  for (const wrong of [undefined, {}, { status: 0 }, { status: 0, stdout: 5 }]) assert.throws(() => classifyScreenRun(wrong), wrongType);
});

test("every listing of screen shows who lives", () => {
  for (const { screen, case: what, stdout, sessions } of fixture("screen-listings")) {
    const expected = sessions.some(({ live }) => live)
      ? "present"
      : sessions.length > 0 || /No Sockets|room is empty/.test(stdout)
        ? "absent"
        : "unknown";
    assert.equal(classifyScreenRun({ status: 1, stdout, stderr: "" }), expected, `${screen}: ${what}`);
  }
});

test("for screen the folder and the directory are given to the spawn", () => {
  const mux = { kind: "screen", bin: "/usr/bin/screen" };
  const { start, exists, wipe, stop, waitProbe, blocking } = buildSafeMuxCommands(
    launch({ mux, cwd: "/usr", socket: "/run/seat", claudeArgs: ["go;"] }),
  );
  assert.deepEqual([start.cwd, start.env, start.args.at(-1)], ["/usr", { SCREENDIR: "/run/seat" }, "go;"]);
  assert.deepEqual(exists, { file: "/usr/bin/screen", args: ["-ls"], env: { SCREENDIR: "/run/seat" } });
  assert.deepEqual(wipe, { file: "/usr/bin/screen", args: ["-wipe", "maestro-olivia"], env: { SCREENDIR: "/run/seat" } });
  assert.deepEqual([stop, waitProbe, blocking], [null, null, true]);
  assert.ok(!("env" in buildSafeMuxCommands(launch({ mux })).start));
});

test("what is refused is refused by a stable code, and a size with both numbers", () => {
  const screen = { kind: "screen", bin: "/usr/bin/screen" };
  for (const [facts, code] of [
    [{ muxName: "a.b" }, "name-invalid"],
    [{ muxName: "" }, "name-invalid"],
    [{ muxName: "ttys001" }, "name-reserved"],
    [{ muxName: "n".repeat(81), mux: screen }, "name-too-long"],
    [{ cwd: "here" }, "cwd-not-absolute"],
    [{ cwd: "/gone/x" }, "cwd-missing"],
    [{ cwd: undefined }, "cwd-missing"],
    [{ cwd: "/dev/null" }, "cwd-not-directory"],
    [{ claudeArgs: ["a", "\0"] }, "nul"],
    [{ muxName: "a\0" }, "nul"],
    [{ exitFile: "\0" }, "nul"],
    [{ claudeBin: "" }, "empty"],
    [{ claudeBin: "exec" }, "program-builtin"],
    [{ socket: "./s" }, "path-invalid"],
    [{ socket: "seat", mux: screen }, "path-invalid"],
    [{ config: "x" }, "path-invalid"],
    [{ scrubEnv: ["A=B"] }, "env-name-invalid"],
    [{ claudeArgs: ["x".repeat(16364)] }, "message-too-long"],
    [{ config: "/gone/tmux.conf" }, "path-invalid"],
    [{ exitFile: "last-exit" }, "path-invalid"],
    [{ exitFile: "/gone/x/last-exit" }, "path-invalid"],
    [{ exitFile: "/dev/null" }, "path-invalid"],
    [{ muxName: "console" }, "name-reserved"],
    [{ env: { "A B": "1" } }, "env-name-invalid"],
    [{ env: { A: "\0" } }, "nul"],
    [{ size: { columns: 0, rows: 24 } }, "size-invalid"],
    [{ size: { columns: 80, rows: 24 }, mux: screen }, "size-unsupported"],
    [{ claudeArgs: [], prompt: true }, "prompt-missing"],
    [{ socket: `/${"s".repeat(200)}` }, "path-invalid"],
    [{ mux: { kind: "zellij", bin: "z" } }, "mux-kind-unknown"],
  ]) {
    assert.throws(
      () => buildSafeMuxCommands(launch(facts)),
      (error) => {
        assert.ok(error instanceof MuxCommandError && error instanceof Error);
        assert.deepEqual([error.name, error.code, "size" in error], ["MuxCommandError", code, code.endsWith("-too-long")]);
        return true;
      },
      JSON.stringify(facts),
    );
  }
  assert.throws(
    () => buildSafeMuxCommands(launch({ claudeArgs: ["é".repeat(8200)] })),
    ({ size, limit, message }) => limit === 16364 && size > 16400 && message.includes(String(size)) && message.includes(String(limit)),
  );
});

test("a value of another type, or an option that nobody knows, is a TypeError that names it", () => {
  for (const facts of [
    { mux: undefined },
    { mux: { bin: "x" } },
    { mux: { kind: "tmux" } },
    { muxName: 5 },
    { cwd: 5 },
    { claudeBin: undefined },
    { claudeArgs: undefined },
    { claudeArgs: "abc" },
    { claudeArgs: ["a", 1] },
    { exitFile: null },
    { socket: 5 },
    { config: {} },
    { scrubEnv: "CLAUDECODE" },
    { scrubEnv: [1] },
    { env: { A: 1 } },
    { env: "A=1" },
    { size: { columns: 80 } },
    { size: { columns: 80.5, rows: 24 } },
    { size: { columns: 80, rows: 24, depth: 8 } },
    { prompt: 5 },
    { utf8: "yes" },
  ]) {
    assert.throws(() => buildSafeMuxCommands(launch(facts)), wrongType, JSON.stringify(facts));
  }
  for (const wrong of [undefined, null, "x"]) assert.throws(() => buildSafeMuxCommands(wrong), wrongType);
  assert.throws(() => buildSafeMuxCommands(launch({ muxName: 5 })), /^TypeError.*a\.muxName /);
  assert.throws(() => buildSafeMuxCommands(launch({ cdw: "/" })), /^TypeError.*a\.cdw is not an option/);
});
