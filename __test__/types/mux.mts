import { MuxCommandError, TMUX_MESSAGE_LIMIT, buildSafeMuxCommands, classifyTmuxRun, parseScreenSessions, resolveTmuxSessionExact, runTmux, screenStopArgs, sessionOutcome } from "seatkit/mux";
import type { SafeCommand, ScreenSession, TmuxAnswer, TmuxRun } from "seatkit/mux";
import { resolveTmuxSessionId } from "seatkit/resolve-tmux-session";
import { same } from "./expect.mjs";

const launch = { mux: { kind: "tmux", bin: "/usr/bin/tmux" }, muxName: "olivia-main", cwd: "/seat", claudeBin: "/usr/bin/claude", claudeArgs: ["hello"], exitFile: "/seat/exit" } as const;
const commands = buildSafeMuxCommands({ ...launch, socket: "seat", scrubEnv: ["CLAUDECODE"] });
same<typeof commands.start, SafeCommand>(true);
if (commands.blocking) same<typeof commands.stop, null>(true);
else same<typeof commands.stop, SafeCommand>(true);
// @ts-expect-error screen has no exact stop
commands.stop.args;
// @ts-expect-error a socket is named by a string
buildSafeMuxCommands({ ...launch, socket: 3 });

try {
  buildSafeMuxCommands({ ...launch, cwd: "relative" });
} catch (error) {
  if (error instanceof MuxCommandError) {
    const known: boolean = error.code === "cwd-not-absolute";
    // @ts-expect-error not one of the codes
    const unknown: boolean = error.code === "cwd-relative";
    void [known, unknown];
  }
}

const run = runTmux(["list-sessions"], { socket: "seat", timeoutMs: 1000 });
same<typeof run, TmuxRun>(true);
same<ReturnType<typeof classifyTmuxRun>, TmuxAnswer>(true);
resolveTmuxSessionId("main", runTmux);
// @ts-expect-error arguments are a list
runTmux("list-sessions");

const exact = resolveTmuxSessionExact("main");
if (!exact.ok) {
  const down: boolean = exact.reason === "tmux-unavailable";
  // @ts-expect-error not a reason
  const off: boolean = exact.reason === "tmux-down";
  void [down, off];
}

same<ReturnType<typeof parseScreenSessions>, ScreenSession[]>(true);
const stop = screenStopArgs("", "main");
// @ts-expect-error there may be nothing to stop
stop.length;

const outcome = sessionOutcome({ exitText: "0\n" });
if (outcome.kind === "exited") same<typeof outcome.code, number>(true);
// @ts-expect-error only a session that exited has a code
outcome.code;
// @ts-expect-error an outcome has no other kind
outcome.kind === "crashed";
const limit: number = TMUX_MESSAGE_LIMIT;
export { limit };
