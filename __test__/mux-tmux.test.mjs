// Each guard of the safe layer on a real tmux: what happens without it, and that it does not with it.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  MuxCommandError,
  TMUX_MESSAGE_LIMIT,
  buildSafeMuxCommands,
  classifyTmuxRun,
  packedSize,
  resolveTmuxSessionExact,
  runTmux,
  sessionOutcome,
} from "seatkit/mux";
import { buildMuxCommands } from "seatkit/launch-args";
import { resolveTmuxSessionId } from "seatkit/resolve-tmux-session";
import {
  TMUX,
  cleanEnv,
  controlClient,
  fileText,
  isAlive,
  needsTmux,
  runCommand,
  scratch,
  script,
  standIn,
  tmuxServer,
  until,
} from "./mux-sandbox.mjs";

/** What both builders are given for a session on the test's server. */
const launchOn = (server, facts = {}) => ({
  mux: server.mux,
  muxName: "maestro-olivia",
  cwd: server.folder,
  claudeBin: "/bin/sleep",
  claudeArgs: ["600"],
  exitFile: join(server.folder, "last-exit"),
  ...facts,
});
const safe = (server, facts) =>
  buildSafeMuxCommands({ socket: server.socket, config: "/dev/null", terminator: false, ...launchOn(server, facts) });
/** The reference's commands, sent to the test's server. */
const unguarded = (server, facts) => {
  const commands = buildMuxCommands(launchOn(server, facts));
  const send = (command) => ({ ...command, args: ["-S", server.socket, "-f", "/dev/null", ...command.args] });
  return { start: send(commands.start), waitProbe: send(commands.waitProbe), stop: send(commands.stop) };
};
const refusedAs = (code) => (error) => error instanceof MuxCommandError && error.code === code;

test("a session lives from start to stop, and only it", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  assert.equal(server.tmux("new-session", "-d", "-s", "maestro-olivia-old", "sleep", "600").status, 0);
  const { start, waitProbe, exists, stop, blocking } = safe(server);
  assert.equal(blocking, false);
  assert.equal(exists, waitProbe);
  assert.notEqual(runCommand(exists).status, 0, "a session whose name only starts so is not it");
  assert.equal(classifyTmuxRun(runCommand(exists)), "absent");
  assert.equal(runCommand(start).status, 0);
  assert.equal(runCommand(exists).status, 0);
  assert.match(runCommand(start).stderr, /^duplicate session/, "a second start is told so");
  assert.equal(runCommand(stop).status, 0);
  assert.equal(classifyTmuxRun(runCommand(exists)), "absent");
  assert.deepEqual(server.sessions(), ["keeper", "maestro-olivia-old"]);
});

test("a name with a dot would stop another session; it is refused", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  server.tmux("new-session", "-d", "-s", "maestro-v2", "sleep", "600");
  assert.throws(() => safe(server, { muxName: "maestro-v2.0" }), refusedAs("name-invalid"));
  assert.notEqual(server.tmux("has-session", "-t", "=maestro-v2.0:").status, 0, "the address with a colon is exact");

  const { waitProbe, stop } = unguarded(server, { muxName: "maestro-v2.0" });
  assert.equal(runCommand(waitProbe).status, 0, "without the guard another session passes for it");
  assert.equal(runCommand(stop).status, 0);
  assert.deepEqual(server.sessions(), ["keeper"], "and is stopped");
});

test("a client's name would lead to the session that it looks at", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const client = await controlClient(t, server, "keeper");
  assert.match(client, /^client-\d+$/);
  const [id] = server.list("list-sessions", "-F", "#{session_id}");
  const options = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  assert.deepEqual(
    resolveTmuxSessionId(client, (args) => runTmux(args, options)),
    { ok: true, sessionId: id },
    "the plain lookup",
  );
  assert.deepEqual(resolveTmuxSessionExact(client, options), { ok: false, reason: "tmux-session-missing" });
  assert.throws(() => safe(server, { muxName: client }), refusedAs("name-reserved"));

  runCommand(unguarded(server, { muxName: client }).stop);
  assert.deepEqual(server.sessions(), [], "without the guard a stop ends it");
});

