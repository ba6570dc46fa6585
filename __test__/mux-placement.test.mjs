import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  APPEND_FORMAT,
  INSPECT_FORMAT,
  LaunchPreconditionError,
  PLACEMENT_FIELDS,
  WINDOW_FIELDS,
  appendWindow,
  assertLaunchTarget,
  assertSelector,
  assertTmuxOk,
  buildAppendArgs,
  buildCloseArgs,
  buildFreshWindowArgs,
  buildInspectArgs,
  buildListWindowIdsArgs,
  classifyCloseFailure,
  classifyTmuxCwd,
  closeWindow,
  inspectPlacement,
  isDecimal,
  isPaneId,
  isSameContext,
  isSameServer,
  isSessionId,
  isWindowId,
  parsePlacement,
  parseWindowFields,
  readAnchor,
  resolveRuntimeOnPath,
} from "seatkit/mux-placement";
import { MuxCommandError, resolveTmuxSessionExact, runTmux } from "seatkit/mux";
import { TMUX, needsTmux, pathToTmux, scratch, script, sessionOf, setEnv, standIn, tmuxServer, until } from "./mux-sandbox.mjs";

const SERVER = "/tmp/tmux-1000/default,8150,11";
const ROW = "8150|$11|@14|2|%14|74235";
const HOSTILE = [
  "%1; kill-server",
  "@1 ; kill-server",
  "$1;",
  "#{pane_id}",
  "#(id)",
  "1",
  "%",
  "@",
  "$",
  "",
  "%1\n",
  " %1",
  "%１",
  "=keeper",
];

// ---- what needs no tmux

test("native ids and decimals are the whole vocabulary", () => {
  const kinds = [
    [isPaneId, "%14"],
    [isSessionId, "$11"],
    [isWindowId, "@7"],
    [isDecimal, "74235"],
  ];
  for (const [is, own] of kinds) {
    for (const [, text] of kinds) assert.equal(is(text), text === own, `${is.name} ${text}`);
    for (const text of HOSTILE) assert.equal(is(text), is === isDecimal && text === "1", `${is.name} ${JSON.stringify(text)}`);
  }
});

test("no argument list is built for anything but its own kind of id", () => {
  for (const [build, own, args] of [
    [buildInspectArgs, "%14", ["display-message", "-p", "-t", "%14", INSPECT_FORMAT]],
    [buildAppendArgs, "$11", ["new-window", "-d", "-a", "-t", "$11:{end}", "-P", "-F", APPEND_FORMAT]],
    [buildCloseArgs, "@7", ["kill-window", "-t", "@7"]],
  ]) {
    assert.deepEqual(build(own), args);
    for (const other of [...HOSTILE, ...["%14", "$11", "@7"].filter((id) => id !== own), undefined, null]) {
      assert.throws(() => build(other), /refusing a non-native (?:pane|session|window) selector/, String(other));
    }
  }
  assert.throws(() => buildCloseArgs(5), { name: "TypeError", message: /^windowId / });
  assert.throws(() => buildCloseArgs(null), { message: "mux-placement: refusing a non-native window selector null" });
  assert.deepEqual(buildListWindowIdsArgs(), ["list-windows", "-a", "-F", "#{window_id}"]);
  assert.equal(assertSelector("window", "@3"), undefined);
  assert.throws(() => assertSelector("window", "%3"), {
    message: 'mux-placement: refusing a non-native window selector "%3"',
    code: "selector-not-native",
  });
  assert.throws(() => assertSelector("client", "@3"), TypeError);
});

test("the formats ask for ids and numbers alone, which hold no separator", () => {
  assert.equal(INSPECT_FORMAT, PLACEMENT_FIELDS.map((field) => `#{${field}}`).join("|"));
  assert.equal(APPEND_FORMAT, WINDOW_FIELDS.map((field) => `#{${field}}`).join("|"));
  assert.ok(Object.isFrozen(PLACEMENT_FIELDS) && Object.isFrozen(WINDOW_FIELDS));
});

