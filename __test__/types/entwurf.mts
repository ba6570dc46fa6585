// The placement leaf of entwurf, in our own words: what its consumers import, with the types that it
// gives them. What stands in for it has to be assignable to that, and the other way round, because
// consumers also pass such functions and values along.
import * as lookup from "seatkit/resolve-tmux-session";
import * as placement from "seatkit/mux-placement";
import type * as types from "seatkit/mux-placement";

interface Server {
  serverPid: string;
  sessionId: string;
}
interface Window {
  windowId: string;
  windowIndex: string;
  paneId: string;
  panePid: string;
}
type Whole = Server & Window;
interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
}
type Why = "no-tmux-context" | "anchor-malformed" | "anchor-unresolved" | "anchor-mismatch";
type Inspected = { ok: true; placement: Whole } | { ok: false; reason: Why };
type Env = NodeJS.ProcessEnv;

interface Leaf {
  isPaneId: (value: string) => boolean;
  isSessionId: (value: string) => boolean;
  isWindowId: (value: string) => boolean;
  isDecimal: (value: string) => boolean;
  assertSelector: (kind: "pane" | "session" | "window", value: string) => void;
  PLACEMENT_FIELDS: readonly ["pid", "session_id", "window_id", "window_index", "pane_id", "pane_pid"];
  INSPECT_FORMAT: string;
  WINDOW_FIELDS: readonly ["window_id", "window_index", "pane_id", "pane_pid"];
  APPEND_FORMAT: string;
  readAnchor: (env: Env) => { ok: true; anchor: string } | { ok: false; reason: "no-tmux-context" | "anchor-malformed" };
  buildInspectArgs: (anchor: string) => string[];
  buildAppendArgs: (sessionId: string) => string[];
  buildCloseArgs: (windowId: string) => string[];
  buildListWindowIdsArgs: () => string[];
  parsePlacement: (anchor: string, stdout: string) => Inspected;
  parseWindowFields: (stdout: string) => Window;
  classifyCloseFailure: (windowId: string, listStdout: string) => "closed" | "already-gone" | null;
  assertTmuxOk: (label: string, run: Run) => void;
  runTmux: (args: readonly string[], env: Env) => Run;
  inspectPlacement: (env?: Env) => Inspected;
  isSameContext: (origin: Server, now: Server) => boolean;
  requireSameContext: (label: string, origin: Server, env: Env) => void;
  isSameServer: (origin: Server, now: Server) => boolean;
  requireSameServer: (label: string, origin: Server, env: Env) => void;
  appendWindow: (placement: Whole, env?: Env) => Whole;
  closeWindow: (handle: Whole, env?: Env) => "closed" | "already-gone";
}

declare const leaf: Leaf;
export const ours: Leaf = placement;
/** The functions; a constant of ours is its very text. */
export const theirs: Omit<Pick<typeof placement, keyof Leaf>, "INSPECT_FORMAT" | "APPEND_FORMAT" | "classifyCloseFailure"> = leaf;

declare function both<A, B>(to: (a: A) => B, back: (b: B) => A): void;
both<types.Placement, Whole>(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.WindowHandle, Whole>(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.PlacementContext, Server>(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.InspectResult, Inspected>(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.PlacementRejectReason, Why>(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.CloseOutcome, "closed" | "already-gone">(
  (ours) => ours,
  (theirs) => theirs,
);
both<types.TmuxRun, Run>(
  (ours) => ours,
  (theirs) => theirs,
);

// As its consumers use them.
placement.isSameServer({ serverPid: "1", sessionId: "$0" }, { serverPid: "1", sessionId: "$1" });
const window: Whole = placement.appendWindow({
  serverPid: "1",
  sessionId: "$0",
  windowId: "@0",
  windowIndex: "0",
  paneId: "%0",
  panePid: "2",
});
placement.closeWindow({ ...window, sessionId: "$3" }, process.env);
const found = lookup.resolveTmuxSessionId("work", (args) => placement.runTmux(args, process.env));
if (found.ok) placement.buildAppendArgs(found.sessionId);
