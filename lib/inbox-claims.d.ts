/** Where an item stands; its file name alone decides. */
export type InboxState = "new" | "claimed" | "deferred" | "processed" | "dead";

/** A time: milliseconds since the epoch, or a `Date`. */
export type Time = number | Date;

/** An item's file, as it was met. */
export interface InboxFile {
  id: string;
  /** The folder it is in. */
  service: string;
  state: InboxState;
  /** Its bare name. */
  file: string;
  path: string;
}

/** An item of a listing. */
export interface InboxItem extends InboxFile {
  markers: SessionMarkers;
  /** How often it was claimed; `null` where the file system cannot keep that. */
  attempts: number | null;
  /** There only where it was asked for; `null` for what no sweep moves, and for what `error` keeps where it is. */
  next?: NextSweep | null;
  /** There where the item cannot be read (`io`), or stays where it is: no call takes it, or no sweep that is due. */
  error?: "io" | "linked" | "unstampable" | "conflict";
  /** The errno name, where `error` is `io`. */
  code?: string;
  /** What is the matter, for a person. */
  message?: string;
}

/** What becomes of an item if nobody does anything but sweep. */
export interface NextSweep {
  /** `replied-retired` makes it `processed`, `attempts-exhausted` `dead`, everything else `new`. */
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
  /** ISO 8601; there only where the work on it failed. */
  failedAt?: string;
  failedReason?: string;
}

/** The lines of a marker block; what is missing or `null` gets no line. */
export interface MarkerLines {
  claimedBy?: string | null;
  /** When it is claimed; the clock where missing. */
  now?: Time;
  deferredUntil?: Time | null;
  deferredReason?: string | null;
  repliedAt?: Time | null;
}

/** Which item a call is about; the answer of a claim is one. */
export interface ItemRef {
  /**
   * Its id, its stem or its file name. The SDK's calls (claim, deferral, replied) also take a whole part of an id that
   * no other item has: `abc123` of `cohort-abc123`.
   */
  id: string;
  /** Its bare file name, as found or listed: no folder is scanned. The state in the name may be an older one. */
  file?: string | null;
  /** The token of the caller's claim. Where several items have the id, the one that carries it is meant. */
  token?: string | null;
}

/** Where `findInboxFile` looks. */
export interface FindOptions {
  /** Search this service alone. */
  service?: string | null;
  /** Search the archive too. */
  archived?: boolean;
}

/** What `listInbox` lists; everything where nothing is given. */
export interface ListOptions {
  service?: string | null;
  state?: InboxState | InboxState[] | null;
  /** Say of each item what a sweep will do with it, and when: the sweep with these options, or the usual one. */
  next?: boolean | SweepOptions;
  /** What was archived, too. */
  archived?: boolean;
}

/** What an owner can show. */
export interface OwnerOptions {
  /** The token of the claim; where the claim is over the call is refused as `claim-lost`. */
  token?: string | null;
  /** When it happens; the clock where missing. */
  now?: Time;
}

/** How to claim. */
export interface ClaimOptions {
  /** When it happens; the clock where missing. */
  now?: Time;
  /** Who claims; a sweep gives back the claims of `session`, the usual owner, and of its `owners`. */
  claimedBy?: string;
  /** Give the claim a token, which later calls can show. */
  token?: boolean | null;
}

/** How to defer. */
export interface DeferralOptions extends OwnerOptions {
  /** When the item is new again. */
  until: Time;
  /** Why; `""` where missing, and no line for `null`. */
  reason?: string | null;
}

/** How the work on an item failed. */
export interface FailOptions extends OwnerOptions {
  reason?: string;
  /** When to try again; the item is dead where missing. */
  retryAt?: Time | null;
  /** How many attempts there are: an item that was claimed so often is dead, whatever `retryAt` says. */
  maxAttempts?: number | null;
}

/** Where `reopenInboxItem` takes an item from. */
export interface ReopenOptions {
  from: "deferred" | "dead";
  token?: string | null;
}

/** How to deliver. */
export interface DeliverOptions {
  /**
   * The id: 1 to 200 of `A-Z a-z 0-9 _ . : + - @ = ~ ,`, the first a letter, a digit or `_`, and not the ending of an
   * item's file. Where missing, the item's own `id`, or else a fresh UUID.
   */
  id?: string | null;
  /** When it is delivered, which orders the items; the clock where missing. */
  now?: Time;
  /** Whether the item is on the disk when the call returns; it is where missing. */
  durable?: boolean;
}

/** What to claim next. */
export interface NextOptions {
  /** Of this service alone. */
  service?: string | null;
  now?: Time;
  claimedBy?: string;
  /** Give the claim a token; it has one unless this is `false`. */
  token?: boolean;
}

