// The calls of seatkit/inbox-claims that touch the disk, each returning a promise, as node:fs/promises
// is to node:fs.
export {
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
} from "./inbox-claims.promises.cjs";
