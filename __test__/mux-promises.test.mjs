// What runs tmux, off the main thread.

import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as mux from "seatkit/mux";
import * as muxPromises from "seatkit/mux/promises";
import * as placement from "seatkit/mux-placement";
import * as placementPromises from "seatkit/mux-placement/promises";
import { TMUX, cleanEnv, isAlive, needsTmux, scratch, script, sessionOf, setEnv, tmuxServer } from "./mux-sandbox.mjs";

const options = { bin: TMUX };

test("everything else is as it is", () => {
  for (const [sync, promises, twins] of [
    [mux, muxPromises, ["runTmux", "resolveTmuxSessionExact"]],
    [
      placement,
      placementPromises,
      ["runTmux", "inspectPlacement", "appendWindow", "closeWindow", "requireSameContext", "requireSameServer"],
    ],
  ]) {
    assert.deepEqual(Object.keys(promises).sort(), Object.keys(sync).sort());
    const others = Object.keys(sync).filter((name) => sync[name] !== promises[name] && !["default", "module.exports"].includes(name));
    assert.deepEqual(others.sort(), [...twins].sort());
  }
});

test("the answers are those of the calls that wait", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const a = await sessionOf(server, "a");
  const [keeper] = server.list("list-panes", "-t", "=keeper:", "-F", "#{session_id}");
  const on = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  const list = ["list-sessions", "-F", "#{session_id}"];
  assert.deepEqual(await muxPromises.runTmux(list, on), mux.runTmux(list, on));
  assert.deepEqual(await muxPromises.resolveTmuxSessionExact("keeper", on), { ok: true, sessionId: keeper });
  assert.deepEqual(await placementPromises.runTmux(list, a.env, options), placement.runTmux(list, a.env, options));

  const here = await placementPromises.inspectPlacement(a.env, options);
  assert.deepEqual(here, placement.inspectPlacement(a.env, options));
  const handle = await placementPromises.appendWindow(here.placement, a.env, options);
  assert.equal(await placementPromises.requireSameContext("x", here.placement, a.env, options), undefined);
  assert.equal(await placementPromises.requireSameServer("x", handle, a.env, options), undefined);
  await assert.rejects(placementPromises.requireSameContext("x", { ...handle, sessionId: "$99" }, a.env, options), {
    code: "context-changed",
  });
  await assert.rejects(placementPromises.requireSameServer("x", { ...handle, serverPid: "1" }, a.env, options), { code: "server-changed" });
  assert.equal(await placementPromises.closeWindow(handle, a.env, options), "closed");
  assert.equal(await placementPromises.closeWindow(handle, a.env, options), "already-gone");
});

test("a wrong argument is a rejection, and an error has its code", async (t) => {
  const folder = scratch(t);
  const witness = join(folder, "started");
  const bin = script(join(folder, "bin"), `#!/bin/sh\ntouch '${witness}'\n`);
  await assert.rejects(muxPromises.runTmux("ls", { bin }), TypeError);
  await assert.rejects(muxPromises.runTmux([], process.env), { name: "TypeError", message: /is not an option$/ });
  await assert.rejects(muxPromises.runTmux([], { bin, timeoutMs: 0 }), TypeError);
  await assert.rejects(placementPromises.closeWindow({}), TypeError);
  await assert.rejects(placementPromises.runTmux([], { PATH: "/nope" }), { code: "ENOENT", syscall: "spawn tmux" });
  await assert.rejects(muxPromises.runTmux([], { bin: "/nope" }), { code: "ENOENT", path: "/nope", errno: -2 });
  assert.equal(existsSync(witness), false);
});

test("the environment is process.env at the time of the call", async (t) => {
  setEnv(t, { SEATKIT_TEST: "first" });
  const asked = muxPromises.runTmux(["-c", 'printf %s "$SEATKIT_TEST"'], { bin: "/bin/sh" });
  process.env.SEATKIT_TEST = "second";
  assert.equal((await asked).stdout, "first");
});

test("a server that is stopped holds up neither the others nor the event loop, and no call for ever", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const a = await sessionOf(server, "a");
  const { serverPid } = placement.inspectPlacement(a.env, options).placement;
  process.kill(Number(serverPid), "SIGSTOP");
  try {
    let turns = 0;
    const timer = setInterval(() => turns++, 20);
    // The second says nothing of a limit.
    const [short, long] = await Promise.all([
      muxPromises.runTmux(["list-sessions"], { socket: server.socket, bin: TMUX, timeoutMs: 300 }),
      muxPromises.runTmux(["list-sessions"], { socket: server.socket, bin: TMUX }),
    ]);
    clearInterval(timer);
    assert.deepEqual([short.status, long.status], [null, null]);
    assert.ok(turns > 20, "timers went on");
  } finally {
    process.kill(Number(serverPid), "SIGCONT");
  }
  assert.ok(isAlive(Number(serverPid)), "the server was not touched");
});