/** What to move to the archive. */
export interface ArchiveOptions {
  /** Items that have been processed for longer than this, in milliseconds. */
  olderThanMs: number;
  /** Only those with these ids. */
  ids?: string[] | null;
  now?: Time;
  /** Answer what would be moved, and move nothing. */
  dryRun?: boolean;
}

/** Why a call on one item changed nothing. */
export type MarkError =
  | "not-claimable"
  | "not-deferrable"
  | "not-in-flight"
  | "not-claimed"
  | "not-found"
  | "already-replied"
  | "conflict"
  | "claim-lost"
  | "unstampable"
  | "disturbed"
  | "linked"
  | "busy"
  | "invalid-argument"
  | "invalid-time"
  | "io";

/** A refused call; the item is as it was. */
export interface MarkRefusal {
  ok: false;
  error: MarkError;
  /** The errno name, such as `ENOSPC`, where `error` is `io`. */
  code?: string;
  message: string;
}

/** What became of an item. */
export type MarkResult = { ok: true; path: string } | MarkRefusal;

/** A claim, which is an item for the later calls. */
export interface Claimed {
  ok: true;
  id: string;
  service: string;
  file: string;
  path: string;
  /** There only where it was asked for. */
  token?: string;
}

/** What became of a claim. */
export type ClaimResult = Claimed | MarkRefusal;

/** The same of a claim with a token. */
export type TokenClaimResult = (Claimed & { token: string }) | MarkRefusal;

/** What became of a failure. */
export type FailResult = { ok: true; path: string; state: "deferred" | "dead" } | MarkRefusal;

/** What became of a delivery; `created` is false where the id was there already, in any state or in the archive. */
export type DeliverResult = ({ ok: true; created: boolean } & InboxFile) | MarkRefusal;

/** The next item, claimed. */
export interface NextClaim extends Claimed {
  /** How often it was claimed, this claim included; `null` where the file system cannot keep that. */
  attempts: number | null;
  /** The item's own text. */
  text: string;
  /** What the text says; `null` where it is no mapping, or one that takes more to read than it is long. */
  item: Record<string, unknown> | null;
  /** What could not be claimed and was passed over. */
  skipped?: SweepFailure[];
}

/** There is nothing to claim. */
export interface NothingNext {
  ok: false;
  error: "empty";
  message: string;
  skipped?: SweepFailure[];
}

/** What became of `claimNextItem`. */
export type NextResult = NextClaim | NothingNext;

/** How to sweep. */
export interface SweepOptions {
  /** The time against which everything is judged; the clock where missing. */
  now?: Time;
  /** Whether a session lives, so that items a daemon lost are given back. */
  sessionLive?: boolean;
  /** Answer what would be done, and do nothing. */
  dryRun?: boolean;
  /** In place of `SESSION_CLAIM_STALE_MS`. */
  staleMs?: number;
  /** In place of `DAEMON_ORPHAN_RECLAIM_MS`. */
  orphanMs?: number;
  /** In place of `REPLIED_RETIRE_MS`. */
  retireMs?: number;
  /** Whose claims are given back beside those of `session`. */
  owners?: string[] | null;
  /** An item that was claimed this often is given up (`dead`) where it would be given back. */
  maxAttempts?: number | null;
}

/** How a daemon sweeps. */
export interface DaemonSweepOptions extends Omit<SweepOptions, "sessionLive"> {
  /** Says whether a session lives: an object with `frontDoor: "session"` and `sessionLive: true`. */
  readState?: ((root: string) => unknown) | null;
}

/** Why a sweep moved an item. */
export type SweepReason = "claim-stale" | "deferral-due" | "replied-retired" | "daemon-orphan" | "attempts-exhausted";

/** Something that could not be handled; the rest was. */
export interface SweepFailure {
  /** `null` for the inbox itself. */
  service: string | null;
  /** `null` for a folder. */
  file: string | null;
  /**
   * `busy`: due, and held by another process. `linked`: a second link, or a service that is a link. `disturbed`: due, and
   * something was added after its block on a file system that cannot exchange files. `no-attempts`: given back however
   * often it was claimed. `conflict`, `unstampable` and `io` as of a call.
   */
  error: MarkError | "no-attempts";
  code?: string;
  message: string;
}

/** What a sweep did. */
export interface SweepResult {
  /** The items moved, in the order of services and names. */
  reopened: { id: string; service: string; reason: SweepReason; path: string }[];
  /** How many items were in flight. */
  scanned: number;
  /** There only where there is any. */
  failed?: SweepFailure[];
}

