import {
  LaunchPreconditionError,
  appendWindow,
  buildFreshWindowArgs,
  classifyTmuxCwd,
  closeWindow,
  inspectPlacement,
  readAnchor,
  resolveRuntimeOnPath,
} from "seatkit/mux-placement";
import type { LaunchRejectReason, Placement, PlacementRejectReason, TmuxCwdRejectReason, WindowHandle } from "seatkit/mux-placement";
import {
  MuxCommandError,
  buildSafeMuxCommands,
  classifyScreenRun,
  classifyTmuxRun,
  muxCandidates,
  parseScreenSessions,
  resolveTmuxSessionExact,
  runTmux,
  screenStopArgs,
  sessionOutcome,
} from "seatkit/mux";
import type { MuxAnswer, SafeCommand, SafeMuxCommands, ScreenSession, SessionOutcome, TmuxAnswer, TmuxRun } from "seatkit/mux";
import { resolveTmuxSessionId, runTmux as fromLookup } from "seatkit/resolve-tmux-session";
import { spawn, spawnSync } from "node:child_process";
import { same } from "./expect.mjs";

const run = runTmux(["list-sessions"], { socket: "seat", timeoutMs: 5000, env: process.env });
same<typeof run, TmuxRun>(true);
same<typeof fromLookup, typeof runTmux>(true);
resolveTmuxSessionId("main", runTmux);
// @ts-expect-error the arguments are a list
runTmux("list-sessions");
// @ts-expect-error a limit is a number of ms
runTmux([], { timeoutMs: "5s" });
// @ts-expect-error there is no such option
runTmux([], { timeout: 100 });
// @ts-expect-error an environment is no options object
runTmux([], process.env);
// @ts-expect-error here neither
inspectPlacement(process.env, process.env);
// @ts-expect-error nor here
buildFreshWindowArgs("$0", "/bin/sh", [], process.env);

same<ReturnType<typeof classifyTmuxRun>, TmuxAnswer>(true);
classifyTmuxRun(spawnSync("tmux", ["ls"], { encoding: "utf8" }));
same<ReturnType<typeof classifyScreenRun>, MuxAnswer>(true);
classifyScreenRun(spawnSync("screen", ["-ls"], { encoding: "utf8" }));
// @ts-expect-error without an encoding the outputs are no text
classifyTmuxRun(spawnSync("tmux", ["ls"]));
// @ts-expect-error a promise is no run
classifyTmuxRun(Promise.resolve(run));

const exact = resolveTmuxSessionExact("main", { socket: "seat" });
if (exact.ok) {
  same<typeof exact.sessionId, string>(true);
} else {
  same<typeof exact.reason, "tmux-session-name-invalid" | "tmux-session-missing" | "tmux-unavailable">(true);
  // @ts-expect-error a missing session has no id
  exact.sessionId;
}

const commands = buildSafeMuxCommands({
  mux: { kind: "tmux", bin: "/usr/bin/tmux" },
  muxName: "m",
  cwd: "/",
  claudeBin: "claude",
  claudeArgs: ["hi"],
  exitFile: "/e",
  scrubEnv: ["CLAUDECODE"],
  env: { KEY: "value", CLAUDECODE: null, KEPT: process.env.KEPT },
  size: { columns: 200, rows: 50 },
  prompt: true,
});
same<typeof commands, SafeMuxCommands>(true);
spawn(commands.start.file, commands.start.args, {
  ...(commands.start.cwd && { cwd: commands.start.cwd }),
  env: { ...process.env, ...commands.start.env },
});
if (commands.blocking) {
  same<typeof commands.stop, null>(true);
  same<typeof commands.waitProbe, null>(true);
} else {
  same<typeof commands.stop, SafeCommand>(true);
  same<typeof commands.waitProbe, SafeCommand>(true);
}
// @ts-expect-error screen has no exact stop
commands.stop.args;
buildSafeMuxCommands({
  mux: { kind: "tmux", bin: "t" },
  muxName: "m",
  cwd: "/",
  claudeBin: "c",
  claudeArgs: [],
  exitFile: "/e",
  // @ts-expect-error variables are a list of names
  scrubEnv: "CLAUDECODE",
});
try {
  throw new Error();
} catch (error) {
  if (error instanceof MuxCommandError && error.code === "message-too-long") same<typeof error.size, number | undefined>(true);
  // @ts-expect-error not a code
  if (error instanceof MuxCommandError && error.code === "too-long") throw error;
  if (error instanceof LaunchPreconditionError) same<typeof error.reason, LaunchRejectReason>(true);
}

same<ReturnType<typeof parseScreenSessions>, ScreenSession[]>(true);
same<ReturnType<typeof screenStopArgs>, string[] | null>(true);
const outcome = sessionOutcome({ exitText: null, stopRequested: true });
same<typeof outcome, SessionOutcome>(true);
switch (outcome.kind) {
  case "exited":
    same<typeof outcome.code, number>(true);
    break;
  case "signalled":
    same<typeof outcome.signal, number>(true);
    break;
  default:
    same<typeof outcome, { kind: "stopped" } | { kind: "unknown" }>(true);
}
// @ts-expect-error not every outcome has a code
outcome.code;
same<ReturnType<typeof muxCandidates>["tmux"], string[]>(true);

const inspected = inspectPlacement();
if (inspected.ok) {
  same<typeof inspected.placement, Placement>(true);
  const handle = appendWindow(inspected.placement, process.env, { timeoutMs: 5000 });
  same<typeof handle, WindowHandle>(true);
  same<ReturnType<typeof closeWindow>, "closed" | "already-gone">(true);
  closeWindow(handle);
  // @ts-expect-error where the caller stands is not told by its session alone
  appendWindow({ serverPid: "1", sessionId: "$0" });
} else {
  same<typeof inspected.reason, PlacementRejectReason>(true);
}
const anchor = readAnchor(process.env);
if (!anchor.ok) same<typeof anchor.reason, "no-tmux-context" | "anchor-malformed">(true);
same<ReturnType<typeof classifyTmuxCwd>, TmuxCwdRejectReason | null>(true);
same<ReturnType<typeof buildFreshWindowArgs>, string[]>(true);
buildFreshWindowArgs("$0", resolveRuntimeOnPath("claude"), ["--", "hi"], { cwd: "/", scrubEnv: ["CLAUDECODE"] });
// @ts-expect-error the folder is one of the options
buildFreshWindowArgs("$0", "/bin/sh", [], "/");
