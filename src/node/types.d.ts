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

/** The prompt that every launch of a main session starts with, unless another is given. */
export declare const BOOTSTRAP_PROMPT: string;

/**
 * The `sh -c` text that runs a command and records its exit code. `$0` is a label, `$1` the exit
 * file (its folder must exist), the rest the command; nothing is read as shell text.
 */
export declare const SESSION_EXIT_SCRIPT: string;

/**
 * The name of the main session of a seat whose agent is called `first`: `<first>-main`.
 *
 * ```js
 * mainSessionName("olivia"); // "olivia-main"
 * ```
 */
export declare function mainSessionName(first: string): string;

/**
 * The argv of `claude`, without the binary; the prompt is the last argument.
 *
 * Throws an `Error` for a session id that is no UUID and for an unknown mode.
 *
 * ```js
 * buildClaudeArgs({
 *   first: "olivia",
 *   sessionId: "11111111-2222-4333-8444-555555555555",
 *   mode: "resume",
 *   permissionArgs: ["--allowedTools", "Read"],
 * });
 * // ["--name", "olivia-main", "--resume", "11111111-2222-4333-8444-555555555555",
 * //  "--allowedTools", "Read", BOOTSTRAP_PROMPT]
 * ```
 */
export declare function buildClaudeArgs(a: ClaudeSession): Array<string>;

/**
 * Which multiplexers are installed, by the fixed paths of `MUX_CANDIDATES`. `existsSync` is asked
 * until it affirms one; where it throws, the path counts as absent.
 *
 * ```js
 * import { existsSync } from "node:fs";
 *
 * detectMux({ existsSync }); // { tmux: "/usr/bin/tmux", screen: null } for example
 * ```
 */
export declare function detectMux(deps: { existsSync: (path: string) => boolean }): FoundMux;

/**
 * Takes the preferred multiplexer (`auto` is tmux), or the other one when that is not installed:
 * a seat with a wrong preference should still come up. `null` when there is neither.
 *
 * ```js
 * chooseMux("tmux", { tmux: null, screen: "/usr/bin/screen" });
 * // { kind: "screen", bin: "/usr/bin/screen" }
 * ```
 */
export declare function chooseMux(pref: MuxPreference, found: FoundMux): Mux | null;

/**
 * The commands that run one session of `claude` under a multiplexer.
 *
 * `start` launches the session and, under screen, runs until it ends; under tmux it returns at
 * once, and `waitProbe` exits 0 while the session exists. `exists` finds a session left over from
 * before (for screen: a listing for `parseScreenList`), `wipe` removes the sockets of dead screen
 * sessions, `stop` ends the session. What does not apply is `null`.
 *
 * Throws an `Error` for an unknown `mux.kind`.
 *
 * ```js
 * const { start, exists } = buildMuxCommands({
 *   mux: { kind: "tmux", bin: "/usr/bin/tmux" },
 *   muxName: "maestro-olivia",
 *   cwd: "/agent",
 *   claudeBin: "claude",
 *   claudeArgs: ["--resume", "11111111-2222-4333-8444-555555555555"],
 *   exitFile: "/agent/state/session/last-exit",
 * });
 * exists.args; // ["has-session", "-t", "=maestro-olivia"]
 * ```
 */
export declare function buildMuxCommands(a: MuxLaunch): MuxCommands;

/**
 * Whether the output of `screen -ls` lists a live session of exactly this name. A session whose
 * process was killed stays listed, as `(Dead ???)`, `(Remote or dead)` or `(Removed)`, and is not
 * live. Anything but a string as output is `false`.
 *
 * ```js
 * parseScreenList(" 48213.maestro-olivia (Detached)", "maestro-olivia"); // true
 * ```
 */
export declare function parseScreenList(out: string | null | undefined, name: string): boolean;

/**
 * The exit code that a session's exit file records, or `null` when there is none to read.
 *
 * The file is what `SESSION_EXIT_SCRIPT` writes: one to three digits, white space around them
 * allowed. Anything else, a value that is no string included, is `null`.
 *
 * ```js
 * parseExitFile(" 137 "); // 137
 * parseExitFile("killed"); // null
 * ```
 */
export declare function parseExitFile(text: string | null | undefined): number | null;

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

