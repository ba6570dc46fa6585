// Private tmux servers and screen folders for the tests: never the user's, and nothing is ended
// that a test did not start.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

export const TMUX = process.env.SEATKIT_TEST_TMUX ?? onPath("tmux");
export const SCREEN = process.env.SEATKIT_TEST_SCREEN ?? onPath("screen");

/** Options of a test that needs a program: skipped, and said so, where it is missing; not in CI. */
export function needs(name, path) {
  if (path) return {};
  assert.notEqual(process.env.CI, "true", `${name} is missing, and CI has to have it`);
  return { skip: `${name} is not installed` };
}
export const needsTmux = needs("tmux", TMUX);
export const needsScreen = needs("screen", SCREEN);

/** How a process namespace of one's own is entered here; undefined where that is not allowed. */
export const UNSHARE = [
  ["-p", "-f", "--mount-proc"],
  ["-r", "-p", "-f", "--mount-proc"],
].find((flags) => process.platform === "linux" && spawnSync("unshare", [...flags, "true"]).status === 0);
export const needsNamespace = UNSHARE ? needsTmux : { skip: "no process namespace can be made here" };

/** Whether the tmux under test is at least `major.minor`. */
export function tmuxIsAtLeast(major, minor) {
  const [, a, b] = /(\d+)\.(\d+)/.exec(spawnSync(TMUX, ["-V"], { encoding: "utf8" }).stdout) ?? [0, 99, 0];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
}

/** The environment without what would lead to a multiplexer of the user's. */
export function cleanEnv(extra = {}) {
  const { TMUX: _t, TMUX_PANE: _p, TMUX_TMPDIR: _d, STY: _s, WINDOW: _w, SCREENDIR: _c, CLAUDECODE: _e, ...env } = process.env;
  return { ...env, ...extra };
}

/** Sets variables of `process.env` for the rest of a test. */
export function setEnv(t, variables) {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
    process.env[name] = value;
  }
}

/** A `PATH` on which the tmux under test comes first. */
export const pathToTmux = () => `${dirname(TMUX)}${delimiter}${process.env.PATH}`;

/**
 * A folder with a short path: a socket's is limited to about 100 bytes. `end` runs before it is
 * removed, because who was started in it can only be ended through the sockets in it.
 */
export function scratch(t, end = async () => {}) {
  const folder = realpathSync(mkdtempSync(join(process.platform === "darwin" ? "/tmp" : tmpdir(), "seatkit-")));
  t.after(async () => {
    try {
      await end();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return folder;
}

/** An executable file. */
export function script(path, text) {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** Waits until `probe` gives something true, and fails after a long while. */
export async function until(what, probe) {
  for (let tries = 0; tries < 2000; tries++) {
    const answer = probe();
    if (answer) return answer;
    await sleep(10);
  }
  return assert.fail(`${what} did not happen`);
}

/** The text of a file once it is there; whoever writes it has to rename it into place. */
export const fileText = (path) =>
  until(`${path} being written`, () => existsSync(path) && { text: readFileSync(path, "utf8") }).then(({ text }) => text);

/** Runs a built command as a supervisor does. */
export function runCommand({ file, args, cwd, env }, base = cleanEnv()) {
  return spawnSync(file, args, { cwd, env: { ...base, ...env }, encoding: "utf8" });
}

/** A server of the test's own, with one session called `keeper`. */
export async function tmuxServer(t, { config = "/dev/null", env = {}, keeper = true } = {}) {
  const folder = scratch(t, async () => {
    const pid = Number(tmux("display-message", "-p", "#{pid}").stdout);
    tmux("kill-server");
    if (pid > 0) await until("the server's end", () => !isAlive(pid));
  });
  const socket = join(folder, "s");
  const tmux = (...args) => spawnSync(TMUX, ["-S", socket, "-f", config, ...args], { env: cleanEnv(env), encoding: "utf8" });
  const list = (...args) => {
    const run = tmux(...args);
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.split("\n").filter((line) => line !== "");
  };
  // Asked once: with its last session the server ends too.
  const sessions = () => {
    const { status, stdout } = tmux("list-sessions", "-F", "#{session_name}");
    return status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
  };
  if (keeper) assert.equal(tmux("new-session", "-d", "-s", "keeper", "/bin/sleep", "600").status, 0);
  return { folder, socket, tmux, list, sessions, mux: { kind: "tmux", bin: TMUX } };
}

/** Opens a session whose pane tells the environment that it inherited: what a caller in it has. */
export async function sessionOf(server, name) {
  const told = join(server.folder, `env-${name}-${process.hrtime.bigint()}`);
  const tell = `printf '%s\\n%s\\n' "$TMUX" "$TMUX_PANE" > '${told}.part'; mv '${told}.part' '${told}'; exec sleep 600`;
  assert.equal(server.tmux("new-session", "-d", "-s", name, "/bin/sh", "-c", tell).status, 0);
  const [TMUX_VALUE, TMUX_PANE] = (await fileText(told)).split("\n");
  const [sessionId] = server.list("list-panes", "-t", `=${name}:`, "-F", "#{session_id}");
  return { env: cleanEnv({ TMUX: TMUX_VALUE, TMUX_PANE }), sessionId, name };
}

/** A client without a terminal that looks at a session until the test is over; gives its name. */
export async function controlClient(t, server, session) {
  const client = spawn(TMUX, ["-S", server.socket, "-C", "attach-session", "-t", `=${session}:`], {
    env: cleanEnv(),
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => client.once("exit", resolve));
  t.after(async () => {
    client.stdin.end();
    client.kill();
    await ended;
  });
  return until("the client attaching", () => server.list("list-clients", "-F", "#{client_name}")[0]);
}

/** A folder of screen's own. */
export function screenFolder(t) {
  const folder = scratch(t, async () => {
    for (const [, address] of list().matchAll(/^\t(\d+\..*?)\t\(/gm)) screen("-S", address, "-X", "quit");
    await until("the sessions' end", () => !/\((?:Detached|Attached)\)/.test(list()));
  });
  const home = join(folder, "screens");
  mkdirSync(home, { mode: 0o700 });
  const env = cleanEnv({ SCREENDIR: home, SCREENRC: "/dev/null" });
  const screen = (...args) => spawnSync(SCREEN, args, { env, encoding: "utf8" });
  const list = () => screen("-ls").stdout;
  return { folder, home, env, screen, list, mux: { kind: "screen", bin: SCREEN } };
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}

/**
 * A stand-in for `claude` that tells what arrived: its arguments, its folder and its CLAUDECODE.
 * `read` waits for it, and `forget` makes room for the next run.
 */
export function standIn(folder, { after = "exit 0" } = {}) {
  const dump = join(folder, "arrived");
  const bin = script(
    join(folder, "claude"),
    `#!/bin/sh
{ pwd -P; printf '\\0%s\\0' "\${CLAUDECODE-unset}"; for arg do printf '%s\\0' "$arg"; done; } > '${dump}.part'
mv '${dump}.part' '${dump}'
${after}
`,
  );
  return {
    bin,
    async read() {
      const [cwd, claudecode, ...rest] = (await fileText(dump)).split("\0");
      assert.equal(rest.pop(), "");
      return { cwd: cwd.replace(/\n$/, ""), claudecode, args: rest };
    },
    arrived: () => existsSync(dump),
    forget: () => rmSync(dump, { force: true }),
  };
}

/** A generator of numbers in [0, 1) that gives the same ones for the same seed. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