test("an anchor needs TMUX and TMUX_PANE, or tmux would ask the default server", () => {
  assert.deepEqual(readAnchor({ TMUX: SERVER, TMUX_PANE: "%14" }), { ok: true, anchor: "%14" });
  for (const env of [{}, { TMUX_PANE: "%14" }, { TMUX: "", TMUX_PANE: "%14" }, { TMUX: SERVER }, { TMUX: SERVER, TMUX_PANE: "" }]) {
    assert.deepEqual(readAnchor(env), { ok: false, reason: "no-tmux-context" });
    assert.deepEqual(inspectPlacement(env), { ok: false, reason: "no-tmux-context" });
  }
  for (const TMUX_PANE of ["%1; kill-server", "14", "%14 "]) {
    assert.deepEqual(readAnchor({ TMUX: SERVER, TMUX_PANE }), { ok: false, reason: "anchor-malformed" });
    assert.deepEqual(inspectPlacement({ TMUX: SERVER, TMUX_PANE }), { ok: false, reason: "anchor-malformed" });
  }
});

test("a row is believed only if it echoes the pane and is native throughout", () => {
  assert.deepEqual(parsePlacement("%14", `${ROW}\n`), {
    ok: true,
    placement: { serverPid: "8150", sessionId: "$11", windowId: "@14", windowIndex: "2", paneId: "%14", panePid: "74235" },
  });
  for (const other of ["%13", "14", "", "%14; kill-server"])
    assert.deepEqual(parsePlacement(other, ROW), { ok: false, reason: "anchor-mismatch" });
  for (const row of ["", "8150|||||", "8150|$11|@14", "8150|nope|@14|2|%14|74235", `${ROW}|x`, "8150|$11|@14|2|%14|", `\n${ROW}`]) {
    assert.deepEqual(parsePlacement("%14", row), { ok: false, reason: "anchor-unresolved" }, row);
  }
});

test("a handle that cannot be read is an error, not a guess", () => {
  assert.deepEqual(parseWindowFields("@2|3|%2|76957\n"), { windowId: "@2", windowIndex: "3", paneId: "%2", panePid: "76957" });
  assert.throws(() => parseWindowFields(""), { message: /did not report a window handle/, code: "handle-unreadable" });
  assert.throws(() => parseWindowFields("w2|3|%2|76957"), { message: /non-native handle/, code: "handle-unreadable" });
});

test("only a list without the window proves that it is gone", () => {
  assert.equal(classifyCloseFailure("@3", "@0\n@30\n"), "already-gone");
  assert.equal(classifyCloseFailure("@3", ""), "already-gone");
  assert.equal(classifyCloseFailure("@3", "@0\n@3\n"), null);
  assert.equal(classifyCloseFailure("", "@0\n\n"), "already-gone", "a blank line lists nothing");
});

test("a session binds with its server, a window with the server alone", () => {
  const origin = { serverPid: "8150", sessionId: "$11" };
  assert.equal(isSameContext(origin, { ...origin }), true);
  assert.equal(isSameContext(origin, { ...origin, sessionId: "$12" }), false);
  assert.equal(isSameContext(origin, { ...origin, serverPid: "9" }), false);
  assert.equal(isSameServer(origin, { ...origin, sessionId: "$12" }), true);
  assert.equal(isSameServer(origin, { ...origin, serverPid: "9" }), false);
  assert.throws(() => isSameServer({}, {}), TypeError, "two unknown servers are not the same one");
  const started = (serverStart) => ({ ...origin, serverStart });
  for (const [a, b, same] of [
    ["100/7", "100/7", true],
    ["100/7", undefined, true],
    ["100/7", "100", true],
    ["100/7", "100/8", false],
    ["100", "101", false],
  ]) {
    for (const is of [isSameServer, isSameContext]) {
      assert.equal(is(started(a), started(b)), same, `${a} ${b}`);
      assert.equal(is(started(b), started(a)), same, `${b} ${a}`);
    }
  }
});