/**
 * What is wrong with a tmux session name, or `null`: it has to be an ASCII letter or digit, then
 * letters, digits, `_` and `-`. tmux cannot address names with `.`, `:` or `#`; the rest is
 * refused so that one grammar holds for creating a session and for finding it.
 *
 * ```js
 * classifyTmuxSessionName("work"); // null
 * classifyTmuxSessionName("my.project"); // "tmux-session-name-invalid"
 * ```
 */
export declare function classifyTmuxSessionName(name: string): "tmux-session-name-invalid" | null;

/**
 * The arguments of tmux that look a session up: `=NAME` is the target that matches exactly. Throws
 * an `Error` for a name that cannot be looked up.
 *
 * ```js
 * buildTmuxSessionLookupArgs("work"); // ["list-windows", "-t", "=work", "-F", "#{session_id}"]
 * ```
 */
export declare function buildTmuxSessionLookupArgs(name: string): Array<string>;

/**
 * Resolves a tmux session name to its native id (`$0` and the like), the only thing that later
 * commands should target. `run` runs tmux with the given arguments.
 *
 * Gives `{ ok: true, sessionId }`, or `{ ok: false, reason }`: `tmux-session-name-invalid` without
 * a run, `tmux-session-missing` for any exit status but 0. What `run` throws comes out as it is.
 * Throws an `Error` when the run was killed (`status: null`) or printed anything but one id.
 *
 * ```js
 * resolveTmuxSessionId("work", (args) => spawnSync("tmux", args, { encoding: "utf8" }));
 * // { ok: true, sessionId: "$3" }
 * ```
 */
export declare function resolveTmuxSessionId(name: string, run: (args: string[]) => TmuxSessionLookupRun): TmuxSessionLookupResult;

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

/**
 * The largest `packedSize` that tmux takes, in bytes. One more and `tmux` exits with 1, having
 * created nothing. The same in tmux 2.6 to 3.8.
 */
export declare const TMUX_MESSAGE_LIMIT: number;

/**
 * Escapes one argument so that tmux takes it as it is: a final `;` becomes `\;`.
 *
 * tmux ends a command at an argument that ends in `;`, even where the argument came alone in an
 * argv element. screen does not: there it must not be escaped.
 *
 * ```js
 * escapeTmuxArg("be brief;"); // "be brief\\;"
 * escapeTmuxArg("a;b"); // "a;b"
 * ```
 */
export declare function escapeTmuxArg(s: string): string;

/**
 * Escapes text where tmux expects a format, such as the value of `-c` and `-s`: each run of `#` is
 * doubled, unless a `[` follows it. `#{...}` would be expanded there, and `#(...)` *run*.
 *
 * This escapes the format alone: the value is still an argument and goes through `escapeTmuxArg`
 * after it. Up to tmux 3.1c a `##[` is not kept.
 *
 * ```js
 * escapeTmuxFormat("/x/C#Projects"); // "/x/C##Projects"
 * escapeTmuxFormat("/x/a#[b"); // "/x/a#[b"
 * ```
 */
export declare function escapeTmuxFormat(s: string): string;

/**
 * The bytes that an argv takes in tmux's message: the UTF-8 of each argument, and one more each.
 *
 * Count everything after tmux's own flags (`-S`, `-L`, `-f`, `-u`), escaped as it is passed. More
 * than `TMUX_MESSAGE_LIMIT` is refused by tmux.
 *
 * ```js
 * packedSize(["has-session", "-t", "=é:"]); // 12 + 3 + 5
 * ```
 */
export declare function packedSize(args: readonly string[]): number;

/**
 * Every session in the output of `screen -ls`, of any version and locale, in its order: what is
 * no row gives none, and what is no string gives `[]`.
 *
 * A row is read from the right, so names may hold blanks, tabs and parentheses. `live` is false
 * for `Dead ???`, `Remote or dead` (what screen 5 says of a killed session) and `Removed`. Do not
 * look at the exit status: macOS's screen exits with 1 while sessions are live.
 *
 * ```js
 * parseScreenSessions("\t848.olivia\t(11/30/26 20:43:58)\t(Detached)
");
 * // [{ pid: 848, name: "olivia", state: "Detached", live: true }]
 * ```
 */
