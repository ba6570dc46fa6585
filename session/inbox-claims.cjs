"use strict";

const {
  SESSION_CLAIM_STALE_MS,
  DAEMON_ORPHAN_RECLAIM_MS,
  REPLIED_RETIRE_MS,
  sessionMarkerLines,
  parseSessionMarkers,
  stripSessionMarkers,
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
} = require("../index.js");

// What `import` calls `default` is `default` here too, for code that was compiled from it.
Object.defineProperty(module.exports, "__esModule", { value: true });

module.exports.SESSION_CLAIM_STALE_MS = SESSION_CLAIM_STALE_MS;
module.exports.DAEMON_ORPHAN_RECLAIM_MS = DAEMON_ORPHAN_RECLAIM_MS;
module.exports.REPLIED_RETIRE_MS = REPLIED_RETIRE_MS;
module.exports.sessionMarkerLines = sessionMarkerLines;
module.exports.parseSessionMarkers = parseSessionMarkers;
module.exports.stripSessionMarkers = stripSessionMarkers;
module.exports.findInboxFile = findInboxFile;
module.exports.markSessionClaim = markSessionClaim;
module.exports.markSessionDeferral = markSessionDeferral;
module.exports.markSessionReplied = markSessionReplied;
module.exports.sweepSessionInbox = sweepSessionInbox;
module.exports.sweepSessionInboxForDaemon = sweepSessionInboxForDaemon;
module.exports.markSessionDone = markSessionDone;
module.exports.releaseSessionClaim = releaseSessionClaim;
module.exports.renewSessionClaim = renewSessionClaim;
module.exports.listInbox = listInbox;
module.exports.default = {
  SESSION_CLAIM_STALE_MS,
  DAEMON_ORPHAN_RECLAIM_MS,
  REPLIED_RETIRE_MS,
  sessionMarkerLines,
  parseSessionMarkers,
  stripSessionMarkers,
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
};
