// Who owns an inbox item, and when it is given back.
"use strict";

const native = require("./native");

/**
 * What `options.readState(root)` answers. What a caller's function throws is caught here and not natively: native code
 * cannot distinguish it from the end of a worker, which it would swallow.
 */
const ask = (options, root) => {
  try {
    const state = options.readState(root);
    // Nobody waits for a promise, so its rejection would end the process where a throw does not.
    if (state instanceof Promise) state.catch(() => {});
    return state;
  } catch {
    return undefined;
  }
};

exports.SESSION_CLAIM_STALE_MS = native.SESSION_CLAIM_STALE_MS;
exports.DAEMON_ORPHAN_RECLAIM_MS = native.DAEMON_ORPHAN_RECLAIM_MS;
exports.REPLIED_RETIRE_MS = native.REPLIED_RETIRE_MS;
exports.sessionMarkerLines = native.sessionMarkerLines;
exports.parseSessionMarkers = native.parseSessionMarkers;
exports.stripSessionMarkers = native.stripSessionMarkers;
exports.findInboxFile = native.findInboxFile;
exports.markSessionClaim = native.markSessionClaim;
exports.markSessionDeferral = native.markSessionDeferral;
exports.markSessionReplied = native.markSessionReplied;
exports.sweepSessionInbox = native.sweepSessionInbox;
exports.sweepSessionInboxForDaemon = function sweepSessionInboxForDaemon(root, options = undefined) {
  return native.sweepSessionInboxForDaemon(root, options, ask(options, root));
};
exports.markSessionDone = native.markSessionDone;
exports.releaseSessionClaim = native.releaseSessionClaim;
exports.renewSessionClaim = native.renewSessionClaim;
exports.failInboxItem = native.failInboxItem;
exports.reopenInboxItem = native.reopenInboxItem;
exports.deliverInboxItem = native.deliverInboxItem;
exports.claimNextItem = native.claimNextItem;
exports.listInbox = native.listInbox;
exports.archiveProcessed = native.archiveProcessed;

// What the promises share; put so that neither a list of keys nor a reader of exports takes it for a name of the module.
Object.defineProperties(exports, { ask: { value: ask } });
// What `import` gives as `default`, for `require` too; not listed, so that it is no name of the whole package.
Object.defineProperty(exports, "default", { value: exports });