export declare function parseScreenSessions(out: string | null | undefined): ScreenSession[];

/**
 * The arguments that stop exactly the session called `name`, `["-S", "PID.NAME", "-X", "quit"]`,
 * or `null` where a fresh output of `screen -ls` does not say which that is: no live session has
 * the name, or several have.
 *
 * By name alone screen stops the first session whose name *starts* so, on every version.
 *
 * ```js
 * screenStopArgs("\t773.alpha-old\t(Detached)
", "alpha"); // null
 * screenStopArgs("\t801.alpha\t(Attached)
", "alpha"); // ["-S", "801.alpha", "-X", "quit"]
 * ```
 */
export declare function screenStopArgs(out: string | null | undefined, name: string): string[] | null;

/**
 * How a session ended: `{ kind: "exited", code }`, `{ kind: "signalled", signal }` with the
 * signal's number, `{ kind: "stopped" }` or `{ kind: "unknown" }`.
 *
 * `exitText` is the text of the exit file, `null` where there is none. What was recorded decides,
 * also after a stop was asked for; what cannot be a recorded code is none, and never a zero. A
 * session that was stopped never records one. The file does not say which run wrote it: remove it
 * before each start.
 *
 * ```js
 * sessionOutcome({ exitText: "137
", stopRequested: false }); // { kind: "signalled", signal: 9 }
 * sessionOutcome({ exitText: null, stopRequested: true }); // { kind: "stopped" }
 * sessionOutcome({ exitText: "", stopRequested: false }); // { kind: "unknown" }
 * ```
 */
export declare function sessionOutcome(end: SessionEnd): SessionOutcome;

/**
 * Where tmux and screen may be, in order and none twice: the fixed paths of `MUX_CANDIDATES`, then
 * what `MacPorts`, Linuxbrew, Nix and snap use, then each absolute folder of `PATH`.
 *
 * `platform` is `process.platform` and `env` is `process.env` where nothing else is given; of the
 * latter `HOME`, `USER` and `PATH` are read.
 *
 * ```js
 * muxCandidates().tmux.find((path) => existsSync(path)); // "/opt/local/bin/tmux" for example
 * ```
 */
export declare function muxCandidates(platform?: string, env?: Record<string, string | undefined>): MuxCandidates;

/**
 * The commands that run one session of `claude` under a multiplexer, with every guard that
 * `buildMuxCommands` lacks. It takes the same, and `socket`, `config`, `utf8`, `scrubEnv` and
 * `terminator`.
 *
 * For tmux every argument is escaped and targets are `=NAME:`; `waitProbe` (and `exists`) exits 0
 * while a pane of the session lives, also where a user's `remain-on-exit` keeps the dead ones;
 * `wipe` removes such a session of dead panes. For screen spawn each command with its `env`, and
 * `start` in its `cwd`; `exists` is a listing for `parseScreenSessions`, and `stop` is `null`:
 * make it with `screenStopArgs`. `--` is put before the prompt, the last of `claudeArgs`, unless
 * it is there. A status of 0 from tmux's `start` does not prove that the session lives: ask
 * `exists`.
 *
 * Throws a `MuxCommandError` whose `code` is `name-invalid`, `name-reserved` (tmux may call a
 * client so), `name-too-long` (screen: over 80 bytes, or too long for a socket in its folder; with
 * `size` and `limit`), `cwd-not-absolute`, `cwd-missing`,
 * `cwd-not-directory`, `message-too-long` (with `size` and `limit` in bytes), `nul`, `empty`,
 * `program-builtin`, `path-invalid` (`socket` or `config`), `env-name-invalid` or
 * `mux-kind-unknown`, and a `TypeError` for a value of another type.
 *
 * ```js
 * const { start, waitProbe, stop } = buildSafeMuxCommands({
 *   mux: { kind: "tmux", bin: "/usr/bin/tmux" },
 *   muxName: "maestro-olivia",
 *   cwd: "/agent",
 *   claudeBin: "/usr/local/bin/claude",
 *   claudeArgs: buildClaudeArgs({ first: "olivia", sessionId, mode: "resume" }),
 *   exitFile: "/agent/state/session/last-exit",
 *   socket: "seat",
 *   scrubEnv: ["CLAUDECODE"],
 * });
 * spawnSync(start.file, start.args, { cwd: start.cwd, env: { ...process.env, ...start.env } });
 * ```
 */
