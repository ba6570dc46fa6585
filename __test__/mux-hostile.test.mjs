// A seeded generator of hostile arguments, folders and names, driven through real panes: what
// arrives is compared byte for byte. SEATKIT_SEED and SEATKIT_ROUNDS look further than the default.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  MuxCommandError,
  TMUX_MESSAGE_LIMIT,
  buildSafeMuxCommands,
  packedSize,
  parseScreenSessions,
  runTmux,
  screenStopArgs,
} from "seatkit/mux";
import { buildFreshWindowArgs, classifyTmuxCwd, parseWindowFields } from "seatkit/mux-placement";
import {
  TMUX,
  cleanEnv,
  needsScreen,
  needsTmux,
  runCommand,
  screenFolder,
  script,
  seeded,
  standIn,
  tmuxIsAtLeast,
  tmuxServer,
  until,
} from "./mux-sandbox.mjs";

const SEED = Number(process.env.SEATKIT_SEED ?? 20261130);
const ROUNDS = Number(process.env.SEATKIT_ROUNDS ?? 60);

const PIECES = [
  ..." \t\n\r;;;;###[](){}$`'\"\\|&%~=-_*?!,.:@^<>/0aZéß日😀\u0001\u007f\u0085\u2028\ufeff",
  "#{pane_id}",
  "#(touch ran)",
  "##[",
  "#[fg=red]",
  "$(touch ran)",
  "`touch ran`",
  "$HOME",
  "${HOME}",
  "--",
  "-d",
  "-t",
  "\\;",
  " ; ",
  ";kill-server",
  "%if",
  "{",
  "}",
  "%1",
  "$0",
  "@0",
  "\\\\",
  "''",
  "~root",
  "\\n",
  "%Y",
  "x".repeat(50),
];

function generator(seed) {
  const random = seeded(seed);
  const below = (limit) => Math.floor(random() * limit);
  const pick = (list) => list[below(list.length)];
  const text = (most) => Array.from({ length: below(most + 1) }, () => pick(PIECES)).join("");
  return {
    args: () => Array.from({ length: 1 + below(6) }, () => (below(4) === 0 ? text(3) + ";" : text(8))),
    folder: () => {
      // A component of a path: no slash, not one of the two dots, and short enough.
      const name = text(6).replaceAll("/", "") + (below(4) === 0 ? ";" : "");
      return name === "" || name === "." || name === ".." || Buffer.byteLength(name) > 200 ? "C#;" : name;
    },
    name: () => (below(3) === 0 ? Array.from({ length: 1 + below(20) }, () => pick("abcXYZ019_-")).join("") : text(4)),
  };
}

/** Fails with what has to be repeated. */
const labelled = (round, facts) => `SEATKIT_SEED=${SEED}, round ${round}: ${JSON.stringify(facts)}`;

/** tmux up to 3.1 halves a run of # before [ too, so that one of two and more cannot be kept. */
const keepsFolder = (name) => tmuxIsAtLeast(3, 2) || !/##+\[/.test(name);

test("arguments, folders and variables arrive through tmux as they are", needsTmux, async (t) => {
  const server = await tmuxServer(t, { env: { CLAUDECODE: "1" } });
  const stand = standIn(server.folder);
  const exitFile = join(server.folder, "exit;#(touch ran) 'é");
  const generate = generator(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const claudeArgs = generate.args();
    const name = generate.folder();
    if (!keepsFolder(name)) continue;
    const cwd = join(server.folder, `d${round}`, name);
    mkdirSync(cwd, { recursive: true });
    const facts = labelled(round, { claudeArgs, name });
    const { start } = buildSafeMuxCommands({
      mux: server.mux,
      muxName: `n${round}`,
      cwd,
      claudeBin: stand.bin,
      claudeArgs,
      exitFile,
      socket: server.socket,
      config: "/dev/null",
      utf8: round % 2 === 0,
      scrubEnv: ["CLAUDECODE"],
      prompt: true,
    });
    const run = runCommand(start);
    assert.equal(run.status, 0, `${facts} ${run.stderr}`);
    const last = claudeArgs.at(-1);
    const expected = claudeArgs.at(-2) === "--" ? claudeArgs : [...claudeArgs.slice(0, -1), "--", last];
    assert.deepEqual(await stand.read(), { cwd, claudecode: "unset", args: expected }, facts);
    stand.forget();
    await until("the session's end", () => !server.sessions().includes(`n${round}`));
    assert.equal(readFileSync(exitFile, "utf8"), "0\n", facts);
    assert.equal(existsSync(join(cwd, "ran")), false, facts);
  }
  assert.deepEqual(server.sessions(), ["keeper"], "no argument became a command");
});