test("a failed run is an error that says how", () => {
  assert.equal(assertTmuxOk("list-windows", { status: 0, stdout: "", stderr: "" }), undefined);
  assert.throws(() => assertTmuxOk("list-windows", { status: 1, stdout: ROW, stderr: "no server running on /x\n" }), {
    message: "mux-placement: tmux list-windows failed (exit 1): no server running on /x",
    code: "tmux-failed",
  });
  assert.throws(() => assertTmuxOk("x", { status: null, stdout: "", stderr: "" }), /terminated by signal/);
  for (const run of [undefined, {}, Promise.resolve({ status: 0 }), { status: "0", stderr: "" }, { status: 0.5, stderr: "" }]) {
    assert.throws(() => assertTmuxOk("x", run), TypeError);
  }
});

test("a folder is classified by what tmux would make of it", (t) => {
  const folder = scratch(t);
  mkdirSync(join(folder, "with space;"));
  writeFileSync(join(folder, "file"), "");
  assert.equal(classifyTmuxCwd(join(folder, "with space;")), null);
  assert.equal(classifyTmuxCwd("here"), "cwd-not-absolute");
  assert.equal(classifyTmuxCwd(join(folder, "#x")), "cwd-format-token");
  assert.equal(classifyTmuxCwd(join(folder, "gone")), "cwd-missing");
  assert.equal(classifyTmuxCwd(join(folder, "file")), "cwd-not-directory");
  assert.throws(() => classifyTmuxCwd(undefined), TypeError);
});

test("a program is refused by name before a window exists", (t) => {
  const folder = scratch(t);
  const good = script(join(folder, "run"), "#!/bin/sh\n");
  mkdirSync(join(folder, "a b"));
  mkdirSync(join(folder, "plain"));
  const spaced = script(join(folder, "a b", "run"), "#!/bin/sh\n");
  writeFileSync(join(folder, "plain", "run"), "");
  const reason = (call) => {
    try {
      call();
      return null;
    } catch (error) {
      assert.ok(error instanceof LaunchPreconditionError && error instanceof Error, error);
      assert.deepEqual([error.name, error.code], ["LaunchPreconditionError", error.reason]);
      return error.reason;
    }
  };
  for (const [path, expected] of [
    [good, null],
    ["run", "runtime-not-absolute"],
    [spaced, "runtime-path-whitespace"],
    [join(folder, "gone"), "runtime-missing"],
    [folder, "runtime-not-regular-file"],
    [join(folder, "plain", "run"), "runtime-not-executable"],
  ]) {
    assert.equal(
      reason(() => assertLaunchTarget(path)),
      expected,
      path,
    );
    const whereNoShellRuns = expected === "runtime-path-whitespace" ? null : expected;
    assert.equal(
      reason(() => buildFreshWindowArgs("$0", path, [])),
      whereNoShellRuns,
    );
  }
  const PATH = (...entries) => ({ PATH: entries.join(":") });
  assert.equal(resolveRuntimeOnPath("run", PATH("", ".", "a b", join(folder, "gone"), join(folder, "plain"), folder)), good);
  assert.equal(
    reason(() => resolveRuntimeOnPath("run", PATH(join(folder, "a b"), folder))),
    "runtime-path-whitespace",
    "no later one takes over",
  );
  assert.equal(
    reason(() => resolveRuntimeOnPath("run", PATH(join(folder, "plain")))),
    "runtime-unresolved",
  );
  assert.equal(
    reason(() => resolveRuntimeOnPath("run", {})),
    "runtime-unresolved",
  );
  assert.equal(resolveRuntimeOnPath("plain/../run", PATH(`${folder}//plain/..`)), good, "joined, and normalised by the text");
  for (const name of ["", ".", "..", "plain"])
    assert.equal(
      reason(() => resolveRuntimeOnPath(name, PATH(folder))),
      "runtime-unresolved",
      name,
    );
  assert.equal(resolveRuntimeOnPath("sh"), resolveRuntimeOnPath("sh", process.env));
});

