import launch, {
  MUX_CANDIDATES,
  buildClaudeArgs,
  buildMuxCommands,
  chooseMux,
  detectMux,
  parseExitFile,
  parseScreenList,
} from "seatkit/launch-args";
import type { Command, Mux, MuxCommands } from "seatkit/launch-args";
import * as whole from "seatkit";
import { existsSync } from "node:fs";
import { same } from "./expect.mjs";

// The SDK's own calls.
const found = detectMux({ existsSync });
const mux = chooseMux("auto", found);
same<typeof mux, Mux | null>(true);
// @ts-expect-error there may be no multiplexer
mux.bin;
// @ts-expect-error not a preference
chooseMux("zellij", found);

const claudeArgs = buildClaudeArgs({
  first: "olivia",
  sessionId: "11111111-2222-4333-8444-555555555555",
  mode: "resume",
  extraArgs: ["--model", "opus"],
});
same<typeof claudeArgs, string[]>(true);
// @ts-expect-error a mode is one of two words
buildClaudeArgs({ first: "olivia", sessionId: "x", mode: "restart" });
// @ts-expect-error the session id is missing
buildClaudeArgs({ first: "olivia", mode: "resume" });

const commands = buildMuxCommands({
  mux: { kind: "tmux", bin: "/usr/bin/tmux" },
  muxName: "olivia-main",
  cwd: "/seat",
  claudeBin: "/usr/bin/claude",
  claudeArgs,
  exitFile: "/seat/exit",
});
same<typeof commands, MuxCommands>(true);
if (commands.blocking) {
  same<typeof commands.waitProbe, null>(true);
  same<typeof commands.wipe, Command>(true);
} else {
  same<typeof commands.waitProbe, Command>(true);
  same<typeof commands.wipe, null>(true);
}
// @ts-expect-error only one of the multiplexers has a probe to wait with
commands.waitProbe.file;
// @ts-expect-error a multiplexer has a binary
buildMuxCommands({ mux: { kind: "screen" }, muxName: "m", cwd: "/", claudeBin: "c", claudeArgs, exitFile: "e" });

const code = parseExitFile("137\n");
same<typeof code, number | null>(true);
same<ReturnType<typeof parseScreenList>, boolean>(true);
// @ts-expect-error the candidates are frozen
MUX_CANDIDATES.tmux.push("/opt/tmux");
// @ts-expect-error frozen all through
MUX_CANDIDATES.screen = [];

same<typeof launch.buildClaudeArgs, typeof buildClaudeArgs>(true);
same<typeof whole.buildClaudeArgs, typeof buildClaudeArgs>(true);
// @ts-expect-error no such name
whole.buildCodexArgs;