test("an argument that ends in a semicolon would split the command", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const stand = standIn(server.folder);
  const launch = { claudeBin: stand.bin, claudeArgs: ["--append-system-prompt", "be brief;", "hi", ";", "a\\;", "fix x;"] };
  assert.equal(runCommand(safe(server, launch).start).status, 0);
  assert.deepEqual((await stand.read()).args, launch.claudeArgs);

  const broken = runCommand(unguarded(server, { ...launch, muxName: "other" }).start);
  assert.notEqual(broken.status, 0);
  assert.match(broken.stderr, /unknown command/);
  const evil = unguarded(server, { muxName: "evil", claudeArgs: ["first part;", "kill-server"] });
  runCommand(evil.start);
  await until("the whole server's end", () => server.sessions().length === 0);
});

test("a # in the folder would lead elsewhere, or run a command", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const stand = standIn(server.folder);
  const witness = join(server.folder, "ran");
  for (const name of ["C#Projects", "#{pane_id}", "a##b", "x #[y", `#(touch ran)`, "end;", "#;"]) {
    const cwd = join(server.folder, name);
    mkdirSync(cwd);
    assert.equal(runCommand(safe(server, { cwd, claudeBin: stand.bin, claudeArgs: [] }).start).status, 0);
    assert.equal((await stand.read()).cwd, cwd);
    stand.forget();
    await until("the session's end", () => !server.sessions().includes("maestro-olivia"));
  }
  const hashed = join(server.folder, "C#Projects");
  assert.equal(runCommand(unguarded(server, { cwd: hashed, claudeBin: stand.bin, claudeArgs: [] }).start).status, 0);
  assert.notEqual((await stand.read()).cwd, hashed, "without the guard the session is somewhere else, with status 0");
  stand.forget();

  // The command is run by a job that the client's end may cut off, so one try proves nothing.
  const executing = { cwd: `/x/#(touch '${witness}')`, claudeBin: "/bin/true", claudeArgs: [] };
  for (let round = 0; round < 200 && !existsSync(witness); round++)
    runCommand(unguarded(server, { ...executing, muxName: `n${round}` }).start);
  assert.ok(existsSync(witness), "without the guard the folder's name is run");
  assert.throws(() => safe(server, executing), refusedAs("cwd-missing"));
});

test("a folder that is not there would be the home folder", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const stand = standIn(server.folder);
  const missing = join(server.folder, "gone");
  for (const [cwd, code] of [
    [missing, "cwd-missing"],
    [undefined, "cwd-missing"],
    ["here", "cwd-not-absolute"],
    [stand.bin, "cwd-not-directory"],
  ]) {
    assert.throws(() => safe(server, { cwd }), refusedAs(code));
  }
  assert.equal(runCommand(unguarded(server, { cwd: missing, claudeBin: stand.bin, claudeArgs: [] }).start).status, 0);
  assert.notEqual((await stand.read()).cwd, missing, `without the guard it starts in ${homedir()} or the like, with status 0`);
});

test("a command over tmux's limit would start nothing; the limit itself is taken", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const stand = standIn(server.folder);
  const build = (prompt) => safe(server, { claudeBin: stand.bin, claudeArgs: [prompt] });
  // What stands before the command, `-S SOCKET -f FILE`, does not count.
  const room = TMUX_MESSAGE_LIMIT - packedSize(build("").start.args.slice(4));
  const longest = "é".repeat(Math.floor(room / 2)) + "x".repeat(room % 2);
  assert.throws(
    () => build(`${longest}x`),
    (error) =>
      refusedAs("message-too-long")(error) &&
      error.size === TMUX_MESSAGE_LIMIT + 1 &&
      error.limit === TMUX_MESSAGE_LIMIT &&
      error.message.includes("16365"),
  );
  assert.equal(runCommand(build(longest).start).status, 0);
  assert.deepEqual((await stand.read()).args, [longest]);

  const over = unguarded(server, { muxName: "over", claudeBin: stand.bin, claudeArgs: ["é".repeat(8200)] });
  const run = runCommand(over.start);
  assert.notEqual(run.status, 0);
  assert.match(run.stderr, /too long|failed to send/, "the message says nothing of a prompt");
  assert.ok(!server.sessions().includes("over"));
});

