// As inbox-claims.promises.mjs, for `require`.
"use strict";

require("../index.js");
const {
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
} = require("../native.js").promises;

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