export declare function buildSafeMuxCommands(a: SafeMuxLaunch): SafeMuxCommands;

/**
 * What an answer of tmux says about the session that it was asked for: `present`, `absent`, or
 * `unknown` where the server could not say (it is busy, speaks another protocol, may not be
 * reached, or tmux was killed). A session taken for gone on such an answer is started twice.
 *
 * `run` is what `runTmux` gives, or the like of `spawnSync` with `encoding: "utf8"`. A missing
 * server is an absent session.
 *
 * Throws a `TypeError` for anything else, a promise included.
 *
 * ```js
 * classifyTmuxRun({ status: 1, stdout: "", stderr: "can't find session: a
" }); // "absent"
 * classifyTmuxRun({ status: 1, stdout: "", stderr: "server exited unexpectedly
" }); // "unknown"
 * ```
 */
export declare function classifyTmuxRun(run: TmuxRun): TmuxAnswer;

/**
 * Runs tmux once and gives what it answered: `{ status, stdout, stderr }`, the texts decoded as
 * UTF-8. `status` is `null` where a signal or the time limit ended it: no answer at all.
 *
 * stdin is empty. Both outputs are read at the same time, whatever their size; the call ends when
 * tmux does, whoever else may hold the outputs. Past `timeoutMs` (no default) tmux is killed, with
 * what it had written until then; its server is not touched.
 *
 * The environment is `process.env` as it is at the time of the call, or `options.env` as the whole
 * of it; the `PATH` in it is where `tmux` is looked for. The arguments are passed as they are: see
 * `escapeTmuxArg` for what tmux makes of them.
 *
 * Throws an `Error` with `code` (`ENOENT`, `EACCES`, `E2BIG`, ...), `errno`, `syscall` and `path`
 * where the program cannot be started, and a `TypeError`, with nothing started, for an argument of
 * the wrong type or one with a NUL.
 *
 * ```js
 * runTmux(["list-sessions", "-F", "#{session_id}"], { socket: "seat", timeoutMs: 5000 });
 * // { status: 0, stdout: "$0
", stderr: "" }
 * resolveTmuxSessionId("work", runTmux); // { ok: true, sessionId: "$0" }
 * ```
 */
export declare function runTmux(args: readonly string[], options?: RunTmuxOptions | null): TmuxRun;

/**
 * Resolves a tmux session name to its native id by comparing text: `{ ok: true, sessionId }`, or
 * `{ ok: false, reason }` with `tmux-session-name-invalid` (tmux was not asked),
 * `tmux-session-missing` (no such session, or no server) or `tmux-unavailable` (the server could
 * not be asked, or tmux not be run, so nothing is known of the session).
 *
 * `resolveTmuxSessionId` asks for `=NAME`, which also matches an attached client of that name
 * (`client-497`, `ttys001`) and gives the id of whatever session that client looks at.
 *
 * Throws a `TypeError` for options of the wrong type.
 *
 * ```js
 * resolveTmuxSessionExact("work", { socket: "seat", timeoutMs: 5000 });
 * // { ok: true, sessionId: "$3" }
 * ```
 */
export declare function resolveTmuxSessionExact(name: string, options?: RunTmuxOptions | null): TmuxSessionExactResult;

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

/** The format of a placement query: native ids and numbers joined by `|`. */
export declare const INSPECT_FORMAT: string;

/** The format of what `new-window -P` prints: native ids and numbers joined by `|`. */
export declare const APPEND_FORMAT: string;

/** Whether a text is a native pane id, `%3`. */
export declare function isPaneId(value: string): boolean;

/** Whether a text is a native session id, `$3`. */
export declare function isSessionId(value: string): boolean;

/** Whether a text is a native window id, `@3`. */
export declare function isWindowId(value: string): boolean;

/** Whether a text is ASCII digits alone, as tmux prints process ids and indices. */
export declare function isDecimal(value: string): boolean;

