// Sessions of a test's own: on a private server of tmux or in a private folder of screen's, all ended with the test.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SCREEN, TMUX, needsScreen, needsTmux, screenFolder, tmuxServer, until } from "./mux-sandbox.mjs";
import test from "node:test";
import { startSession } from "seatkit/session";

/** The module, for what runs elsewhere. */
export const MODULE = import.meta.resolve("seatkit/session");

/** What shows sessions: its name, and the options of a test that needs it. */
export const KINDS = [
  ["tmux", needsTmux],
  ["screen", needsScreen],
];

/** A place in which sessions of a kind are started. */
export async function seat(t, kind = "tmux") {
  const sessions = [];
  // First of all that is done after the test: with the folder goes the only way to them.
  t.after(() => Promise.all(sessions.map((session) => session.stop({ graceMs: 0 }).catch(() => {}))));
  const server = kind === "tmux" ? await tmuxServer(t, { keeper: false }) : screenFolder(t);
  const { folder } = server;
  const launch = (script, options = {}) => ({
    muxName: "olivia",
    cwd: folder,
    claudeBin: "/bin/sh",
    claudeArgs: ["-c", script],
    mux: { kind, bin: kind === "tmux" ? TMUX : SCREEN },
    socket: kind === "tmux" ? server.socket : server.home,
    config: "/dev/null",
    recordFile: join(folder, "session.json"),
    ...options,
  });
  return {
    ...server,
    launch,
    at: (name) => join(folder, name),
    /** Starts a shell that runs `script`. */
    async start(script, options) {
      const started = await startSession(launch(script, options));
      assert.ok(started.ok, started.message);
      sessions.push(started.session);
      return started.session;
    },
    /** Waits for a file that a session's program writes. */
    said: (name) => until(name, () => existsSync(join(folder, name)) && readFileSync(join(folder, name), "utf8")),
  };
}

/** Runs a test under tmux and under screen. */
export function both(name, ...rest) {
  const body = rest.pop();
  for (const [kind, needed] of KINDS) test(`${name} (${kind})`, { ...rest[0], ...needed }, async (t) => body(await seat(t, kind), t));
}

/** What a process of its own says that runs `code` with the module's functions at hand, once it has ended by itself. */
export async function inProcess(code, { status = 0, runtime = process.execPath } = {}) {
  const child = spawn(
    runtime,
    ["--input-type=module", "-e", `import { adoptSession, listRuns, startSession, stopRun } from "${MODULE}";\n${code}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  assert.deepEqual(await once(child, "close"), [status, null], said);
  return said;
}
