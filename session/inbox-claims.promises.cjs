// The calls of seatkit/inbox-claims that touch the disk, off the calling thread: for `require`.
"use strict";

const native = require("../native.js");

async function findInboxFile(root, id, options = undefined) {
  return native.findInboxFileAsync(root, id, options);
}

async function markSessionClaim(root, service, item, options = undefined) {
  return native.markSessionClaimAsync(root, service, item, options);
}

async function markSessionDeferral(root, service, item, options = undefined) {
  return native.markSessionDeferralAsync(root, service, item, options);
}

async function markSessionReplied(root, service, item, options = undefined) {
  return native.markSessionRepliedAsync(root, service, item, options);
}

async function sweepSessionInbox(root, options = undefined) {
  return native.sweepSessionInboxAsync(root, options);
}

async function sweepSessionInboxForDaemon(root, options = undefined) {
  return native.sweepSessionInboxForDaemonAsync(root, options);
}

async function markSessionDone(root, service, item, options = undefined) {
  return native.markSessionDoneAsync(root, service, item, options);
}

async function releaseSessionClaim(root, service, item, options = undefined) {
  return native.releaseSessionClaimAsync(root, service, item, options);
}

async function renewSessionClaim(root, service, item, options = undefined) {
  return native.renewSessionClaimAsync(root, service, item, options);
}

async function listInbox(root, options = undefined) {
  return native.listInboxAsync(root, options);
}

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
