// Running tmux, beside spawnSync, on a server of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveTmuxSessionId } from "seatkit/resolve-tmux-session";
import { resolveTmuxSessionExact, runTmux } from "seatkit/mux";
import { inTurn } from "./measure.mjs";

const SESSION = "seatkit-bench";

async function onServer(measure) {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-bench-"));
  const options = { socket: join(folder, "tmux"), config: "/dev/null" };
  const fixed = ["-S", options.socket, "-f", options.config];
  const spawned = (args) => spawnSync("tmux", [...fixed, ...args], { encoding: "utf8" });
  try {
    assert.equal(runTmux(["new-session", "-d", "-s", SESSION, "sleep 600"], options).status, 0);
    return await measure({ native: (args) => runTmux(args, options), spawned, options });
  } finally {
    runTmux(["kill-server"], options);
    rmSync(folder, { recursive: true, force: true });
  }
}

const run = ({ limits }) => ({
  name: "runTmux beside spawnSync",
  measure: () =>
    onServer(({ native, spawned }) => {
      const args = ["list-windows", "-t", `=${SESSION}`, "-F", "#{session_id}"];
      assert.equal(native(args).stdout, spawned(args).stdout);
      return inTurn({ native: () => native(args), javascript: () => spawned(args) }, limits);
    }),
});

const lookup = ({ javascript, limits }) => ({
  name: "resolveTmuxSessionId, tmux run by each",
  measure: () =>
    onServer(({ native, spawned }) => {
      const ways = {
        native: () => resolveTmuxSessionId(SESSION, native),
        javascript: () => javascript.launch.resolveTmuxSessionId(SESSION, spawned),
      };
      assert.deepEqual(ways.native(), ways.javascript());
      return inTurn(ways, limits);
    }),
});

const exact = ({ limits }) => ({
  name: "resolveTmuxSessionExact",
  measure: () =>
    onServer(({ options }) => {
      const ways = { native: () => resolveTmuxSessionExact(SESSION, options) };
      assert.ok(ways.native().ok);
      return inTurn(ways, limits);
    }),
});

/** The rows of this part; none where there is no tmux. */
export function tmux(context) {
  if (spawnSync("tmux", ["-V"]).error) {
    context.say("skipped: runTmux, for there is no tmux");
    return [];
  }
  return [run(context), lookup(context), exact(context)];
}
