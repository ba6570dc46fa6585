import type { SafeMuxLaunch, SessionOutcome } from "./mux";

/** A process, distinguished from any other that has its id before or after it. */
export interface ProcessId {
  pid: number;
  /** In its system's own unit (Linux: ticks since the boot; macOS: microseconds since the epoch); only ever compared. */
  startedAt: number;
  /** Which boot of the machine that was: the kernel's own name for it. */
  boot: string;
}

/** A signal that asks a program to end. */
export type StopSignal = "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT" | "SIGUSR1" | "SIGUSR2";

/** One run of a session, as it stands in its file in JSON. */
export interface SessionRecord {
  /** The run: a UUID. Everything that comes of it inherits it as `SEATKIT_RUN`. */
  run: string;
  /** What the session was called when it was started. */
  name: string;
  kind: "tmux" | "screen";
  /** The multiplexer's program. */
  bin: string;
  /** tmux: the server that was asked for. screen: its folder of sockets. `null` is the user's usual one. */
  socket: string | null;
  /** When it was started, in milliseconds since the epoch. */
  started: number;
  /** The agent; `null` until it runs, and where it never did or ended at once. */
  process: ProcessId | null;
  /** The shell that waits for it and records its code. */
  shell: ProcessId | null;
  /** The server that shows it. */
  server: (ProcessId & { socket: string | null }) | null;
  /** tmux: the session that it was started in, `$3`. screen: `PID.NAME`. */
  sessionId: string | null;
  /** tmux: its pane, `%7`, the same wherever it is moved. screen: its window's title. */
  paneId: string | null;
  /** Its exit code in the first line, its run in the second, once it has ended. */
  exitFile: string;
  stopSignal: StopSignal;
  /** Whether somebody asked it to end; on record before anything is sent. */
  stopRequested: boolean;
  /** `"kernel"`, or `"looking"` (once a second) where the kernel tells nothing of a process. */
  endToldBy: "kernel" | "looking";
}

/** What a session is started with; what `buildSafeMuxCommands` takes too means the same here. */
export interface SessionLaunch extends Pick<
  SafeMuxLaunch,
  "muxName" | "claudeBin" | "socket" | "config" | "utf8" | "scrubEnv" | "size" | "terminator"
> {
  cwd: string;
  claudeArgs?: readonly string[] | null;
  /** As `chooseMux` gives it; the first of `muxCandidates` that is there where it is missing, tmux before screen. */
  mux?: { kind: "tmux" | "screen"; bin: string } | null;
  /** The prompt, or `true` where the last of `claudeArgs` is it. As long as the kernel takes: 128 KiB on Linux. */
  prompt?: string | boolean | null;
  /** Variables to set or, with `null`, to take out. No value of them stands in any process's arguments. */
  env?: Record<string, string | null | undefined> | null;
  /** Where the run is put on record, absolute; `${exitFile}.session` where only that is given. */
  recordFile?: string | null;
  /** Where its exit code is recorded, absolute; `${recordFile}.exit` where only that is given. */
  exitFile?: string | null;
  /** What asks it to end; `SIGTERM` where it is not given. */
  stopSignal?: StopSignal | null;
}

/** Why a session was not started. `MuxCommandError` has the words for what is refused beforehand. */
export interface SessionRefused {
  ok: false;
  /**
   * `already-running`: the run on record lives, whatever became of its name, socket or server; adopt it.
   * `busy`: another start or stop of the record took too long. `name-taken`: a session that is no run of this
   * record has the name. `mux-missing`, `mux-not-run`, `mux-failed`, `mux-unavailable` (no answer within 10 s):
   * what the multiplexer did. `program-missing`, `not-started`: what the program did. `too-long`: an argument
   * that the kernel gives nobody. `env-name-reserved`: a variable that shells keep. `record-file-missing`.
   * `no-record`: what stands there is none. `io`: the system, its words in `message`.
   */
  error: string;
  message: string;
}

