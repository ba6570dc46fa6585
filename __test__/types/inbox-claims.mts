import inbox, {
  DAEMON_ORPHAN_RECLAIM_MS,
  findInboxFile,
  listInbox,
  markSessionClaim,
  markSessionDeferral,
  markSessionReplied,
  parseSessionMarkers,
  sessionMarkerLines,
  sweepSessionInbox,
  sweepSessionInboxForDaemon,
} from "seatkit/inbox-claims";
import * as promises from "seatkit/inbox-claims/promises";
import type {
  ClaimResult,
  InboxFile,
  InboxState,
  MarkError,
  MarkResult,
  SessionMarkers,
  SweepFailure,
  SweepReason,
} from "seatkit/inbox-claims";
import type { SweepResult } from "seatkit/inbox-claims/promises";
import { same } from "./expect.mjs";

const claim = markSessionClaim("/seat", "mail", { id: "a1" }, { now: Date.now() });
same<typeof claim, ClaimResult>(true);
if (claim.ok) {
  same<typeof claim.path, string>(true);
  same<typeof claim.token, string | undefined>(true);
  // @ts-expect-error nothing went wrong
  claim.error;
} else {
  same<typeof claim.error, MarkError>(true);
  same<typeof claim.message, string>(true);
  // @ts-expect-error a refused claim leads nowhere
  claim.path;
  // @ts-expect-error not a word of refusal
  claim.error === "not-a-word";
}
// @ts-expect-error the answer is not known to be good yet
claim.path;
// @ts-expect-error an item is named in an object
markSessionClaim("/seat", "mail", "a1", { now: 0 });
// @ts-expect-error a time is a number or a Date
markSessionClaim("/seat", "mail", { id: "a1" }, { now: "2026-09-08" });

const deferral = markSessionDeferral("/seat", "mail", { id: "a1" }, { until: new Date(), reason: "waiting" });
same<typeof deferral, MarkResult>(true);
// @ts-expect-error a deferral has an end
markSessionDeferral("/seat", "mail", { id: "a1" }, { reason: "waiting" });
same<ReturnType<typeof markSessionReplied>, MarkResult>(true);

const found = findInboxFile("/seat", "a1", { service: "mail" });
same<typeof found, InboxFile | null>(true);
// @ts-expect-error it may not be there
found.state;
if (found) same<typeof found.state, InboxState>(true);
// @ts-expect-error not a state
if (found) found.state === "open";
const {
  items: [item],
} = listInbox("/seat", { state: ["claimed", "dead"], next: { sessionLive: true } });
if (item?.next) {
  same<typeof item.next.reason, SweepReason>(true);
  same<typeof item.next.at, number>(true);
}
// @ts-expect-error a listing has no such filter
listInbox("/seat", { sender: "olivia" });

const sweep = sweepSessionInbox("/seat", { now: 0, staleMs: 1000, dryRun: true });
same<(typeof sweep.reopened)[number]["reason"], SweepReason>(true);
same<typeof sweep.failed, SweepFailure[] | undefined>(true);
// @ts-expect-error the front door decides that for the daemon
sweepSessionInboxForDaemon("/seat", { sessionLive: true });
const live: boolean = sweepSessionInboxForDaemon("/seat", { readState: () => ({ frontDoor: "session", sessionLive: true }) }).sessionLive;

const markers = parseSessionMarkers(sessionMarkerLines({ claimedBy: "session", now: 0 }));
same<typeof markers, SessionMarkers>(true);
same<typeof markers.repliedAt, string | null>(true);
same<typeof DAEMON_ORPHAN_RECLAIM_MS, number>(true);
same<typeof inbox.findInboxFile, typeof findInboxFile>(true);

const later = promises.sweepSessionInbox("/seat");
same<typeof later, Promise<SweepResult>>(true);
same<Awaited<ReturnType<typeof promises.markSessionClaim>>, ClaimResult>(true);
// @ts-expect-error a promise has to be awaited
later.reopened;
same<typeof promises.parseSessionMarkers, typeof parseSessionMarkers>(true);
const tokened = markSessionClaim("/seat", "mail", { id: "a1" }, { token: true });
if (tokened.ok) {
  same<typeof tokened.token, string>(true);
  markSessionReplied("/seat", tokened.service, tokened, { token: tokened.token });
}
export { live };
