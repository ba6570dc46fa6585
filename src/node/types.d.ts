// ---- inbox

/** Where an item stands; its file name alone decides. */
export type InboxState = "new" | "claimed" | "deferred" | "processed";

/** An item's file, as it was met. */
export interface InboxFile {
  /** The folder it is in. */
  service: string;
  state: InboxState;
  /** Its bare name. */
  file: string;
  path: string;
}

/** An item of a listing. */
export interface InboxItem extends InboxFile {
  id: string;
  markers: SessionMarkers;
  /** There only where it was asked for; `null` for what no sweep moves. */
  next?: NextSweep | null;
}

/** What becomes of an item if nobody does anything but sweep: with the usual limits, and a session alive. */
export interface NextSweep {
  /** `replied-retired` makes it `processed`, everything else `new`. */
  reason: SweepReason;
  /** The first whole millisecond since the epoch at which a sweep moves it; may be long past. */
  at: number;
}

/** What a marker block says, as written; `null` for what it does not say. */
export interface SessionMarkers {
  claimedBy: string | null;
  /** ISO 8601. */
  claimedAt: string | null;
  /** ISO 8601. */
  deferredUntil: string | null;
  deferredReason: string | null;
  /** ISO 8601. */
  repliedAt: string | null;
  /** There only where the claim has one. */
  claimToken?: string;
}

/** The lines of a marker block; what is missing or `null` gets no line. Times: milliseconds since the epoch, or a `Date`. */
export interface MarkerLines {
  claimedBy?: string | null;
  /** When it is claimed; the clock where missing. */
  now?: number | Date;
  deferredUntil?: number | Date | null;
  deferredReason?: string | null;
  repliedAt?: number | Date | null;
}

/** Which item a call is about. */
export interface ItemRef {
  /** Its id, or a part of its stem that no other has. */
  id: string;
  /** Its bare file name, as found or listed: no folder is scanned. The state in the name may be an older one. */
  file?: string | null;
}

/** Where `findInboxFile` looks. */
export interface FindOptions {
  /** Search this service alone. */
  service?: string | null;
}

/** What `listInbox` lists; everything where nothing is given. */
export interface ListOptions {
  service?: string | null;
  state?: InboxState | null;
  /** Say of each item what a sweep will do with it, and when. */
  next?: boolean;
}

/** What an owner can show. */
export interface OwnerOptions {
  /** The token of the claim; a claim with another, or none, is refused as `claim-lost`. */
  token?: string | null;
}

/** When a call happens, and what its caller can show. */
export interface MarkOptions extends OwnerOptions {
  /** Milliseconds since the epoch, or a `Date`; the clock where missing. */
  now?: number | Date;
}

/** How `markSessionClaim` claims. */
export interface ClaimOptions {
  /** Milliseconds since the epoch, or a `Date`; the clock where missing. */
  now?: number | Date;
  /** Who claims, `session` where missing. Only a session's claims are given back by a sweep. */
  claimedBy?: string;
  /** Give the claim a token of its own, for later calls to show. */
  token?: boolean | null;
}

/** Until when and why `markSessionDeferral` defers. */
export interface DeferralOptions extends MarkOptions {
  /** When the item is new again: milliseconds since the epoch, or a `Date`. */
  until: number | Date;
  /** Why; empty where missing, no line where `null`. */
  reason?: string | null;
}

/** Why a call changed nothing. */
export type MarkError =
  | "not-claimable"
  | "not-deferrable"
  | "not-in-flight"
  | "already-replied"
  | "conflict"
  | "claim-lost"
  | "unstampable"
  | "busy"
  | "invalid-argument"
  | "invalid-time"
  | "io";

/** A refused call: a word to branch on, and a sentence that a person can act on. */
export interface MarkRefusal {
  ok: false;
  error: MarkError;
  /** The errno name, such as `ENOSPC`, where `error` is `io`. */
  code?: string;
  message: string;
}

/** The answer of a call that moves or marks an item: `path` is where it is now. */
export type MarkResult = { ok: true; path: string } | MarkRefusal;

/** The answer of a claim: `token` is there where one was asked for. */
export type ClaimResult = { ok: true; path: string; token?: string } | MarkRefusal;