test("only a native session id is a window's target", () => {
  assert.deepEqual(
    buildFreshWindowArgs("$3", "/bin/sh", ["-c", "exit;"], {
      cwd: "/",
      scrubEnv: ["CLAUDECODE"],
      env: { KEY: "a;", OLD: null, KEPT: undefined },
    }),
    [
      "new-window",
      "-d",
      "-a",
      "-t",
      "$3:{end}",
      "-c",
      "/",
      "-P",
      "-F",
      APPEND_FORMAT,
      "--",
      "/usr/bin/env",
      "-u",
      "CLAUDECODE",
      "-u",
      "OLD",
      "KEY=a\\;",
      "/bin/sh",
      "-c",
      "exit\\;",
    ],
  );
  for (const target of ["keeper", "=keeper", "@1", "$", "", undefined]) {
    assert.throws(() => buildFreshWindowArgs(target, "/bin/sh", []), { code: "selector-not-native" });
  }
  for (const [args, options, code] of [
    [[], { cwd: "/#" }, "cwd-format-token"],
    [[], { cwd: "/gone/x" }, "cwd-missing"],
    [["\0"], {}, "nul"],
    [[], { scrubEnv: ["A=B"] }, "env-name-invalid"],
    [["é".repeat(8200)], {}, "message-too-long"],
  ]) {
    assert.throws(
      () => buildFreshWindowArgs("$3", "/bin/sh", args, options),
      (error) => error instanceof MuxCommandError && error.code === code,
    );
  }
  for (const wrong of [
    ["x", {}],
    [["a", 1], {}],
    [[], 5],
    [[], { cwd: 5 }],
    [[], { scrubEnv: "A" }],
    [[], { env: { A: 1 } }],
    [[], { cwdd: "/" }],
  ]) {
    assert.throws(() => buildFreshWindowArgs("$3", "/bin/sh", ...wrong), TypeError);
  }
});

// ---- on a real server

const options = { bin: TMUX };
const placementOf = (session) => {
  const inspected = inspectPlacement(session.env, options);
  assert.ok(inspected.ok, JSON.stringify(inspected));
  return inspected.placement;
};
const windows = (server, name) => server.list("list-windows", "-t", `=${name}:`, "-F", "#{window_id}|#{window_index}|#{window_active}");

test("a caller finds its own place by what it inherited", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [a, b] = [await sessionOf(server, "a"), await sessionOf(server, "b")];
  for (const session of [a, b]) {
    const [row] = server.list("list-panes", "-t", `=${session.name}:`, "-F", INSPECT_FORMAT);
    const { serverStart, ...published } = placementOf(session);
    assert.deepEqual(Object.values(published).join("|"), row);
    assert.match(serverStart, /^\d+\/\d+$/);
    assert.equal(placementOf(session).sessionId, session.sessionId);
  }
  assert.ok(isSameServer(placementOf(a), placementOf(b)) && !isSameContext(placementOf(a), placementOf(b)));

  setEnv(t, { TMUX: a.env.TMUX, TMUX_PANE: a.env.TMUX_PANE, PATH: pathToTmux() });
  assert.equal(inspectPlacement().placement.sessionId, a.sessionId, "process.env is the default");
});

test("a pane that is not there is unresolved, although tmux may say 0", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const { env } = await sessionOf(server, "a");
  const stale = { ...env, TMUX_PANE: "%999999" };
  assert.deepEqual(inspectPlacement(stale, options), { ok: false, reason: "anchor-unresolved" });
  // An empty target is answered about some other pane, with status 0.
  const run = spawnSync(TMUX, ["display-message", "-p", "-t", "", "#{pane_id}"], { env, encoding: "utf8" });
  assert.deepEqual([run.status, isPaneId(run.stdout.trim())], [0, true]);
  assert.deepEqual(inspectPlacement({ ...env, TMUX_PANE: "" }, options), { ok: false, reason: "no-tmux-context" });
  assert.throws(() => inspectPlacement({ ...env, TMUX: `${server.folder}/none,1,0` }, options), { code: "tmux-failed" });
  assert.throws(() => inspectPlacement(env, { bin: "/nope/tmux" }), { code: "ENOENT", syscall: "spawn /nope/tmux" });
});