/**
 * Throws an `Error` unless `value` is a native id of this kind. tmux reads much more into a target
 * than a name, so nothing else may reach it.
 *
 * ```js
 * assertSelector("window", "@3");
 * assertSelector("window", "@1; kill-server"); // throws
 * ```
 */
export declare function assertSelector(kind: "pane" | "session" | "window", value: string): void;

/**
 * The caller's pane: `{ ok: true, anchor }`, or `{ ok: false, reason }` with `no-tmux-context`
 * (`TMUX` or `TMUX_PANE` is missing or empty) or `anchor-malformed` (`TMUX_PANE` is no pane id).
 *
 * ```js
 * readAnchor({ TMUX: "/tmp/tmux-501/default,1,0", TMUX_PANE: "%4" }); // { ok: true, anchor: "%4" }
 * ```
 */
export declare function readAnchor(env: Record<string, string | undefined>): AnchorResult;

/** The arguments that ask tmux about one pane. Throws for anything but a native pane id. */
export declare function buildInspectArgs(anchor: string): string[];

/**
 * The arguments that open one window with the default shell at the end of a session, without
 * moving anybody's focus. Throws for anything but a native session id.
 */
export declare function buildAppendArgs(sessionId: string): string[];

/** The arguments that close one window. Throws for anything but a native window id. */
export declare function buildCloseArgs(windowId: string): string[];

/** The arguments that list the window ids of the whole server. */
export declare function buildListWindowIdsArgs(): Array<string>;

/**
 * Reads the answer to `buildInspectArgs(anchor)`, whose status proves nothing: `{ ok: true,
 * placement }`, or `{ ok: false, reason }` with `anchor-mismatch` where it is about another pane
 * and `anchor-unresolved` for anything but one whole row.
 *
 * ```js
 * parsePlacement("%14", "8150|$11|@14|2|%14|74235
");
 * // { ok: true, placement: { serverPid: "8150", sessionId: "$11", windowId: "@14", ... } }
 * parsePlacement("%14", "8150|||||
"); // { ok: false, reason: "anchor-unresolved" }
 * ```
 */
export declare function parsePlacement(anchor: string, stdout: string): InspectResult;

/**
 * Reads what `new-window -P -F` printed with `APPEND_FORMAT`. Throws an `Error` where that is no
 * handle: a window may be open then that nobody can name.
 *
 * ```js
 * parseWindowFields("@2|3|%2|76957
");
 * // { windowId: "@2", windowIndex: "3", paneId: "%2", panePid: "76957" }
 * ```
 */
export declare function parseWindowFields(stdout: string): WindowFields;

/**
 * What a fresh output of `buildListWindowIdsArgs` says about a window that could not be closed:
 * `already-gone` if it is not listed, `null` (no outcome at all) if it is.
 *
 * ```js
 * classifyCloseFailure("@3", "@0
@30
"); // "already-gone"
 * classifyCloseFailure("@3", "@0
@3
"); // null
 * ```
 */
export declare function classifyCloseFailure(windowId: string, listStdout: string): "already-gone" | null;

/**
 * Whether two placements are of one server *and* one session: a window is only ever appended to
 * the session that its caller stands in.
 */
export declare function isSameContext(origin: PlacementContext, now: PlacementContext): boolean;

/**
 * Whether two placements are of one server. A close needs no more: within one server's life a
 * window id names one window, in whatever session it is.
 */
export declare function isSameServer(origin: Pick<PlacementContext, "serverPid">, now: Pick<PlacementContext, "serverPid">): boolean;

/**
 * Passes a run with status 0, the only kind whose output means anything; throws an `Error` that
 * says how it failed and what tmux complained of for any other.
 *
 * ```js
 * assertTmuxOk("list-windows", runTmux(["list-windows", "-a"]));
 * ```
 */
export declare function assertTmuxOk(label: string, run: TmuxRun): void;

/**
 * The caller's own place in tmux: `{ ok: true, placement }`, or `{ ok: false, reason }` with
 * `no-tmux-context`, `anchor-malformed`, `anchor-unresolved` or `anchor-mismatch`. `env`
 * (`process.env` where there is none) alone says which server is meant.
 *
 * The answer is believed only where it echoes the pane that was asked for. Throws an `Error` where
 * tmux cannot be run or fails, such as without a server.
 *
 * ```js
 * const inspected = inspectPlacement();
 * if (inspected.ok) appendWindow(inspected.placement);
 * ```
 */
