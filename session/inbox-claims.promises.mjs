// The calls of seatkit/inbox-claims that touch the disk, each returning a promise, as node:fs/promises
// is to node:fs.
import { native } from "../index.mjs";

export const {
  findInboxFile,
  markSessionClaim,
  markSessionDeferral,
  markSessionReplied,
  sweepSessionInbox,
  sweepSessionInboxForDaemon,
  markSessionDone,
  releaseSessionClaim,
  renewSessionClaim,
  listInbox,
} = native.promises;
