import type * as claims from "./inbox-claims";
import type { ClaimOptions, ClaimResult, ItemRef, NextClaim, NextOptions, NextResult, NothingNext, TokenClaimResult } from "./inbox-claims";

export type * from "./inbox-claims";
export {
  SESSION_CLAIM_STALE_MS,
  DAEMON_ORPHAN_RECLAIM_MS,
  REPLIED_RETIRE_MS,
  sessionMarkerLines,
  parseSessionMarkers,
  stripSessionMarkers,
} from "./inbox-claims";

/** A call off the main thread; a wrong argument is a rejection. */
export type Promised<F extends (...args: never[]) => unknown> = (...args: Parameters<F>) => Promise<ReturnType<F>>;

/** As `findInboxFile` of `seatkit/inbox-claims`. */
export declare const findInboxFile: Promised<typeof claims.findInboxFile>;
/** As `markSessionClaim` of `seatkit/inbox-claims`. */
export declare function markSessionClaim(
  root: string,
  service: string,
  item: ItemRef,
  options: ClaimOptions & { token: true },
): Promise<TokenClaimResult>;
export declare function markSessionClaim(root: string, service: string, item: ItemRef, options?: ClaimOptions): Promise<ClaimResult>;
/** As `markSessionDeferral` of `seatkit/inbox-claims`. */
export declare const markSessionDeferral: Promised<typeof claims.markSessionDeferral>;
/** As `markSessionReplied` of `seatkit/inbox-claims`. */
export declare const markSessionReplied: Promised<typeof claims.markSessionReplied>;
/** As `sweepSessionInbox` of `seatkit/inbox-claims`. */
export declare const sweepSessionInbox: Promised<typeof claims.sweepSessionInbox>;
/** As `sweepSessionInboxForDaemon` of `seatkit/inbox-claims`; the reader is called on the main thread. */
export declare const sweepSessionInboxForDaemon: Promised<typeof claims.sweepSessionInboxForDaemon>;
/** As `markSessionDone` of `seatkit/inbox-claims`. */
export declare const markSessionDone: Promised<typeof claims.markSessionDone>;
/** As `releaseSessionClaim` of `seatkit/inbox-claims`. */
export declare const releaseSessionClaim: Promised<typeof claims.releaseSessionClaim>;
/** As `renewSessionClaim` of `seatkit/inbox-claims`. */
export declare const renewSessionClaim: Promised<typeof claims.renewSessionClaim>;
/** As `failInboxItem` of `seatkit/inbox-claims`. */
export declare const failInboxItem: Promised<typeof claims.failInboxItem>;
/** As `reopenInboxItem` of `seatkit/inbox-claims`. */
export declare const reopenInboxItem: Promised<typeof claims.reopenInboxItem>;
/** As `deliverInboxItem` of `seatkit/inbox-claims`. */
export declare const deliverInboxItem: Promised<typeof claims.deliverInboxItem>;
/** How to wait for the next item. */
export interface WaitOptions extends NextOptions {
  /** Wait until there is one. */
  wait?: boolean;
  /** Ends the wait: the promise is rejected with the signal's reason. Sent before the call, it claims nothing. */
  signal?: AbortSignal | null;
  /** The longest wait, in milliseconds; the answer is `empty` then. */
  timeoutMs?: number | null;
}

/** What to watch. */
export interface WatchOptions {
  /** This service alone. */
  service?: string | null;
  /** Ends the watch: the iterator throws the signal's reason. */
  signal?: AbortSignal | null;
}

/**
 * As `claimNextItem` of `seatkit/inbox-claims`; with `wait` it waits for an item, told of by the folders themselves.
 *
 * ```js
 * const next = await claimNextItem("/seat", { wait: true, timeoutMs: 60_000 });
 * ```
 */
export declare function claimNextItem(root: string, options: WaitOptions & { token: false }): Promise<NextResult>;
export declare function claimNextItem(root: string, options?: WaitOptions): Promise<(NextClaim & { token: string }) | NothingNext>;

/**
 * One value at once and then one after each burst of changes: a hint to look, never a fact. Folders that come later are
 * watched too. Where the runtime cannot watch, and on network file systems, one value every two seconds.
 *
 * ```js
 * for await (const _ of watchInbox("/seat", { signal })) console.log((await listInbox("/seat")).items.length);
 * ```
 */
export declare function watchInbox(root: string, options?: WatchOptions): AsyncGenerator<void, never, void>;
/** As `listInbox` of `seatkit/inbox-claims`. */
export declare const listInbox: Promised<typeof claims.listInbox>;
/** As `archiveProcessed` of `seatkit/inbox-claims`. */
export declare const archiveProcessed: Promised<typeof claims.archiveProcessed>;

/** The same names as one object. */
declare const names: typeof import("./inbox-claims-promises");
export default names;