export declare function inspectPlacement(env?: Record<string, string | undefined> | null, options?: PlacementOptions | null): InspectResult;

/**
 * Opens one window with the default shell at the end of the caller's own session, without moving
 * anybody's focus, and gives its handle.
 *
 * Throws an `Error`, with nothing opened, whose `code` is `context-changed` unless the caller
 * still stands on the server and in the session of `placement`, `caller-unresolved` where its
 * place cannot be told, or `tmux-failed`; and one with `handle-unreadable` where a window was
 * opened that cannot be named.
 *
 * ```js
 * const handle = appendWindow(placement);
 * closeWindow(handle); // "closed"
 * ```
 */
export declare function appendWindow(placement: Placement, env?: Record<string, string | undefined> | null, options?: PlacementOptions | null): WindowHandle;

/**
 * Closes one window of the caller's server, in whatever session it is: `closed`, or `already-gone`
 * on proof alone (a fresh list of all windows does not have it, or the server has no sessions).
 *
 * Throws an `Error`, with nothing closed, whose `code` is `server-changed` for a window of another
 * server or of an earlier life of this one, `caller-unresolved`, `window-still-listed` or
 * `tmux-failed`.
 *
 * ```js
 * closeWindow(handle); // "closed", and "already-gone" the next time
 * ```
 */
export declare function closeWindow(handle: WindowHandle, env?: Record<string, string | undefined> | null, options?: PlacementOptions | null): CloseOutcome;

/**
 * What is wrong with a folder that a window is to start in, or `null`: `cwd-not-absolute`,
 * `cwd-format-token` (it holds a `#`, which tmux would expand), `cwd-missing` or
 * `cwd-not-directory` (tmux would start in the home folder and exit with 0).
 *
 * ```js
 * classifyTmuxCwd("/"); // null
 * classifyTmuxCwd("/x/C#Projects"); // "cwd-format-token"
 * ```
 */
export declare function classifyTmuxCwd(cwd: string): TmuxCwdRejectReason | null;

/**
 * Passes the absolute path, without white space, of a regular file that may be executed; throws a
 * `LaunchPreconditionError` with a `reason` for anything else. It has to be known before: tmux
 * exits with 0 for a program that cannot start.
 *
 * ```js
 * assertLaunchTarget("/bin/sh");
 * assertLaunchTarget("bin/sh"); // throws, reason "runtime-not-absolute"
 * ```
 */
export declare function assertLaunchTarget(runtimePath: string): void;

/**
 * The absolute path of a program, as the absolute folders of `env.PATH` (`process.env` where there
 * is none) have it. A file that may not be executed is passed over; the first that may be is the
 * answer or, where it cannot be launched otherwise, the refusal.
 *
 * Throws a `LaunchPreconditionError`, with the reason `runtime-unresolved` where there is none.
 *
 * ```js
 * resolveRuntimeOnPath("claude"); // "/usr/local/bin/claude" for example
 * ```
 */
export declare function resolveRuntimeOnPath(command: string, env?: Record<string, string | undefined> | null): string;

/**
 * The arguments that open a window at the end of a session and run a program in it, without a
 * shell and without moving anybody's focus; tmux prints the handle that `parseWindowFields` reads.
 *
 * The target is a native session id and nothing else. `cwd` is where the window starts; without it
 * that is the folder of the process that runs tmux, not the session's. `scrubEnv` names variables
 * that the program must not inherit.
 *
 * Throws a `LaunchPreconditionError` for a program that cannot be launched, a `MuxCommandError`
 * for a folder, a NUL, a variable's name or a size that cannot be, and an `Error` for another
 * target.
 *
 * ```js
 * runTmux(buildFreshWindowArgs("$3", resolveRuntimeOnPath("claude"), ["--", "hello;"], {
 *   cwd: "/agent",
 *   scrubEnv: ["CLAUDECODE"],
 * }));
 * ```
 */
export declare function buildFreshWindowArgs(targetSessionId: string, runtimePath: string, args: readonly string[], options?: FreshWindowOptions | null): string[];
