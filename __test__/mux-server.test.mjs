// A server is its process and its start: in a container the next one has the same process id.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { TMUX, UNSHARE, cleanEnv, needsNamespace, scratch } from "./mux-sandbox.mjs";

const require = createRequire(import.meta.url);

/** Runs a program in a process namespace of its own, with a new server on the socket, and gives what it printed. */
function inContainer(folder, body) {
  const program = `
    const { readFileSync, writeFileSync } = require("node:fs");
    const { spawnSync } = require("node:child_process");
    const placement = require(${JSON.stringify(require.resolve("seatkit/mux-placement"))});
    const tmux = (...args) => spawnSync(${JSON.stringify(TMUX)}, ["-S", ${JSON.stringify(join(folder, "s"))}, "-f", "/dev/null", ...args], { encoding: "utf8" }).stdout.trim();
    // The server is the first that this namespace starts, so that it gets the same process id each time.
    tmux("new-session", "-d", "-s", "a", "exec sleep 600");
    const options = { bin: ${JSON.stringify(TMUX)} };
    const env = { ...process.env, TMUX: ${JSON.stringify(join(folder, "s"))} + "," + tmux("display-message", "-p", "#{pid}") + ",0", TMUX_PANE: tmux("list-panes", "-a", "-F", "#{pane_id}") };
    const here = placement.inspectPlacement(env, options);
    const windows = () => tmux("list-windows", "-a", "-F", "#{window_id}");
    const refused = (call) => { try { return String(call()); } catch ({ code, message }) { return code + " " + message; } };
    const file = ${JSON.stringify(join(folder, "handle"))};
    ${body}
    tmux("kill-server");
  `;
  const run = spawnSync("unshare", [...UNSHARE, process.execPath, "-e", program], { env: cleanEnv(), encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

test("a handle of a server that is gone does not reach the next one of the same process id", needsNamespace, (t) => {
  const folder = scratch(t);
  const saved = inContainer(
    folder,
    `
    const handle = placement.appendWindow(here.placement, env, options);
    writeFileSync(file, JSON.stringify({ handle, placement: here.placement }));
    console.log(JSON.stringify(handle));
  `,
  );
  assert.match(saved.serverStart, /^\d+\/\d+$/);
  const later = inContainer(
    folder,
    `
    const { handle, placement: origin } = JSON.parse(readFileSync(file, "utf8"));
    // A stranger's window, which has the very ids of the one that is gone.
    const stranger = placement.appendWindow(here.placement, env, options);
    const answers = {
      now: here.placement, stranger,
      close: refused(() => placement.closeWindow(handle, env, options)),
      append: refused(() => placement.appendWindow(origin, env, options)),
      server: refused(() => placement.requireSameServer("x", handle, env, options)),
      context: refused(() => placement.requireSameContext("x", origin, env, options)),
      windows: windows(),
    };
    const { serverStart, ...published } = handle;
    answers.unguarded = refused(() => placement.closeWindow(published, env, options));
    console.log(JSON.stringify(answers));
  `,
  );
  assert.deepEqual(
    [later.now.serverPid, later.stranger.windowId],
    [saved.serverPid, saved.windowId],
    "the process id and the window's id are used again",
  );
  assert.notEqual(later.now.serverStart, saved.serverStart);
  assert.match(later.close, /^server-changed mux-placement: closeWindow refused — server changed/);
  assert.match(later.append, /^context-changed mux-placement: appendWindow refused — context changed/);
  assert.match(later.server, /^server-changed .*another one of the same process id/);
  assert.match(later.context, /^context-changed /);
  assert.ok(later.windows.split("\n").includes(saved.windowId), "nothing was closed");
  assert.equal(later.windows.split("\n").length, 2, "and nothing opened");
  assert.equal(later.unguarded, "closed", "by the process id alone it would have been");
});

test("a pane that a dead server left does not stand on the next one of another process id", needsNamespace, (t) => {
  const folder = scratch(t);
  writeFileSync(
    join(folder, "env"),
    JSON.stringify(inContainer(folder, `console.log(JSON.stringify({ TMUX: env.TMUX, TMUX_PANE: env.TMUX_PANE }));`)),
  );
  const left = JSON.parse(readFileSync(join(folder, "env"), "utf8"));
  const answers = inContainer(
    folder,
    `
    tmux("kill-server");
    // Some process ids further on.
    for (let i = 0; i < 5; i++) spawnSync("true");
    tmux("new-session", "-d", "-s", "b", "exec sleep 600");
    const stale = { ...process.env, ...${JSON.stringify(left)} };
    console.log(JSON.stringify({ left: stale.TMUX_PANE, panes: tmux("list-panes", "-a", "-F", "#{pane_id}"), answer: placement.inspectPlacement(stale, options) }));
  `,
  );
  assert.equal(answers.panes, answers.left, "the new server has a pane of that very id");
  assert.deepEqual(answers.answer, { ok: false, reason: "anchor-mismatch" });
});