test("a user's remain-on-exit would keep the wait from ending", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  server.tmux("set-option", "-g", "remain-on-exit", "on");
  const end = join(server.folder, "end");
  const waiting = script(join(server.folder, "waiting"), `#!/bin/sh\nwhile [ ! -e '${end}' ]; do sleep 0.02; done\nexit 3\n`);
  const launch = { claudeBin: waiting, claudeArgs: [] };
  const { start, waitProbe, wipe } = safe(server, launch);
  const plain = unguarded(server, launch).waitProbe;

  assert.equal(runCommand(start).status, 0);
  runCommand(wipe);
  assert.equal(runCommand(waitProbe).status, 0, "it lives, and a wipe leaves it alone");
  assert.equal(server.tmux("split-window", "-d", "-t", "=maestro-olivia:", "sleep", "600").status, 0);
  writeFileSync(end, "");
  await until(
    "the exit code",
    () => existsSync(join(server.folder, "last-exit")) && readFileSync(join(server.folder, "last-exit"), "utf8") !== "",
  );
  await until("the pane's death", () => server.list("list-panes", "-t", "=maestro-olivia:", "-F", "#{pane_dead}").includes("1"));
  assert.equal(runCommand(waitProbe).status, 0, "a pane that a person opened in it lives on, and so does the session");
  const [, other] = server.list("list-panes", "-t", "=maestro-olivia:", "-F", "#{pane_id}");
  server.tmux("kill-pane", "-t", other);

  await until("the wait's end", () => runCommand(waitProbe).status !== 0);
  assert.equal(classifyTmuxRun(runCommand(waitProbe)), "absent");
  assert.equal(runCommand(plain).status, 0, "without the guard it never ends");
  assert.deepEqual(sessionOutcome({ exitText: readFileSync(join(server.folder, "last-exit"), "utf8") }), { kind: "exited", code: 3 });

  assert.match(runCommand(start).stderr, /duplicate session/, "the dead panes are in the way of the next start");
  runCommand(wipe);
  assert.equal(runCommand(start).status, 0, "until they are wiped");
});

test("a wipe leaves every other session alone, and an absent server", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const { wipe } = safe(server);
  runCommand(wipe);
  assert.deepEqual(server.sessions(), ["keeper"]);
  const { wipe: nowhere } = safe({ ...server, socket: join(server.folder, "none") });
  runCommand(nowhere);
  assert.equal(existsSync(join(server.folder, "none")), false);
});

test("the server's own CLAUDECODE would reach every session", needsTmux, async (t) => {
  const server = await tmuxServer(t, { env: { CLAUDECODE: "1" } });
  const stand = standIn(server.folder);
  const launch = { claudeBin: stand.bin, claudeArgs: [] };
  assert.equal(runCommand(unguarded(server, launch).start).status, 0);
  assert.equal((await stand.read()).claudecode, "1", "although the one who starts it has none");
  stand.forget();
  await until("the session's end", () => !server.sessions().includes("maestro-olivia"));
  assert.equal(runCommand(safe(server, { ...launch, scrubEnv: ["CLAUDECODE"] }).start).status, 0);
  assert.equal((await stand.read()).claudecode, "unset");
});

test("a variadic option would swallow the prompt, and a leading dash would make it an option", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const saw = join(server.folder, "saw");
  // The part of claude's command line that matters: an option with any number of values, and `--`.
  const bin = script(
    join(server.folder, "claude"),
    `#!/bin/sh
prompt=none
while [ $# -gt 0 ]; do
  case $1 in
    --allowedTools) shift; while [ $# -gt 0 ]; do case $1 in -*) break;; esac; shift; done;;
    --) prompt=$2; break;;
    -*) prompt="unknown option"; break;;
    *) prompt=$1; shift;;
  esac
done
printf %s "$prompt" > '${saw}.part'; mv '${saw}.part' '${saw}'
`,
  );
  const prompt = async ({ start }) => {
    assert.equal(runCommand(start).status, 0);
    const text = await fileText(saw);
    rmSync(saw);
    await until("the session's end", () => !server.sessions().includes("maestro-olivia"));
    return text;
  };
  for (const [claudeArgs, without] of [
    [["--allowedTools", "Read", "go on"], "none"],
    [["- [ ] do it"], "unknown option"],
    [["---\nname: x"], "unknown option"],
  ]) {
    assert.equal(await prompt(unguarded(server, { claudeBin: bin, claudeArgs })), without);
    assert.equal(await prompt(safe(server, { claudeBin: bin, claudeArgs, prompt: true, terminator: true })), claudeArgs.at(-1));
  }
});

