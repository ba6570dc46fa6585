import type { MuxCommandError, NoEnvironment, TmuxRun } from "./mux";

export type { TmuxRun } from "./mux";

/** What `INSPECT_FORMAT` asks for, in order. Frozen. */
export declare const PLACEMENT_FIELDS: readonly ["pid", "session_id", "window_id", "window_index", "pane_id", "pane_pid"];

/** What `APPEND_FORMAT` asks for, in order. Frozen. */
export declare const WINDOW_FIELDS: readonly ["window_id", "window_index", "pane_id", "pane_pid"];

/** What identifies where a placement is. */
export interface PlacementContext {
  /** The server's process id, in decimal. */
  serverPid: string;
  /**
   * When the server started, where that is known: seconds since the epoch and, after a `/`, the start
   * of its process as the system has it. In a container the next server has the same process id.
   */
  serverStart?: string | undefined;
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

/** A window that was opened. Its server binds it: ids are never used twice in one server's life. */
export interface WindowHandle extends PlacementContext, WindowFields {}

/** Why a caller's place could not be told. */
export type PlacementRejectReason = "no-tmux-context" | "anchor-malformed" | "anchor-unresolved" | "anchor-mismatch";

/** The caller's pane, or why there is none. */
export type AnchorResult = { ok: true; anchor: string } | { ok: false; reason: "no-tmux-context" | "anchor-malformed" };

/** The caller's place, or why it cannot be told. */
export type InspectResult = { ok: true; placement: Placement } | { ok: false; reason: PlacementRejectReason };

/** How a close ended. */
export type CloseOutcome = "closed" | "already-gone";

/** How the verbs of placement run tmux. The server is always the one that `TMUX` names. */
export interface PlacementOptions extends NoEnvironment {
  /** How many ms each run of tmux may take before it is killed; 10,000 where it is not given. */
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
export interface FreshWindowOptions extends NoEnvironment {
  /** Where the window starts; without it, the folder of the process that runs tmux. */
  cwd?: string | null;
  /** Variables to take out of the program's environment, such as `CLAUDECODE`. */
  scrubEnv?: readonly string[] | null;
  /** Variables to set in the program's environment or, with `null`, to take out of it. */
  env?: Record<string, string | null | undefined> | null;
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
export declare function buildListWindowIdsArgs(): string[];

/**
 * Reads the answer to `buildInspectArgs(anchor)`, whose status proves nothing: `{ ok: true,
 * placement }`, or `{ ok: false, reason }` with `anchor-mismatch` where it is about another pane
 * and `anchor-unresolved` for anything but one whole row.
 *
 * ```js
 * parsePlacement("%14", "8150|$11|@14|2|%14|74235\n");
 * // { ok: true, placement: { serverPid: "8150", sessionId: "$11", windowId: "@14", ... } }
 * parsePlacement("%14", "8150|||||\n"); // { ok: false, reason: "anchor-unresolved" }
 * ```
 */
export declare function parsePlacement(anchor: string, stdout: string): InspectResult;

/**
 * Reads what `new-window -P -F` printed with `APPEND_FORMAT`. Throws an `Error` where that is no
 * handle: a window may be open then that nobody can name.
 *
 * ```js
 * parseWindowFields("@2|3|%2|76957\n");
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
 * Whether two placements are of one server: its process id, and its start where both have it. A
 * close needs no more: within one server's life a window id names one window, in whatever session
 * it is.
 */
export declare function isSameServer(origin: PlacementContext, now: PlacementContext): boolean;

/**
 * Passes where the caller, whose environment is `env`, stands on the server and in the session of
 * `origin`. Throws an `Error` whose `code` is `context-changed` or `caller-unresolved` for anything
 * else; `label` is what is to be done, for its message.
 */
export declare function requireSameContext(
  label: string,
  origin: PlacementContext,
  env: Record<string, string | undefined>,
  options?: PlacementOptions | null,
): void;

/**
 * Passes where the caller, whose environment is `env`, stands on the server of `origin`, in whatever
 * session. Throws an `Error` whose `code` is `server-changed` or `caller-unresolved` for anything
 * else; `label` is what is to be done, for its message.
 */
export declare function requireSameServer(
  label: string,
  origin: PlacementContext,
  env: Record<string, string | undefined>,
  options?: PlacementOptions | null,
): void;

/**
 * Runs tmux on the server that `env` names, with that as its whole environment,
 * and gives what it answered, as `runTmux` of `seatkit/mux` does. The arguments are the caller's
 * own: nothing about them is checked.
 */
export declare function runTmux(
  args: readonly string[],
  env: Record<string, string | undefined>,
  options?: PlacementOptions | null,
): TmuxRun;

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
 * The answer is believed only where it echoes the pane that was asked for, and comes from the server
 * that `TMUX` names: where its second field is a process id and another server answers on that
 * socket, the pane went with the first (`anchor-mismatch`). Throws an `Error` where
 * tmux cannot be run or fails, such as without a server.
 *
 * ```js
 * const inspected = inspectPlacement();
 * if (inspected.ok) appendWindow(inspected.placement);
 * ```
 */
export declare function inspectPlacement(env?: Record<string, string | undefined>, options?: PlacementOptions | null): InspectResult;

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
export declare function appendWindow(
  placement: Placement,
  env?: Record<string, string | undefined>,
  options?: PlacementOptions | null,
): WindowHandle;

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
export declare function closeWindow(
  handle: WindowHandle,
  env?: Record<string, string | undefined>,
  options?: PlacementOptions | null,
): CloseOutcome;

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
 * answer or, where it cannot be launched otherwise, the refusal. Folder and `command` are joined, and
 * `.`, `..` and doubled `/` taken out by their text.
 *
 * Throws a `LaunchPreconditionError`, with the reason `runtime-unresolved` where there is none.
 *
 * ```js
 * resolveRuntimeOnPath("claude"); // "/usr/local/bin/claude" for example
 * ```
 */
export declare function resolveRuntimeOnPath(command: string, env?: Record<string, string | undefined>): string;

/**
 * The arguments that open a window at the end of a session and run a program in it, without a
 * shell and without moving anybody's focus; tmux prints the handle that `parseWindowFields` reads.
 *
 * The target is a native session id and nothing else. `cwd` is where the window starts; without it
 * that is the folder of the process that runs tmux, not the session's. `env` and `scrubEnv` change
 * the variables of the program itself: the server's own are those of whoever started it. A blank in
 * the program's path does no harm here, because no shell sees it.
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
export declare function buildFreshWindowArgs(
  targetSessionId: string,
  runtimePath: string,
  args: readonly string[],
  options?: FreshWindowOptions | null,
): string[];
