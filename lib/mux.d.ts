import type { Command, MuxLaunch } from "./launch-args";
import type { TmuxSessionRejectReason } from "./resolve-tmux-session";

/** Why the safe layer built no command. `code` is stable; nothing was run and nothing is changed. */
export interface MuxCommandError extends Error {
  name: "MuxCommandError";
  code:
    | "cwd-format-token"
    | "cwd-inaccessible"
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
    | "program-builtin"
    | "prompt-missing"
    | "size-invalid"
    | "size-unsupported"
    | "too-many-words";
  /** `message-too-long`, `name-too-long` and `too-many-words` only: the bytes or words that were too many. */
  size?: number;
  /** There with `size`: the largest that is taken. */
  limit?: number;
  /** The name of the system's error, such as `EACCES`, where it is the system that says so of a path. */
  errno?: string;
}

/** The class of the errors that the safe layer refuses with. */
export declare const MuxCommandError: {
  new (message: string, code: MuxCommandError["code"], size?: number, limit?: number, errno?: string): MuxCommandError;
  readonly prototype: MuxCommandError;
};

/** What `buildSafeMuxCommands` is told: what `buildMuxCommands` is, and more. */
export interface SafeMuxLaunch extends MuxLaunch {
  /**
   * A server of one's own. For tmux a name (`-L`) or an absolute path (`-S`), in every command; for
   * screen the absolute path of its folder, as `SCREENDIR` in every command's `env`.
   */
  socket?: string | null;
  /** The absolute path of the configuration, which has to be there; `/dev/null` keeps the user's own out. */
  config?: string | null;
  /** Whether the multiplexer is to take the terminal for UTF-8 whatever the locale. */
  utf8?: boolean | null;
  /** Variables to take out of the session's environment, such as `CLAUDECODE`. */
  scrubEnv?: readonly string[] | null;
  /**
   * Variables to set in the session's environment or, with `null`, to take out of it, on whatever
   * server it lands. What is `undefined` is left as it is. Who lists processes sees the values.
   */
  env?: Record<string, string | null | undefined> | null;
  /** The size of the session until somebody looks at it, 1 to 65535 each. tmux only; without it 80x24. */
  size?: { columns: number; rows: number } | null;
  /**
   * The prompt, which is put last, or `true` where the last of `claudeArgs` is it, as
   * `buildClaudeArgs` gives them. It has to be told: the last may be the value of an option.
   */
  prompt?: string | boolean | null;
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

/** What no options object has and `process.env` may have, so that one is not taken for the other. */
export interface NoEnvironment {
  [variable: Uppercase<string>]: never;
}

/** How `runTmux` runs tmux. */
export interface RunTmuxOptions extends NoEnvironment {
  /** Which server: a name (`-L`), or a path (`-S`) where it holds a `/`. */
  socket?: string | null;
  /** The configuration that the server reads when it starts (`-f`). */
  config?: string | null;
  /** The whole environment; `process.env` where there is none. */
  env?: Record<string, string | undefined> | null;
  /** How many ms tmux may take before it is killed, with what it started; 10,000 where it is not given. */
  timeoutMs?: number | null;
  /** The program, `tmux` where there is none; a name is looked for on the `PATH` of `env`. */
  bin?: string | null;
}

/** What a run of a multiplexer proves about the session it was asked for. */
export type MuxAnswer = "present" | "absent" | "unknown";

/** What a run of tmux proves about the session it was asked for. */
export type TmuxAnswer = MuxAnswer;

/** How `spawnSync` tells of a program that could not be started, or of one that was. */
export interface SpawnedRun {
  status: number | null;
  stdout: string | null;
  stderr: string | null;
}

/** What an exact lookup found. */
export type TmuxSessionExactResult = { ok: true; sessionId: string } | { ok: false; reason: TmuxSessionRejectReason | "tmux-unavailable" };

/** One row of `screen -ls`. */
export interface ScreenSession {
  /** The process id of the session's screen. */
  pid: number;
  name: string;
  /** The words of the last parentheses, such as `Detached`, `Multi, attached` or `Dead ???`. */
  state: string;
  /** Whether a screen still answers at the socket. */
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
 * The commands that run one session of `claude` under a multiplexer, with every guard that
 * `buildMuxCommands` lacks. It takes the same, and `socket`, `config`, `utf8`, `scrubEnv`, `env`,
 * `size`, `prompt` and `terminator`.
 *
 * For tmux every argument is escaped and targets are `=NAME:`; `waitProbe` (and `exists`) exits 0
 * while a pane of the session lives, also where a user's `remain-on-exit` keeps the dead ones;
 * `wipe` removes such a session of dead panes. For screen spawn each command with its `env`, and
 * `start` in its `cwd`; `exists` is a listing for `parseScreenSessions`, and `stop` is `null`:
 * make it with `screenStopArgs`. The prompt stands after `--`, so that neither an option that takes
 * several values swallows it nor a leading `-` makes it an option. A status of 0 from tmux's `start`
 * does not prove that the session lives: ask `exists`.
 *
 * These commands go by the name. What a name cannot know (a session that a person renamed, a window
 * that was linked or moved elsewhere) they do not know.
 *
 * Throws a `MuxCommandError` whose `code` is `name-invalid`, `name-reserved` (tmux may call a
 * client so), `name-too-long` (screen: over 80 bytes, or too long for a socket in its folder; with
 * `size` and `limit`), `cwd-not-absolute`, `cwd-missing`, `cwd-not-directory`, `cwd-inaccessible`
 * (this user may not enter it), `message-too-long` (with `size` and `limit` in bytes), `nul`,
 * `empty`, `program-builtin`, `path-invalid` (`socket`; a `config` that is not there; an `exitFile`
 * that is relative, in no folder, or no regular file), `env-name-invalid`, `prompt-missing`,
 * `size-invalid`, `size-unsupported` (screen), `too-many-words` (macOS's own screen) or
 * `mux-kind-unknown`, and a `TypeError` for a value of another type and for an unknown key.
 *
 * ```js
 * const { start, waitProbe, stop } = buildSafeMuxCommands({
 *   mux: { kind: "tmux", bin: "/usr/bin/tmux" },
 *   muxName: "maestro-olivia",
 *   cwd: "/agent",
 *   claudeBin: "/usr/local/bin/claude",
 *   claudeArgs: buildClaudeArgs({ first: "olivia", sessionId, mode: "resume" }),
 *   prompt: true,
 *   exitFile: "/agent/state/session/last-exit",
 *   socket: "seat",
 *   env: { ANTHROPIC_API_KEY: key, CLAUDECODE: null },
 *   size: { columns: 200, rows: 50 },
 * });
 * spawnSync(start.file, start.args, { cwd: start.cwd, env: { ...process.env, ...start.env } });
 * ```
 */
export declare function buildSafeMuxCommands(a: SafeMuxLaunch): SafeMuxCommands;

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
 * What an answer of tmux says about the session that it was asked for: `present`, `absent`, or
 * `unknown` where the server could not say (it is busy, speaks another protocol, may not be
 * reached, or tmux was killed). A session taken for gone on such an answer is started twice.
 *
 * `run` is what `runTmux` gives, or the like of `spawnSync` with `encoding: "utf8"`; its `null` or
 * `undefined` for a program that could not be started counts as no text. A missing server is an absent session, but not one whose socket somebody unlinked while it lives, as far as the system tells of that (Linux).
 *
 * Throws a `TypeError` for anything else, a promise included.
 *
 * ```js
 * classifyTmuxRun({ status: 1, stdout: "", stderr: "can't find session: a\n" }); // "absent"
 * classifyTmuxRun({ status: 1, stdout: "", stderr: "server exited unexpectedly\n" }); // "unknown"
 * ```
 */
export declare function classifyTmuxRun(run: SpawnedRun): TmuxAnswer;

/**
 * The same for `screen -ls`: `present` where it lists a session that lives, `absent` where it lists
 * none that does or says that there are none, and `unknown` for anything else, above all where
 * screen refuses its folder for the mode, the owner or a missing parent. Its status says nothing.
 *
 * ```js
 * classifyScreenRun({ status: 1, stdout: "No Sockets found in /run/screen/S-o.\n", stderr: "" }); // "absent"
 * classifyScreenRun({ status: 1, stdout: "Directory '/x' must have mode 700.\n", stderr: "" }); // "unknown"
 * ```
 */
export declare function classifyScreenRun(run: SpawnedRun): MuxAnswer;

/**
 * Runs tmux once and gives what it answered: `{ status, stdout, stderr }`, the texts decoded as
 * UTF-8. `status` is `null` where a signal or the time limit ended it: no answer at all.
 *
 * stdin is empty. Both outputs are read at the same time, whatever their size; the call ends when
 * tmux does, whoever else may hold the outputs. Past `timeoutMs` (10,000 where nothing is said) tmux
 * is killed with its process group, and what it had written until then is the answer; its server is
 * not touched. A server that is started so gets no descriptor of this process.
 *
 * The environment is `process.env` as it is at the time of the call, or `options.env` as the whole
 * of it; the `PATH` in it is where `tmux` is looked for. The arguments are passed as they are: see
 * `escapeTmuxArg` for what tmux makes of them.
 *
 * Throws an `Error` with `code` (`ENOENT`, `EACCES`, `E2BIG`, ...), `errno`, `syscall` and `path`
 * where the program cannot be started, one with `ENOBUFS` where it prints more than 512 MiB, and a
 * `TypeError`, with nothing started, for an argument of the wrong type, one with a NUL, or an option
 * that there is not (an environment is no options object).
 *
 * ```js
 * runTmux(["list-sessions", "-F", "#{session_id}"], { socket: "seat", timeoutMs: 5000 });
 * // { status: 0, stdout: "$0\n", stderr: "" }
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

/**
 * Every session in the output of `screen -ls`, of any version and locale, in its order: what is
 * no row gives none, and what is no string gives `[]`.
 *
 * A row is read from the right, so names may hold blanks, tabs and parentheses. `live` is false
 * for `Dead ???`, `Remote or dead` (what screen 5 says of a killed session) and `Removed`. Do not
 * look at the exit status: macOS's screen exits with 1 while sessions are live.
 *
 * ```js
 * parseScreenSessions("\t848.olivia\t(11/30/26 20:43:58)\t(Detached)\n");
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
 * screenStopArgs("\t773.alpha-old\t(Detached)\n", "alpha"); // null
 * screenStopArgs("\t801.alpha\t(Attached)\n", "alpha"); // ["-S", "801.alpha", "-X", "quit"]
 * ```
 */
export declare function screenStopArgs(out: string | null | undefined, name: string): string[] | null;

/**
 * How a session ended: `{ kind: "exited", code }`, `{ kind: "signalled", signal }` with the
 * signal's number, `{ kind: "stopped" }` or `{ kind: "unknown" }`.
 *
 * `exitText` is the text of the exit file, `null` where there is none. What was recorded decides,
 * also after a stop was asked for; what cannot be a recorded code does not count, and is never a zero. A
 * session that was stopped never records one. The file does not say which run wrote it: remove it
 * before each start.
 *
 * ```js
 * sessionOutcome({ exitText: "137\n", stopRequested: false }); // { kind: "signalled", signal: 9 }
 * sessionOutcome({ exitText: null, stopRequested: true }); // { kind: "stopped" }
 * sessionOutcome({ exitText: "", stopRequested: false }); // { kind: "unknown" }
 * ```
 */
export declare function sessionOutcome(end: SessionEnd): SessionOutcome;
