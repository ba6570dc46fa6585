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

export interface FindOptions {
  /** Search this service alone. */
  service?: string | null;
}

export interface ListOptions {
  service?: string | null;
  state?: InboxState | null;
}

/** What an owner can show. */
export interface OwnerOptions {
  /** The token of the claim; a claim with another, or none, is refused as `claim-lost`. */
  token?: string | null;
}

export interface MarkOptions extends OwnerOptions {
  /** Milliseconds since the epoch, or a `Date`; the clock where missing. */
  now?: number | Date;
}

export interface ClaimOptions {
  /** Milliseconds since the epoch, or a `Date`; the clock where missing. */
  now?: number | Date;
  /** Who claims, `session` where missing. Only a session's claims are given back by a sweep. */
  claimedBy?: string;
  /** Give the claim a token of its own, for later calls to show. */
  token?: boolean | null;
}

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

export interface SweepResult {
  /** The items moved, in the order of services and names; `path` is where each is now. */
  reopened: { id: string; service: string; reason: SweepReason; path: string }[];
  /** How many items were in flight. */
  scanned: number;
  /** There only when there are any. */
  failed?: SweepFailure[];
}

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
  permissionArgs?: Iterable<string> | null;
  /** Any further arguments of `claude`. */
  extraArgs?: Iterable<string> | null;
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
  claudeArgs: Iterable<string>;
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