/** What a daemon's sweep did. */
export interface DaemonSweepResult extends SweepResult {
  sessionLive: boolean;
}

/** What is in an inbox. */
export interface ListResult {
  /** In the order of services and names. */
  items: InboxItem[];
  /** What could not be listed; there only where there is any. */
  failed?: SweepFailure[];
}

/** What was archived. */
export interface ArchiveResult {
  /** The items, where they are now. */
  archived: InboxFile[];
  /** There only where there is any. */
  failed?: SweepFailure[];
}

/** A session's claim is given back after 20 minutes, in milliseconds. */
export declare const SESSION_CLAIM_STALE_MS: number;

/** An item that a daemon dispatched and lost is given back after 30 minutes, in milliseconds. */
export declare const DAEMON_ORPHAN_RECLAIM_MS: number;

/** A replied item is retired after 60 minutes, in milliseconds. */
export declare const REPLIED_RETIRE_MS: number;

/**
 * Renders a marker block. Throws a `RangeError` for an invalid time.
 *
 * ```js
 * sessionMarkerLines({ claimedBy: "session", now: 0 });
 * // 'claimed_by: "session"\nclaimed_at: "1970-01-01T00:00:00.000Z"\n'
 * ```
 */
export declare function sessionMarkerLines(lines?: MarkerLines): string;

/**
 * Reads the marker block that ends a text; marker-looking lines anywhere else are the item's own.
 *
 * ```js
 * parseSessionMarkers('id: m1\nclaimed_by: "session"\n').claimedBy; // "session"
 * ```
 */
export declare function parseSessionMarkers(body: string): SessionMarkers;

/**
 * The text without the marker block that ends it: the item's own.
 *
 * ```js
 * stripSessionMarkers('id: m1\nclaimed_by: "session"\n'); // "id: m1\n"
 * ```
 */
export declare function stripSessionMarkers(body: string): string;

/**
 * Finds the file of an item, in one service or in all; `null` where there is none, or where it would be a guess.
 *
 * An exact id beats any part of a stem; a part must be unique among all files. Of several files with one id the most
 * alive wins in one service, and in two services the answer is `null`. Throws an `Error` with the errno name as `code`
 * where a folder cannot be read for another reason than its rights, and nothing was found elsewhere.
 *
 * ```js
 * findInboxFile("/seat", "m1"); // { id: "m1", service: "cohort", state: "new", file: "…-m1.yaml", path: "/seat/…" }
 * ```
 */
export declare function findInboxFile(root: string, id: string, options?: FindOptions): InboxFile | null;

/**
 * Claims a new item: of any number of callers, in any number of processes, one wins. Refused as `not-claimable`, `busy`
 * (also for an empty file), `conflict`, `unstampable`, `claim-lost`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * const claim = markSessionClaim("/seat", "cohort", { id: "m1" }, { token: true });
 * if (claim.ok) markSessionReplied("/seat", "cohort", claim);
 * ```
 */
export declare function markSessionClaim(
  root: string,
  service: string,
  item: ItemRef,
  options: ClaimOptions & { token: true },
): TokenClaimResult;
export declare function markSessionClaim(root: string, service: string, item: ItemRef, options?: ClaimOptions): ClaimResult;

/**
 * Parks a new or claimed item until a time. Refused as `not-deferrable`, `already-replied`, `claim-lost`, `busy`,
 * `conflict`, `unstampable`, `disturbed`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * markSessionDeferral("/seat", "cohort", { id: "m1" }, { until: Date.now() + 3_600_000, reason: "waiting for numbers" });
 * ```
 */
export declare function markSessionDeferral(root: string, service: string, item: ItemRef, options: DeferralOptions): MarkResult;

/**
 * Notes that a claimed item was answered: it is never given back. On the disk when this returns. Refused as
 * `not-in-flight`, `claim-lost`, `busy`, `unstampable`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * markSessionReplied("/seat", "cohort", { id: "m1" }, { token });
 * ```
 */
export declare function markSessionReplied(root: string, service: string, item: ItemRef, options?: OwnerOptions): MarkResult;

/**
 * Gives back what is stale, due or orphaned, and retires what was replied to long ago.
 *
 * ```js
 * for (const { id, reason } of sweepSessionInbox("/seat", { sessionLive: true }).reopened) console.log(id, reason);
 * ```
 */
export declare function sweepSessionInbox(root: string, options?: SweepOptions): SweepResult;

/**
 * The same for a daemon, which asks `readState(root)` whether a session lives. No reader, one that throws, or a promise
 * means not live.
 *
 * ```js
 * sweepSessionInboxForDaemon("/seat", { readState: (root) => readFrontDoorState(root) }).sessionLive;
 * ```
 */
