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
export declare function buildClaudeArgs(a: ClaudeSession): string[];

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

/**
 * The name of the main session of a seat whose agent is called `first`: `<first>-main`.
 *
 * ```js
 * mainSessionName("olivia"); // "olivia-main"
 * ```
 */
export declare function mainSessionName(first: string): string;

/** The same names as one object. */
declare const names: typeof import("./launch-args");
export default names;
