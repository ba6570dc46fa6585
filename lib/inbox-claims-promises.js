// The calls of `seatkit/inbox-claims`, each off the main thread and returning a promise.
"use strict";

const { promises } = require("./native");
const { checked, untilClaimed, watchInbox } = require("./inbox-watch");
const claims = require("./inbox-claims");

exports.SESSION_CLAIM_STALE_MS = claims.SESSION_CLAIM_STALE_MS;
exports.DAEMON_ORPHAN_RECLAIM_MS = claims.DAEMON_ORPHAN_RECLAIM_MS;
exports.REPLIED_RETIRE_MS = claims.REPLIED_RETIRE_MS;
exports.sessionMarkerLines = claims.sessionMarkerLines;
exports.parseSessionMarkers = claims.parseSessionMarkers;
exports.stripSessionMarkers = claims.stripSessionMarkers;

// `async`, so that a wrong argument is a rejection and never a throw.
const promised = (name) => Object.defineProperty(async (...args) => promises[name](...args), "name", { value: name });

exports.findInboxFile = promised("findInboxFile");
exports.markSessionClaim = promised("markSessionClaim");
exports.markSessionDeferral = promised("markSessionDeferral");
exports.markSessionReplied = promised("markSessionReplied");
exports.sweepSessionInbox = promised("sweepSessionInbox");
exports.sweepSessionInboxForDaemon = async function sweepSessionInboxForDaemon(root, options = undefined) {
  return promises.sweepSessionInboxForDaemon(root, options, claims.ask(options, root));
};
exports.markSessionDone = promised("markSessionDone");
exports.releaseSessionClaim = promised("releaseSessionClaim");
exports.renewSessionClaim = promised("renewSessionClaim");
exports.failInboxItem = promised("failInboxItem");
exports.reopenInboxItem = promised("reopenInboxItem");
exports.deliverInboxItem = promised("deliverInboxItem");
exports.claimNextItem = async function claimNextItem(root, options = undefined) {
  // What is no object is refused in the words of all calls.
  if (typeof options !== "object" || options === null) return promises.claimNextItem(root, options);
  const { wait, signal, timeoutMs, ...rest } = options;
  const waiting = checked(root, { service: rest.service, signal, timeoutMs, wait });
  const claim = () => promises.claimNextItem(root, rest);
  waiting.signal?.throwIfAborted();
  return waiting.wait ? untilClaimed(root, claim, waiting) : claim();
};
exports.watchInbox = watchInbox;
exports.listInbox = promised("listInbox");
exports.archiveProcessed = promised("archiveProcessed");

// What `import` gives as `default`, for `require` too; not listed, so that it is no name of the whole package.
Object.defineProperty(exports, "default", { value: exports });