test("windows are appended at the end without moving anybody's focus, and closed by id", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  server.tmux("set-option", "-g", "renumber-windows", "on");
  const a = await sessionOf(server, "a");
  server.tmux("new-window", "-d", "-a", "-t", "=a:{end}", "sleep", "600");
  const before = windows(server, "a");
  const placement = placementOf(a);
  const [first, second] = [appendWindow(placement, a.env, options), appendWindow(placement, a.env, options)];
  assert.deepEqual([first.windowIndex, second.windowIndex], ["2", "3"]);
  assert.deepEqual([first.serverPid, first.sessionId], [placement.serverPid, placement.sessionId]);
  assert.deepEqual(windows(server, "a").slice(0, 2), before, "the others and the focus are as they were");

  assert.equal(closeWindow(first, a.env, options), "closed");
  assert.equal(windows(server, "a")[2], `${second.windowId}|2|0`, "the index moved, the id did not");
  assert.equal(closeWindow(second, a.env, options), "closed");
  assert.equal(closeWindow(second, a.env, options), "already-gone");
  assert.deepEqual(windows(server, "a"), before);
});

test("without -d a window in another session would take its focus", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [a, b] = [await sessionOf(server, "a"), await sessionOf(server, "b")];
  const stand = standIn(server.folder, { after: "exec sleep 600" });
  const before = windows(server, "b");
  const found = resolveTmuxSessionExact("b", { ...options, env: a.env });
  assert.deepEqual(found, { ok: true, sessionId: b.sessionId });
  const run = runTmux(buildFreshWindowArgs(found.sessionId, stand.bin, ["hello;"], { cwd: server.folder }), { ...options, env: a.env });
  const handle = { serverPid: placementOf(a).serverPid, sessionId: found.sessionId, ...parseWindowFields(run.stdout) };
  assert.deepEqual((await stand.read()).args, ["hello;"]);
  assert.deepEqual(windows(server, "b").slice(0, 1), before);

  // The handle is of b; a, on the same server, closes it.
  assert.equal(closeWindow(handle, a.env, options), "closed");
  assert.deepEqual(windows(server, "b"), before);
  assert.throws(() => appendWindow({ ...placementOf(b) }, a.env, options), { code: "context-changed", message: /context changed/ });

  server.tmux("new-window", "-a", "-t", `${b.sessionId}:{end}`, "sleep", "600");
  assert.notDeepEqual(windows(server, "b").slice(0, 1), before, "unguarded");
});

test("a window is its id, whatever it and its session are called by now", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const a = await sessionOf(server, "a");
  const before = windows(server, "a");
  const handle = appendWindow(placementOf(a), a.env, options);
  server.tmux("rename-window", "-t", handle.windowId, "other");
  server.tmux("rename-session", "-t", a.sessionId, "renamed");
  // A stranger takes the name.
  await sessionOf(server, "a");
  const strangers = windows(server, "a");
  assert.equal(closeWindow(handle, a.env, options), "closed");
  assert.deepEqual([windows(server, "renamed"), windows(server, "a")], [before, strangers]);
});

test("a window whose program or session has ended is already gone", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [a, b] = [await sessionOf(server, "a"), await sessionOf(server, "b")];
  const ended = appendWindow(placementOf(a), a.env, options);
  process.kill(Number(ended.panePid), "SIGHUP");
  await until("the window's end", () => !server.list(...buildListWindowIdsArgs()).includes(ended.windowId));
  assert.equal(closeWindow(ended, a.env, options), "already-gone");

  const inB = appendWindow(placementOf(b), b.env, options);
  assert.equal(server.tmux("kill-session", "-t", "=b:").status, 0);
  assert.equal(closeWindow(inB, a.env, options), "already-gone");
  assert.throws(() => closeWindow(inB, b.env, options), { code: "caller-unresolved", message: /not resolvable \(anchor-unresolved\)/ });
});

