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
