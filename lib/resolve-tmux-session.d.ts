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
export type TmuxSessionLookupResult = { ok: true; sessionId: string } | { ok: false; reason: TmuxSessionRejectReason };

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
 * The arguments of tmux that look a session up. `=NAME` is the target that matches exactly, and
 * `list-windows` answers with an exit code for absence.
 *
 * Throws an `Error` for a name that `classifyTmuxSessionName` refuses.
 *
 * ```js
 * buildTmuxSessionLookupArgs("work"); // ["list-windows", "-t", "=work", "-F", "#{session_id}"]
 * ```
 */
export declare function buildTmuxSessionLookupArgs(name: string): string[];

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

export { resolveTmuxSessionExact, runTmux } from "./mux";
export type { RunTmuxOptions, TmuxRun, TmuxSessionExactResult } from "./mux";