test("status 0 of a start proves nothing; the probe and the outcome tell", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const { start, exists } = safe(server, { claudeBin: "/nope/claude" });
  assert.equal(runCommand(start).status, 0);
  await until("the probe's no", () => classifyTmuxRun(runCommand(exists)) === "absent");
  const exitText = readFileSync(join(server.folder, "last-exit"), "utf8");
  assert.deepEqual(sessionOutcome({ exitText, stopRequested: false }), { kind: "exited", code: 127 });
});

test("how a session ended is never made up", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const exitFile = join(server.folder, "last-exit");
  const recorded = () => (existsSync(exitFile) ? readFileSync(exitFile, "utf8") : null);
  const { start, exists, stop } = safe(server);
  assert.equal(runCommand(start).status, 0);
  assert.equal(runCommand(stop).status, 0);
  await until("the session's end", () => classifyTmuxRun(runCommand(exists)) === "absent");
  assert.equal(recorded(), null, "a session that is stopped records nothing");
  assert.deepEqual(sessionOutcome({ exitText: recorded(), stopRequested: true }), { kind: "stopped" });
  assert.deepEqual(sessionOutcome({ exitText: recorded(), stopRequested: false }), { kind: "unknown" });

  const killed = safe(server, { claudeBin: "/bin/sh", claudeArgs: ["-c", "kill -KILL $$"] });
  assert.equal(runCommand(killed.start).status, 0);
  await until("the exit code", () => recorded());
  assert.deepEqual(sessionOutcome({ exitText: recorded(), stopRequested: false }), { kind: "signalled", signal: 9 });
});

test("a command of the shell's own would pass for the program", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const exitFile = join(server.folder, "last-exit");
  for (const claudeBin of ["exit", "exec", ".", "eval"]) {
    assert.throws(() => safe(server, { claudeBin }), refusedAs("program-builtin"));
  }
  const { start } = unguarded(server, { claudeBin: "exit", claudeArgs: ["0"] });
  assert.equal(runCommand(start).status, 0);
  await until("the session's end", () => !server.sessions().includes("maestro-olivia"));
  assert.equal(existsSync(exitFile), false, "without the guard the very shell that records ends");
});

test("every command goes to the server that was named, and reads no configuration of the user's", needsTmux, async (t) => {
  const folder = scratch(t);
  const config = join(folder, "tmux.conf");
  writeFileSync(config, "set -g @seen yes\n");
  const server = await tmuxServer(t, { keeper: false });
  const other = await tmuxServer(t);
  const commands = safe(server, { config, utf8: true });
  assert.equal(runCommand(commands.start, cleanEnv({ TMUX: `${other.socket},1,0` })).status, 0);
  assert.deepEqual(server.list("show-options", "-gv", "@seen"), ["yes"]);
  assert.deepEqual(other.sessions(), ["keeper"], "whatever TMUX says");
  assert.equal(runCommand(commands.exists, cleanEnv({ TMUX: `${other.socket},1,0` })).status, 0);
  assert.equal(runCommand(commands.stop, cleanEnv({ TMUX: `${other.socket},1,0` })).status, 0);
  assert.deepEqual(other.sessions(), ["keeper"]);
});

test("no server outlives the test that started it", needsTmux, async (t) => {
  let pid;
  await t.test("a server", async (inner) => {
    const server = await tmuxServer(inner);
    pid = Number(server.list("display-message", "-p", "#{pid}")[0]);
    assert.ok(isAlive(pid));
  });
  assert.equal(isAlive(pid), false);
});