/** How `sweepSessionInbox` decides. */
export interface SweepOptions {
  /** Milliseconds since the epoch, or a `Date`; the clock where missing. */
  now?: number | Date;
  /** Whether a session lives: items that a daemon lost are given back. */
  sessionLive?: boolean;
  /** Answer what would be done, and do nothing. */
  dryRun?: boolean;
  /** Milliseconds, instead of `SESSION_CLAIM_STALE_MS`. */
  staleMs?: number;
  /** Milliseconds, instead of `DAEMON_ORPHAN_RECLAIM_MS`. */
  orphanMs?: number;
  /** Milliseconds, instead of `REPLIED_RETIRE_MS`. */
  retireMs?: number;
}

/** How `sweepSessionInboxForDaemon` decides; whether a session lives is read by `readState`. */
export interface DaemonSweepOptions extends Omit<SweepOptions, "sessionLive"> {
  /** Reads the front door's state, at once. */
  readState?: (root: string) => unknown;
}

/** Why a sweep moved an item: `replied-retired` made it `processed`, everything else `new`. */
export type SweepReason = "claim-stale" | "deferral-due" | "replied-retired" | "daemon-orphan";

/** Something that a sweep could not handle. */
export interface SweepFailure {
  /** `null` for the inbox itself. */
  service: string | null;
  /** `null` for a whole folder. */
  file: string | null;
  error: MarkError;
  code?: string;
  message: string;
}

/** What a sweep did, or with `dryRun` would do. */
export interface SweepResult {
  /** The items moved, in the order of services and names; `path` is where each is now. */
  reopened: { id: string; service: string; reason: SweepReason; path: string }[];
  /** How many items were in flight. */
  scanned: number;
  /** There only when there are any. */
  failed?: SweepFailure[];
}

/** What a daemon's sweep did, and whether it found a session alive. */
export interface DaemonSweepResult extends SweepResult {
  sessionLive: boolean;
}

// ---- launch-args

/** Where the multiplexers live, most preferred first. Frozen. */
export declare const MUX_CANDIDATES: {
  readonly tmux: readonly ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"];
  readonly screen: readonly ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"];
};

/** A terminal multiplexer. */
export type MuxKind = "tmux" | "screen";

/** Which multiplexer a seat would rather have; `auto` is tmux. */
export type MuxPreference = "auto" | MuxKind;

/** A multiplexer and the path of its binary. */
export interface Mux {
  kind: MuxKind;
  bin: string;
}

/** The path of each multiplexer's binary, `null` where it is not installed. */
export interface FoundMux {
  tmux: string | null;
  screen: string | null;
}

/** What `buildClaudeArgs` is told. */
export interface ClaudeSession {
  /** The agent's first name; the session is called `<first>-main`. */
  first: string;
  /** The stable id of the session, a UUID. */
  sessionId: string;
  /** `session-id` on the first launch of an id, `resume` on every later one. */
  mode: "session-id" | "resume";
  /** The permission posture, as arguments of `claude`. */
  permissionArgs?: readonly string[] | null;
  /** Any further arguments of `claude`. */
  extraArgs?: readonly string[] | null;
  /** The prompt; `BOOTSTRAP_PROMPT` when there is none or it is empty. */
  prompt?: string | null;
}

/** What `buildMuxCommands` is told. */
export interface MuxLaunch {
  mux: Mux;
  /** The name of the session in the multiplexer. */
  muxName: string;
  /** The working directory. tmux is told; screen takes that of the process that starts it. */
  cwd: string;
  /** The binary of `claude`. */
  claudeBin: string;
  /** Its arguments, as `buildClaudeArgs` gives them. */
  claudeArgs: readonly string[];
  /** Where the exit code is recorded; the folder must exist. */
  exitFile: string;
}

/** A program and its arguments, as `spawn(file, args)` takes them. */
export interface Command {
  file: string;
  args: string[];
}

/** The commands of one session's life under screen. */
export interface ScreenCommands {
  /** `start` runs until the session ends. */
  blocking: true;
  start: Command;
  waitProbe: null;
  /** A listing, to be read by `parseScreenList`. */
  exists: Command;
  /** Removes the sockets of dead sessions. */
  wipe: Command;
  stop: Command;
}

/** The commands of one session's life under tmux. */
export interface TmuxCommands {
  /** `start` returns at once. */
  blocking: false;
  start: Command;
  /** Exits 0 while the session exists. */
  waitProbe: Command;
  /** The same object as `waitProbe`. */
  exists: Command;
  wipe: null;
  stop: Command;
}

/** The commands of one session's life; `blocking` tells the multiplexers apart. */
export type MuxCommands = ScreenCommands | TmuxCommands;

// ---- resolve-tmux-session