export declare function sweepSessionInboxForDaemon(root: string, options?: DaemonSweepOptions): DaemonSweepResult;

/**
 * Finishes a claimed item: it becomes `processed`. On the disk when this returns. Refused as `not-found`,
 * `not-in-flight`, `claim-lost`, `busy`, `conflict`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * markSessionDone("/seat", "cohort", claim);
 * ```
 */
export declare function markSessionDone(root: string, service: string, item: ItemRef, options?: OwnerOptions): MarkResult;

/**
 * Gives a claimed item back at once. Refused as `not-found`, `not-in-flight`, `already-replied`, `claim-lost`, `busy`,
 * `conflict`, `disturbed`, `invalid-argument` or `io`.
 *
 * ```js
 * releaseSessionClaim("/seat", "cohort", claim); // { ok: true, path: "…/m1.yaml" }
 * ```
 */
export declare function releaseSessionClaim(root: string, service: string, item: ItemRef, options?: OwnerOptions): MarkResult;

/**
 * Starts a claim's time anew, for work that takes longer than 20 minutes. Refused as `not-found`, `not-in-flight`,
 * `already-replied`, `claim-lost`, `busy`, `disturbed`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * setInterval(() => renewSessionClaim("/seat", "cohort", claim), 10 * 60_000);
 * ```
 */
export declare function renewSessionClaim(root: string, service: string, item: ItemRef, options?: OwnerOptions): MarkResult;

/**
 * Says that the work on a claimed item failed: it is tried again at `retryAt`, or given up (`dead`) without one or after
 * `maxAttempts`. Refused as `not-found`, `not-claimed`, `already-replied`, `claim-lost`, `busy`, `conflict`,
 * `unstampable`, `disturbed`, `invalid-argument`, `invalid-time` or `io`.
 *
 * ```js
 * failInboxItem("/seat", "cohort", claim, { reason: "the build is red", retryAt: Date.now() + 60_000, maxAttempts: 5 });
 * ```
 */
export declare function failInboxItem(root: string, service: string, item: ItemRef, options?: FailOptions): FailResult;

/**
 * Gives a deferred or dead item back at once; a dead one's attempts are forgotten. Refused as `not-found` (also for an
 * item in another state), `claim-lost`, `busy`, `conflict`, `disturbed`, `invalid-argument` or `io`.
 *
 * ```js
 * reopenInboxItem("/seat", "cohort", { id: "m1" }, { from: "dead" });
 * ```
 */
export declare function reopenInboxItem(root: string, service: string, item: ItemRef, options: ReopenOptions): MarkResult;

/**
 * Delivers a new item, whole or not at all: an object, which gets `id`, `service` and `timestamp` where it has none, or a
 * text as it is. A delivery may be repeated: an id that is there already is not written again. What is written can be
 * claimed, and every YAML parser reads it back equal. Refused as `invalid-argument`, `unstampable`, `busy`, `linked` or
 * `io`.
 *
 * ```js
 * deliverInboxItem("/seat", "cohort", { sender: "Olivia", content: "the deck, please" }, { id: "m1" });
 * ```
 */
export declare function deliverInboxItem(
  root: string,
  service: string,
  item: Record<string, unknown> | string,
  options?: DeliverOptions,
): DeliverResult;

/**
 * Claims the oldest new item that can be claimed, of one service or of all; of any number of callers each gets another
 * one. It does not sweep: somebody has to.
 *
 * ```js
 * const next = claimNextItem("/seat");
 * if (next.ok) console.log(next.item?.content);
 * ```
 */
export declare function claimNextItem(root: string, options: NextOptions & { token: false }): NextResult;
export declare function claimNextItem(root: string, options?: NextOptions): (NextClaim & { token: string }) | NothingNext;

/**
 * Lists the items of one service or of all, in some states or in all. One that cannot be read hides nothing else.
 *
 * ```js
 * for (const { id, state } of listInbox("/seat", { state: ["new", "claimed"] }).items) console.log(id, state);
 * ```
 */
export declare function listInbox(root: string, options?: ListOptions): ListResult;

/**
 * Moves items that have been processed for long to `<root>/state/inbox-archive/<service>/<YYYY-MM>/`, so that a sweep
 * costs what is in flight and not what ever was.
 *
 * ```js
 * archiveProcessed("/seat", { olderThanMs: 7 * 86_400_000 }).archived.length;
 * ```
 */
export declare function archiveProcessed(root: string, options: ArchiveOptions): ArchiveResult;

/** The same names as one object. */
declare const names: typeof import("./inbox-claims");
export default names;
