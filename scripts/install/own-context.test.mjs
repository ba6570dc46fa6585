// Laid twice into the folder that seatkit was installed in, for a test runner that runs both files in one worker, each
// in a context of its own. The addon is loaded once and shared; what JavaScript gives must be this file's own.

import { MuxCommandError, buildSafeMuxCommands, runTmux } from "seatkit/mux";
import { LaunchPreconditionError, assertLaunchTarget } from "seatkit/mux-placement";

const { test, expect } = globalThis;

test("a program gets this file's process.env", () => {
  const mine = expect.getState().testPath;
  process.env.SEATKIT_CONTEXT = mine;
  const run = runTmux(["-c", 'printf %s "$SEATKIT_CONTEXT"'], { bin: "/bin/sh" });
  expect(run).toEqual({ status: 0, stdout: mine, stderr: "" });
});

const unnamed = { mux: { kind: "tmux", bin: "/bin/tmux" }, muxName: "a.b", cwd: "/", claudeBin: "/bin/c", claudeArgs: [], exitFile: "/e" };

test("a refusal is of this file's class, which is made of this file's Error", () => {
  for (const [call, own] of [
    [() => buildSafeMuxCommands(unnamed), MuxCommandError],
    [() => assertLaunchTarget("sh"), LaunchPreconditionError],
  ]) {
    expect(call).toThrow(own);
    expect(own.prototype).toBeInstanceOf(Error);
  }
});
