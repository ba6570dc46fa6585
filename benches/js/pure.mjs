// The calls that touch nothing outside: what a crossing into native code costs beside plain JavaScript.

import assert from "node:assert/strict";
import seatkit from "seatkit";
import { inTurnOften } from "./measure.mjs";
import { NOW } from "./seat.mjs";

const UUID = "11111111-2222-4333-8444-555555555555";
const BODY = `id: "cohort-abc123"\nfrom: "olivia"\ncontent: |\n  Hi, can you send me the deck?\n`;
const MARKED = `${BODY}claimed_by: "session"\nclaimed_at: "2026-09-08T10:00:00.000Z"\n`;
const SCREENS = "There are screens on:\n\t848.olivia\t(Detached)\n\t49213.maestro-olivia\t(Attached)\n2 Sockets in /run/screen/S-olivia.\n";
const PLACEMENT = { serverPid: "8150", sessionId: "$11", windowId: "@14", windowIndex: "2", paneId: "%14", panePid: "74235" };
const RUN = { status: 0, stdout: "$3\n$3\n", stderr: "" };
const LAUNCH = {
  mux: { kind: "tmux", bin: "/usr/bin/tmux" },
  muxName: "maestro-olivia",
  cwd: "/tmp",
  claudeBin: "claude",
  claudeArgs: ["--name", "olivia-main", "--resume", UUID, "load the skill"],
  exitFile: "/tmp/last-exit",
};
const SCREEN_LAUNCH = { ...LAUNCH, mux: { kind: "screen", bin: "/usr/bin/screen" } };
const ENV = { TMUX: "/tmp/tmux-501/default,1,0", TMUX_PANE: "%14" };

/** The arguments of each pure call, by its name; further names tell further cases apart. */
const CASES = {
  mainSessionName: ["olivia"],
  buildClaudeArgs: [{ first: "olivia", sessionId: UUID, mode: "resume", permissionArgs: ["--allowedTools", "Read"] }],
  detectMux: [{ existsSync: (path) => path === "/usr/bin/tmux" }],
  chooseMux: ["auto", { tmux: "/usr/bin/tmux", screen: null }],
  "buildMuxCommands, tmux": [LAUNCH],
  "buildMuxCommands, screen": [SCREEN_LAUNCH],
  parseScreenList: [SCREENS, "maestro-olivia"],
  parseExitFile: ["137\n"],
  classifyTmuxSessionName: ["maestro-olivia"],
  buildTmuxSessionLookupArgs: ["maestro-olivia"],
  resolveTmuxSessionId: ["maestro-olivia", () => RUN],
  sessionMarkerLines: [{ claimedBy: "session", now: NOW }],
  parseSessionMarkers: [MARKED],
  stripSessionMarkers: [MARKED],
  classifyTmuxRun: [RUN],
  classifyScreenRun: [{ status: 0, stdout: SCREENS, stderr: "" }],
  escapeTmuxArg: ["hello;"],
  escapeTmuxFormat: ["/x/C#Projects"],
  packedSize: [["new-session", "-d", "-s", "maestro-olivia"]],
  parseScreenSessions: [SCREENS],
  screenStopArgs: [SCREENS, "olivia"],
  sessionOutcome: [{ exitText: "137\n", stopRequested: false }],
  muxCandidates: ["linux", { PATH: "/usr/local/bin:/usr/bin:/bin" }],
  "buildSafeMuxCommands, tmux": [LAUNCH],
  isPaneId: ["%14"],
  isSessionId: ["$11"],
  isWindowId: ["@14"],
  isDecimal: ["74235"],
  assertSelector: ["window", "@14"],
  readAnchor: [ENV],
  buildInspectArgs: ["%14"],
  buildAppendArgs: ["$11"],
  buildCloseArgs: ["@14"],
  buildListWindowIdsArgs: [],
  parsePlacement: ["%14", `${Object.values(PLACEMENT).join("|")}\n`],
  parseWindowFields: ["@2|3|%2|76957\n"],
  classifyCloseFailure: ["@3", "@0\n@30\n"],
  isSameContext: [PLACEMENT, PLACEMENT],
  isSameServer: [PLACEMENT, PLACEMENT],
  assertTmuxOk: ["list-windows", RUN],
  // These four look at a file or two.
  classifyTmuxCwd: ["/tmp"],
  assertLaunchTarget: ["/bin/sh"],
  resolveRuntimeOnPath: ["sh", { PATH: "/bin" }],
  buildFreshWindowArgs: ["$3", "/bin/sh", ["-c", "true"], { cwd: "/tmp" }],
};

/** The calls that do more than compute, each in another part. */
const ELSEWHERE = [
  "startSession",
  "adoptSession",
  "listRuns",
  "stopRun",
  "findInboxFile",
  "listInbox",
  "markSessionClaim",
  "markSessionDeferral",
  "markSessionReplied",
  "markSessionDone",
  "releaseSessionClaim",
  "renewSessionClaim",
  "failInboxItem",
  "reopenInboxItem",
  "deliverInboxItem",
  "claimNextItem",
  "archiveProcessed",
  "sweepSessionInbox",
  "sweepSessionInboxForDaemon",
  "runTmux",
  "resolveTmuxSessionExact",
  "inspectPlacement",
  "appendWindow",
  "closeWindow",
  "requireSameContext",
  "requireSameServer",
  "startSession",
  "adoptSession",
  "listRuns",
  "stopRun",
];

const callOf = (name) => name.split(",")[0];

/** The rows of this part: one for every export that is a function. */
export function pure({ javascript, limits }) {
  const calls = Object.keys(seatkit).filter((name) => {
    const value = seatkit[name];
    return typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value));
  });
  assert.deepEqual(
    calls.filter((name) => !ELSEWHERE.includes(name)).sort(),
    [...new Set(Object.keys(CASES).map(callOf))].sort(),
    "every pure export is measured",
  );
  const plain = { ...javascript.launch, ...javascript.inbox };
  return Object.entries(CASES).map(([name, args]) => ({
    name,
    measure() {
      const ways = { native: () => seatkit[callOf(name)](...args) };
      const other = plain[callOf(name)];
      if (other) ways.javascript = () => other(...args);
      ways.native();
      return inTurnOften(ways, { ...limits, budget: limits.budget / 4 });
    },
  }));
}
