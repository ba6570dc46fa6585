// Sessions of a test's own: on a private server of tmux or in a private folder of screen's, all ended with the test.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCREEN, TMUX, needsScreen, needsTmux, screenFolder, tmuxServer, until } from "./mux-sandbox.mjs";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { startSession } from "seatkit/session";

/** The module, for what runs elsewhere. */
export const MODULE = pathToFileURL(createRequire(import.meta.url).resolve("seatkit/session")).href;

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
export async function inProcess(code, { status = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-"));
  try {
    // Not every runtime takes a module in its arguments.
    const file = join(folder, "code.mjs");
    writeFileSync(file, `import { adoptSession, listRuns, startSession, stopRun } from "${MODULE}";\n${code}`);
    const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (data) => (said += data));
    assert.deepEqual(await once(child, "close"), [status, null], said);
    return said;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