test("a fresh window gets its arguments and its folder as they are", needsTmux, async (t) => {
  const server = await tmuxServer(t, { env: { CLAUDECODE: "1" } });
  const stand = standIn(server.folder);
  const [session] = server.list("list-sessions", "-F", "#{session_id}");
  const [windowBefore] = server.list("display-message", "-p", "-t", "=keeper:", "#{window_id}");
  const options = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  const generate = generator(SEED + 1);
  for (let round = 0; round < ROUNDS; round++) {
    const args = generate.args();
    const name = generate.folder();
    const cwd = join(server.folder, `d${round}`, name);
    mkdirSync(cwd, { recursive: true });
    const facts = labelled(round, { args, name });
    if (name.includes("#")) {
      assert.equal(classifyTmuxCwd(cwd), "cwd-format-token", facts);
      assert.throws(() => buildFreshWindowArgs(session, stand.bin, args, { cwd }), { code: "cwd-format-token" }, facts);
      continue;
    }
    const run = runTmux(buildFreshWindowArgs(session, stand.bin, args, { cwd, scrubEnv: ["CLAUDECODE"] }), options);
    assert.equal(run.status, 0, `${facts} ${run.stderr}`);
    const { windowId } = parseWindowFields(run.stdout);
    assert.deepEqual(await stand.read(), { cwd, claudecode: "unset", args }, facts);
    stand.forget();
    await until("the window's end", () => !server.list("list-windows", "-a", "-F", "#{window_id}").includes(windowId));
  }
  assert.deepEqual(server.list("display-message", "-p", "-t", "=keeper:", "#{window_id}"), [windowBefore], "nobody's focus moved");
});

test("a name is refused, or is the name that tmux stores and finds again", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const generate = generator(SEED + 2);
  const taken = new Set(["keeper"]);
  for (let round = 0; round < ROUNDS; round++) {
    const muxName = generate.name();
    const facts = labelled(round, { muxName });
    const launch = {
      mux: server.mux,
      muxName,
      cwd: server.folder,
      claudeBin: "/bin/sleep",
      claudeArgs: ["600"],
      exitFile: join(server.folder, "x"),
      socket: server.socket,
      config: "/dev/null",
      terminator: false,
    };
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(muxName) || /^(client-\d+|tty[A-Za-z]*\d+)$/.test(muxName)) {
      assert.throws(
        () => buildSafeMuxCommands(launch),
        (error) => error instanceof MuxCommandError && error.code.startsWith("name-"),
        facts,
      );
      continue;
    }
    const { start, exists, stop } = buildSafeMuxCommands(launch);
    if (taken.has(muxName)) continue;
    taken.add(muxName);
    assert.equal(runCommand(start).status, 0, facts);
    assert.ok(server.sessions().includes(muxName), facts);
    assert.equal(runCommand(exists).status, 0, facts);
    if (round % 2 === 0) continue;
    assert.equal(runCommand(stop).status, 0, facts);
    taken.delete(muxName);
    assert.deepEqual(new Set(server.sessions()), taken, `${facts}: only it was stopped`);
  }
  assert.ok(taken.size > 3, "some names were in the grammar");
});