/** A session that was started or adopted. */
export interface Session {
  /** What is known of it: plain JSON, a new object each time. */
  readonly record: SessionRecord;
  /** Where its record stands. */
  readonly recordFile: string;
  /** What its process does, by the process alone: nobody is asked and nothing waited for. */
  state(): "running" | "suspended" | "ended";
  /**
   * Where it is shown now, wherever a person moved it; `null` where no pane shows it. Rejects with a `code`
   * (`mux-unavailable`) where its server does not answer within 10 s.
   */
  where(): Promise<SessionPlace | null>;
  /**
   * Its outcome, once it has ended: told by the kernel, without polling. `null` after `timeoutMs`; rejects
   * with the signal's reason. It ends with its own process, whatever else lives in that session.
   */
  ended(): Promise<SessionOutcome>;
  ended(options: { timeoutMs?: number | null; signal?: AbortSignal | null } | null | undefined): Promise<SessionOutcome | null>;
  /**
   * Ends it: puts the request on record, asks the agent's process group, waits `graceMs` (10,000), and kills
   * what is left of its group, its session and all that descends from it. What forked away is left and named;
   * `everything` ends that too, but never a process of another run.
   */
  stop(options?: StopOptions | null): Promise<StopResult>;
  /** Types `text` into its pane as it is, bracketed where its program asks for that (tmux), and then Enter. */
  send(text: string, options?: { enter?: boolean | null } | null): Promise<void>;
  /** What its pane shows, or the last `lines` of it; blank lines at the end are left out. */
  read(options?: { lines?: number | null } | null): Promise<string>;
}

/** Where a session is shown. */
export interface SessionPlace {
  /** tmux: `$3`; of several that show the pane, the one it was started in where that does. screen: `PID.NAME`. */
  sessionId: string;
  /** What the session is called now. */
  sessionName: string;
  /** tmux: `@3`. screen: `null`, it has none. */
  windowId: string | null;
  /** tmux: `%3`. screen: the title of the window. */
  paneId: string;
}

export interface StopOptions {
  /** How long its program may take to end by itself; 10,000 where it is not given. */
  graceMs?: number | null;
  /** Whether what it left for others ends too. */
  everything?: boolean | null;
  /** What asks it to end; what is on record where it is not given. */
  stopSignal?: StopSignal | null;
}

/** A process of a run, with at most 120 characters of its words. */
export interface RunProcess {
  pid: number;
  command: string;
}

export interface StopResult {
  /** `stopped` where a signal ended it or nothing was recorded; its own code where it ended with one. */
  outcome: SessionOutcome;
  /** What ended, the agent first; `by` the signal that was sent last, or `itself`. */
  ended: (RunProcess & { by: StopSignal | "SIGKILL" | "itself" })[];
  /** What carries the run's id and lives on. */
  left: RunProcess[];
}

/** A run that still has processes. */
export interface Run {
  run: string;
  /** `null` where its processes do not show it. */
  name: string | null;
  recordFile: string | null;
  /** The oldest first. */
  processes: RunProcess[];
}

/**
 * Starts a session and proves that its program lives.
 *
 * ```js
 * const started = await startSession({
 *   muxName: "maestro-olivia", cwd: "/agent", claudeBin: "claude", prompt: "hello", recordFile: "/agent/session.json",
 * });
 * if (!started.ok) throw new Error(started.message);
 * console.log(await started.session.ended());   // { kind: "exited", code: 0 }
 * ```
 */
export declare function startSession(options: SessionLaunch): Promise<{ ok: true; session: Session } | SessionRefused>;

/** The session of a record, running or ended alike; `no-record` where there is none. */
export declare function adoptSession(recordFile: string): Promise<{ ok: true; session: Session } | SessionRefused>;

/** Every run of this user that still has processes, with or without a record. */
export declare function listRuns(): Promise<Run[]>;

/** Ends what is left of a run: asks, waits `graceMs`, kills. One on record is stopped by its record. */
export declare function stopRun(run: string, options?: Pick<StopOptions, "graceMs"> | null): Promise<Pick<StopResult, "ended" | "left">>;