/** How one run of tmux ended. */
export interface TmuxSessionLookupRun {
  /** The exit status; `null` when a signal ended the run. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Why a session name did not become a target. */
export type TmuxSessionRejectReason = "tmux-session-name-invalid" | "tmux-session-missing";

/** What a lookup found. */
export type TmuxSessionLookupResult =
  | { ok: true; sessionId: string }
  | { ok: false; reason: TmuxSessionRejectReason };

// ---- mux

/** Why the safe layer built no command. `code` is stable; nothing was run and nothing is changed. */
export interface MuxCommandError extends Error {
  name: "MuxCommandError";
  code:
    | "cwd-format-token"
    | "cwd-missing"
    | "cwd-not-absolute"
    | "cwd-not-directory"
    | "empty"
    | "env-name-invalid"
    | "message-too-long"
    | "mux-kind-unknown"
    | "name-invalid"
    | "name-reserved"
    | "name-too-long"
    | "nul"
    | "path-invalid"
    | "program-builtin";
  /** `message-too-long` and `name-too-long` only: the bytes that were too many. */
  size?: number;
  /** `message-too-long` and `name-too-long` only: the most bytes that are taken. */
  limit?: number;
}

/** The class of the errors that the safe layer refuses with. */
export declare const MuxCommandError: {
  new (message: string, code: MuxCommandError["code"], size?: number, limit?: number): MuxCommandError;
  readonly prototype: MuxCommandError;
};

/** What `buildSafeMuxCommands` is told: what `buildMuxCommands` is, and more. */
export interface SafeMuxLaunch extends MuxLaunch {
  /**
   * A server of one's own. For tmux a name (`-L`) or an absolute path (`-S`), in every command; for
   * screen the absolute path of its folder, as `SCREENDIR` in every command's `env`.
   */
  socket?: string | null;
  /** The absolute path of the configuration; `/dev/null` keeps the user's own out. */
  config?: string | null;
  /** Whether the multiplexer is to take the terminal for UTF-8 whatever the locale. */
  utf8?: boolean | null;
  /** Variables to take out of the session's environment, such as `CLAUDECODE`. */
  scrubEnv?: readonly string[] | null;
  /** Whether `--` is put before the prompt; `true` where it is not given. Not every program takes it. */
  terminator?: boolean | null;
}

/** A command and what its process has to be given. */
export interface SafeCommand extends Command {
  /** The folder to spawn it in; absent where it makes no difference. */
  cwd?: string;
  /** Variables to add to its environment; absent where there are none. */
  env?: Record<string, string>;
}

/** The guarded commands of one session's life under screen. */
export interface SafeScreenCommands {
  /** `start` runs until the session ends. */
  blocking: true;
  start: SafeCommand;
  waitProbe: null;
  /** A listing for `parseScreenSessions`, whatever its status. */
  exists: SafeCommand;
  /** Removes the sockets of dead sessions of this name. */
  wipe: SafeCommand;
  /** screen takes no exact name: put the output of `exists` through `screenStopArgs`. */
  stop: null;
}

/** The guarded commands of one session's life under tmux. */
export interface SafeTmuxCommands {
  /** `start` returns at once. */
  blocking: false;
  /** Status 0 does not prove that the session lives: ask `exists`. */
  start: SafeCommand;
  /** Exits 0 while a pane of the session lives. */
  waitProbe: SafeCommand;
  /** The same object as `waitProbe`. */
  exists: SafeCommand;
  /** Removes a session of this name whose panes are all dead. */
  wipe: SafeCommand;
  stop: SafeCommand;
}

/** The guarded commands of one session's life; `blocking` tells the multiplexers apart. */
export type SafeMuxCommands = SafeScreenCommands | SafeTmuxCommands;

/** Absolute paths to try, in order. */
export interface MuxCandidates {
  tmux: string[];
  screen: string[];
}

/** What one run of tmux answered. */
export interface TmuxRun {
  /** The exit code; `null` where a signal or the time limit ended it, which is no answer at all. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** How `runTmux` runs tmux. */
export interface RunTmuxOptions {
  /** Which server: a name (`-L`), or a path (`-S`) where it holds a `/`. */
  socket?: string | null;
  /** The configuration that the server reads when it starts (`-f`). */
  config?: string | null;
  /** The whole environment; `process.env` where there is none. */
  env?: Record<string, string | undefined> | null;
  /** How many ms tmux may take before it is killed; for ever where it is not given. */
  timeoutMs?: number | null;
  /** The program, `tmux` where there is none; a name is looked for on the `PATH` of `env`. */
  bin?: string | null;
}

/** What a run of tmux proves about the session it was asked for. */
export type TmuxAnswer = "present" | "absent" | "unknown";

/** What an exact lookup found. */
export type TmuxSessionExactResult =
  | { ok: true; sessionId: string }
  | { ok: false; reason: TmuxSessionRejectReason | "tmux-unavailable" };

/** One row of `screen -ls`. */
export interface ScreenSession {
  /** The process id of the session's screen. */
  pid: number;
  name: string;
  /** The words of the last parentheses, such as `Detached`, `Multi, attached` or `Dead ???`. */
  state: string;
  /** Whether a screen is still behind the socket. */
  live: boolean;
}

/** What `sessionOutcome` is told. */
export interface SessionEnd {
  /** The text of the exit file, `null` where there is none. */
  exitText?: string | null;
  /** Whether somebody asked the session to stop. */
  stopRequested?: boolean | null;
}

/** How a session ended. */
export type SessionOutcome =
  | { kind: "exited"; /** 0 to 255. */ code: number }
  | { kind: "signalled"; /** The signal's number. */ signal: number }
  | { kind: "stopped" }
  | { kind: "unknown" };

// ---- mux-placement

/** What `INSPECT_FORMAT` asks for, in order. Frozen. */
export declare const PLACEMENT_FIELDS: readonly [
  "pid",
  "session_id",
  "window_id",
  "window_index",
  "pane_id",
  "pane_pid",
];

/** What `APPEND_FORMAT` asks for, in order. Frozen. */
export declare const WINDOW_FIELDS: readonly ["window_id", "window_index", "pane_id", "pane_pid"];

/** What identifies where a placement is. */
export interface PlacementContext {
  /** The server's process id, in decimal. */
  serverPid: string;
  /** The session, `$3`. */
  sessionId: string;
}

/** What tmux reports of a window that it opened. */
export interface WindowFields {
  /** The window, `@3`. */
  windowId: string;
  /** What a person sees, in decimal; it changes as others close. */
  windowIndex: string;
  /** The pane, `%3`. */
  paneId: string;
  /** The process in the pane, in decimal. */
  panePid: string;
}

/** Where a process stands in tmux: native ids and numbers. */
export interface Placement extends PlacementContext, WindowFields {}

/** A window that was opened. `serverPid` binds it: ids are never used twice in one server's life. */
export interface WindowHandle extends PlacementContext, WindowFields {}

/** Why a caller's place could not be told. */
export type PlacementRejectReason =
  | "no-tmux-context"
  | "anchor-malformed"
  | "anchor-unresolved"
  | "anchor-mismatch";

/** The caller's pane, or why there is none. */
export type AnchorResult =
  | { ok: true; anchor: string }
  | { ok: false; reason: "no-tmux-context" | "anchor-malformed" };

/** The caller's place, or why it cannot be told. */
export type InspectResult = { ok: true; placement: Placement } | { ok: false; reason: PlacementRejectReason };

/** How a close ended. */
export type CloseOutcome = "closed" | "already-gone";

/** How the verbs of placement run tmux. The server is always the one that `TMUX` names. */
export interface PlacementOptions {
  /** How many ms each run of tmux may take before it is killed; for ever where it is not given. */
  timeoutMs?: number | null;
  /** The program, `tmux` where there is none. */
  bin?: string | null;
}

/** Why a folder cannot be a window's start. */
export type TmuxCwdRejectReason = "cwd-not-absolute" | "cwd-format-token" | "cwd-missing" | "cwd-not-directory";

/** Why a program cannot be launched. */
export type LaunchRejectReason =
  | "runtime-unresolved"
  | "runtime-not-absolute"
  | "runtime-path-whitespace"
  | "runtime-missing"
  | "runtime-not-regular-file"
  | "runtime-not-executable";

/** A program that must not be launched; no window was opened. */
export interface LaunchPreconditionError extends Error {
  name: "LaunchPreconditionError";
  reason: LaunchRejectReason;
  /** The same as `reason`. */
  code: LaunchRejectReason;
}

/** The class of the errors that a launch is refused with. */
export declare const LaunchPreconditionError: {
  new (reason: LaunchRejectReason, message: string): LaunchPreconditionError;
  readonly prototype: LaunchPreconditionError;
};

/** What `buildFreshWindowArgs` may be told beside the program. */
export interface FreshWindowOptions {
  /** Where the window starts; without it, the folder of the process that runs tmux. */
  cwd?: string | null;
  /** Variables to take out of the program's environment, such as `CLAUDECODE`. */
  scrubEnv?: readonly string[] | null;
}