test("a variable is the session's own, whatever server it lands on", needsTmux, async (t) => {
  const server = await tmuxServer(t, { env: { SEAT_KEY: "of the server", SEAT_OLD: "of the server" } });
  const told = join(server.folder, "told");
  const tell = `printf '%s|%s|%s' "\${SEAT_KEY-unset}" "\${SEAT_OLD-unset}" "$PATH" > '${told}.part'; mv '${told}.part' '${told}'`;
  const seen = async (facts) => {
    assert.equal(
      runCommand(safe(server, { claudeBin: "/bin/sh", claudeArgs: ["-c", tell], ...facts }).start, cleanEnv({ SEAT_KEY: "of the client" }))
        .status,
      0,
    );
    const text = await fileText(told);
    rmSync(told);
    await until("the session's end", () => !server.sessions().includes("maestro-olivia"));
    return text.split("|");
  };
  assert.deepEqual((await seen({})).slice(0, 2), ["of the server", "of the server"], "without the guard it is whoever started the server");
  const value = "b;#(touch ran)$HOME é";
  assert.deepEqual(await seen({ env: { SEAT_KEY: value, SEAT_OLD: null, PATH: "/usr/bin:/bin:/own" } }), [
    value,
    "unset",
    "/usr/bin:/bin:/own",
  ]);
  assert.equal(existsSync(join(server.folder, "ran")), false);
});

test("a size holds until somebody looks", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const size = (facts) => {
    const { start, stop } = safe(server, facts);
    assert.equal(runCommand(start).status, 0);
    const [text] = server.list("display-message", "-p", "-t", "=maestro-olivia:", "#{window_width}x#{window_height}");
    assert.equal(runCommand(stop).status, 0);
    return text;
  };
  assert.equal(size({}), "80x24");
  assert.equal(size({ size: { columns: 211, rows: 57 } }), "211x57");
});

test(
  "a server whose socket was unlinked is no absent session, and its signal brings the socket back",
  { ...needsTmux, ...(process.platform === "linux" ? {} : { skip: "only Linux lists such sockets" }) },
  async (t) => {
    const server = await tmuxServer(t);
    const { exists } = safe(server, { muxName: "keeper" });
    assert.equal(classifyTmuxRun(runCommand(exists)), "present");
    const pid = Number(server.list("display-message", "-p", "#{pid}")[0]);
    rmSync(server.socket);
    try {
      assert.match(runCommand(exists).stderr, /^error connecting to .*\(No such file or directory\)/);
      assert.equal(classifyTmuxRun(runCommand(exists)), "unknown");
      assert.deepEqual(resolveTmuxSessionExact("keeper", { socket: server.socket, bin: TMUX }), { ok: false, reason: "tmux-unavailable" });
    } finally {
      process.kill(pid, "SIGUSR1");
    }
    await until("the socket being back", () => existsSync(server.socket));
    assert.equal(classifyTmuxRun(runCommand(exists)), "present");
    const { exists: nowhere } = safe({ ...server, socket: join(server.folder, "none") });
    assert.equal(classifyTmuxRun(runCommand(nowhere)), "absent", "where no server ever was");
  },
);

test(
  "a folder that this user may not enter is refused with the system's own word",
  { skip: process.getuid?.() === 0 ? false : "another user's folder takes root to make" },
  async (t) => {
    const folder = scratch(t);
    chmodSync(folder, 0o755);
    const closed = join(folder, "closed");
    mkdirSync(join(closed, "inner"), { recursive: true, mode: 0o700 });
    const ask = `
    const { buildSafeMuxCommands } = require(${JSON.stringify(createRequire(import.meta.url).resolve("seatkit/mux"))});
    for (const cwd of ${JSON.stringify([closed, join(closed, "inner")])}) {
      try {
        buildSafeMuxCommands({ mux: { kind: "tmux", bin: "tmux" }, muxName: "a", cwd, claudeBin: "claude", claudeArgs: [], exitFile: "/tmp/x" });
      } catch ({ name, code, errno }) {
        console.log(name, code, errno);
      }
    }`;
    const run = spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "-e", ask], {
      encoding: "utf8",
    });
    assert.equal(run.stdout, "MuxCommandError cwd-inaccessible EACCES\n".repeat(2), run.stderr);
  },
);