test("what is refused for its size would have been refused by tmux, and the rest is taken", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const random = seeded(SEED + 3);
  const options = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  for (let round = 0; round < 40; round++) {
    // Around the limit from both sides, in characters of one to four bytes.
    const words = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      ["x", "é", "日", "😀"][Math.floor(random() * 4)].repeat(1 + Math.floor(random() * 900)),
    );
    const head = ["display-message", "-p", "-t", "=keeper:"];
    const room = TMUX_MESSAGE_LIMIT - packedSize([...head, ...words.slice(1), ""]);
    const args = [...head, ...words.slice(1), "y".repeat(room + round - 20)];
    const { status, stderr } = runTmux(args, options);
    // tmux itself objects to more than one text, but only after it took the message.
    const taken = status === 0 || /usage|too many/.test(stderr);
    assert.equal(taken, packedSize(args) <= TMUX_MESSAGE_LIMIT, `${packedSize(args)}: ${stderr}`);
  }
});

test("arguments, folders and variables arrive through screen as they are", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const stand = standIn(screens.folder);
  const generate = generator(SEED + 4);
  for (let round = 0; round < ROUNDS / 2; round++) {
    const claudeArgs = generate.args();
    const name = generate.folder();
    const cwd = join(screens.folder, `d${round}`, name);
    mkdirSync(cwd, { recursive: true });
    const facts = labelled(round, { claudeArgs, name });
    const { start } = buildSafeMuxCommands({
      mux: screens.mux,
      muxName: `n${round}`,
      cwd,
      claudeBin: stand.bin,
      claudeArgs,
      exitFile: join(screens.folder, "exit; 'é"),
      socket: screens.home,
      config: "/dev/null",
      utf8: round % 2 === 0,
      scrubEnv: ["CLAUDECODE"],
      terminator: false,
    });
    const child = spawn(start.file, start.args, {
      cwd: start.cwd,
      env: { ...cleanEnv({ CLAUDECODE: "1" }), ...start.env },
      stdio: "ignore",
    });
    await once(child, "exit");
    assert.deepEqual(await stand.read(), { cwd, claudecode: "unset", args: claudeArgs }, facts);
    stand.forget();
  }
});

test("whatever a session of screen is called, its row is read and it is stopped by its name", needsScreen, async (t) => {
  const screens = screenFolder(t);
  const idle = script(join(screens.folder, "idle"), "#!/bin/sh\nexec sleep 600\n");
  const generate = generator(SEED + 5);
  // Any name that screen itself takes: its own choice of names is far wider than ours.
  const names = new Set(["x (Dead ???)", "x\t(Detached)", "a b", "1.2", "-S", "Ünïcode", "x;", "#(id)"]);
  while (names.size < 20) {
    const name = generate.name();
    if (name !== "" && !/[/\n\r]/.test(name) && Buffer.byteLength(name) < 40) names.add(name);
  }
  const started = new Map();
  for (const name of names) {
    const child = spawn(screens.mux.bin, ["-D", "-m", "-S", name, idle], { env: screens.env, stdio: "ignore" });
    const ended = once(child, "exit").then(([status]) => status);
    const appeared = await Promise.race([
      ended.then(() => false),
      until("the row", () => parseScreenSessions(screens.list()).some((session) => session.name === name)).then(() => true),
    ]);
    if (appeared) started.set(name, ended);
  }
  assert.ok(started.size > 12, `screen took ${started.size} of the names`);
  for (const [name, ended] of started) {
    const rows = parseScreenSessions(screens.list());
    assert.deepEqual(rows.map((row) => row.name).sort(), [...started.keys()].sort());
    const stop = screenStopArgs(screens.list(), name);
    assert.notEqual(stop, null, JSON.stringify(name));
    assert.equal(screens.screen(...stop).status, 0, JSON.stringify(name));
    await ended;
    assert.ok(!parseScreenSessions(screens.list()).some((session) => session.name === name), JSON.stringify(name));
    started.delete(name);
  }
  assert.deepEqual(parseScreenSessions(screens.list()), []);
});