test("ids of one server mean nothing on another, nor after a restart on the same socket", needsTmux, async (t) => {
  const server = await tmuxServer(t, { keeper: false });
  const before = await sessionOf(server, "a");
  const placement = placementOf(before);
  const handle = appendWindow(placement, before.env, options);
  server.tmux("kill-server");
  await until("the server's end", () => server.tmux("list-sessions").status !== 0);
  assert.throws(() => closeWindow(handle, before.env, options), { code: "tmux-failed" }, "nobody can be asked");

  const after = await sessionOf(server, "a");
  const stranger = appendWindow(placementOf(after), after.env, options);
  assert.equal(stranger.windowId, handle.windowId, "the new server gives the same ids again");
  assert.throws(() => closeWindow(handle, after.env, options), { code: "server-changed", message: /server changed/ });
  assert.throws(() => appendWindow(placement, after.env, options), { code: "context-changed" });
  // What the dead server's panes inherited still names its socket, on which the new one answers.
  assert.deepEqual(inspectPlacement(before.env, options), { ok: false, reason: "anchor-mismatch" });
  assert.throws(() => closeWindow(handle, before.env, options), { code: "caller-unresolved", message: /anchor-mismatch/ });
  assert.throws(() => appendWindow(placement, before.env, options), { code: "caller-unresolved" });
  const [socket] = before.env.TMUX.split(",");
  for (const TMUX of [`${socket},0,0`, `${socket},,0`, socket]) {
    assert.ok(inspectPlacement({ ...before.env, TMUX }, options).ok, "no process id is told");
  }
  assert.ok(server.list(...buildListWindowIdsArgs()).includes(stranger.windowId), "the stranger's window lives");
  assert.equal(server.tmux(...buildCloseArgs(handle.windowId)).status, 0, "without the binding it is closed");
  assert.ok(!server.list(...buildListWindowIdsArgs()).includes(stranger.windowId));
});

test("a server without sessions proves that every window of it is gone", needsTmux, async (t) => {
  const server = await tmuxServer(t, { keeper: false });
  const a = await sessionOf(server, "a");
  const placement = placementOf(a);
  const handle = appendWindow(placement, a.env, options);
  if (server.tmux("set-option", "-s", "exit-empty", "off").status !== 0) return t.skip("this tmux always exits with its last session");
  assert.equal(server.tmux("kill-session", "-t", "=a:").status, 0);
  assert.deepEqual([server.tmux(...buildListWindowIdsArgs()).status, server.tmux("list-sessions").status], [1, 0], "the list itself fails");
  if (server.tmux("display-message", "-p", "#{pid}").status !== 0) return t.skip("this tmux does not say who it is without sessions");
  assert.equal(closeWindow(handle, a.env, options), "already-gone");
  assert.throws(() => closeWindow({ ...handle, serverPid: "1" }, a.env, options), { code: "caller-unresolved" });
  server.tmux("kill-server");
});

test("a program without arguments would go through a shell", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [session] = server.list("list-sessions", "-F", "#{session_id}");
  const witness = join(server.folder, "ran");
  for (const [name, ranUnguarded] of [
    ["$(touch${IFS}ran)", true],
    ["a=b", false],
  ]) {
    const folder = join(server.folder, name);
    mkdirSync(folder);
    const stand = standIn(folder);
    const run = buildFreshWindowArgs(session, stand.bin, [], { cwd: server.folder });
    const plain = buildFreshWindowArgs(session, stand.bin, ["x"], { cwd: server.folder }).slice(0, -1);
    assert.equal(server.tmux(...run).status, 0);
    assert.deepEqual((await stand.read()).args, []);
    assert.equal(existsSync(witness), false);
    if (!ranUnguarded) continue;
    assert.equal(server.tmux(...plain).status, 0);
    await until("the shell running what is in the path", () => existsSync(witness));
    rmSync(witness);
  }
});

test("a busy server is an error, never an answer", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const a = await sessionOf(server, "a");
  const handle = appendWindow(placementOf(a), a.env, options);
  const pid = Number(handle.serverPid);
  process.kill(pid, "SIGSTOP");
  try {
    for (const call of [
      () => inspectPlacement(a.env, { ...options, timeoutMs: 200 }),
      () => closeWindow(handle, a.env, { ...options, timeoutMs: 200 }),
    ]) {
      assert.throws(call, { code: "tmux-failed", message: /terminated by signal/ });
    }
  } finally {
    process.kill(pid, "SIGCONT");
  }
  assert.equal(closeWindow(handle, a.env, options), "closed");
});
