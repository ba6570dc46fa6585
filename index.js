// The public entry: literal exports, so that `import { name }` finds them, and nothing else of the
// addon leaks.
//
// What is here beside the calls is what JavaScript alone has: error classes, `process.env`, and a
// catch around a caller's callback, because native code cannot tell what that throws from the end
// of its thread.
"use strict";

const native = require("./native.js");

/** Freezes a list, or an object of lists. */
const frozen = (value) => Object.freeze(Array.isArray(value) ? value : Object.fromEntries(Object.entries(value).map(([key, list]) => [key, Object.freeze(list)])));

// ---- launch-args

const { BOOTSTRAP_PROMPT, SESSION_EXIT_SCRIPT, mainSessionName, buildClaudeArgs, chooseMux, buildMuxCommands, parseScreenList, parseExitFile } = native;
const MUX_CANDIDATES = frozen(native.fixedMuxCandidates());

function detectMux(deps) {
  return native.detectMux((path) => {
    try {
      return Boolean(deps.existsSync(path));
    } catch {
      return false;
    }
  });
}

module.exports.BOOTSTRAP_PROMPT = BOOTSTRAP_PROMPT;
module.exports.SESSION_EXIT_SCRIPT = SESSION_EXIT_SCRIPT;
module.exports.MUX_CANDIDATES = MUX_CANDIDATES;
module.exports.mainSessionName = mainSessionName;
module.exports.buildClaudeArgs = buildClaudeArgs;
module.exports.detectMux = detectMux;
module.exports.chooseMux = chooseMux;
module.exports.buildMuxCommands = buildMuxCommands;
module.exports.parseScreenList = parseScreenList;
module.exports.parseExitFile = parseExitFile;

// ---- resolve-tmux-session

const { classifyTmuxSessionName, buildTmuxSessionLookupArgs, resolveTmuxSessionId } = native;

module.exports.classifyTmuxSessionName = classifyTmuxSessionName;
module.exports.buildTmuxSessionLookupArgs = buildTmuxSessionLookupArgs;
module.exports.resolveTmuxSessionId = resolveTmuxSessionId;

// ---- inbox-claims

const SESSION_CLAIM_STALE_MS = native.SESSION_CLAIM_STALE_MS;
const DAEMON_ORPHAN_RECLAIM_MS = native.DAEMON_ORPHAN_RECLAIM_MS;
const REPLIED_RETIRE_MS = native.REPLIED_RETIRE_MS;

const sessionMarkers = (claimedBy, claimedAt, deferredUntil, deferredReason, repliedAt) =>
  ({ claimedBy, claimedAt, deferredUntil, deferredReason, repliedAt });

function sessionMarkerLines({ claimedBy, deferredUntil, deferredReason, repliedAt, now } = {}) {
  return native.sessionMarkerLines(claimedBy, deferredUntil, deferredReason, repliedAt, now);
}

function parseSessionMarkers(body) {
  return native.parseSessionMarkers(body, sessionMarkers);
}

function stripSessionMarkers(body) {
  return native.stripSessionMarkers(body);
}

function findInboxFile(root, id, options = undefined) {
  return native.findInboxFile(root, id, options);
}

function markSessionClaim(root, service, item, options = undefined) {
  return native.markSessionClaim(root, service, item, options);
}

function markSessionDeferral(root, service, item, options = undefined) {
  return native.markSessionDeferral(root, service, item, options);
}

function markSessionReplied(root, service, item, options = undefined) {
  return native.markSessionReplied(root, service, item, options);
}

function sweepSessionInbox(root, options = undefined) {
  return native.sweepSessionInbox(root, options);
}

// Caught here for the same reason as what a probe throws.
const isSessionLive = (reader, root) => {
  try {
    return native.isSessionLive(reader, root);
  } catch {
    return false;
  }
};

function sweepSessionInboxForDaemon(root, options = undefined) {
  return native.sweepSessionInboxForDaemon(root, options, isSessionLive);
}

function markSessionDone(root, service, item, options = undefined) {
  return native.markSessionDone(root, service, item, options);
}

function releaseSessionClaim(root, service, item, options = undefined) {
  return native.releaseSessionClaim(root, service, item, options);
}

function renewSessionClaim(root, service, item, options = undefined) {
  return native.renewSessionClaim(root, service, item, options);
}

function listInbox(root, options = undefined) {
  return native.listInbox(root, options);
}

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

// ---- inbox-claims/promises, which has these under the names that are taken here

native.promises ??= {
  async findInboxFile(root, id, options = undefined) {
    return native.findInboxFileAsync(root, id, options);
  },
  async markSessionClaim(root, service, item, options = undefined) {
    return native.markSessionClaimAsync(root, service, item, options);
  },
  async markSessionDeferral(root, service, item, options = undefined) {
    return native.markSessionDeferralAsync(root, service, item, options);
  },
  async markSessionReplied(root, service, item, options = undefined) {
    return native.markSessionRepliedAsync(root, service, item, options);
  },
  async sweepSessionInbox(root, options = undefined) {
    return native.sweepSessionInboxAsync(root, options);
  },
  async sweepSessionInboxForDaemon(root, options = undefined) {
    return native.sweepSessionInboxForDaemonAsync(root, options, isSessionLive);
  },
  async markSessionDone(root, service, item, options = undefined) {
    return native.markSessionDoneAsync(root, service, item, options);
  },
  async releaseSessionClaim(root, service, item, options = undefined) {
    return native.releaseSessionClaimAsync(root, service, item, options);
  },
  async renewSessionClaim(root, service, item, options = undefined) {
    return native.renewSessionClaimAsync(root, service, item, options);
  },
  async listInbox(root, options = undefined) {
    return native.listInboxAsync(root, options);
  },
};

// ---- mux

class MuxCommandError extends Error {
  constructor(message, code, size, limit) {
    super(message);
    this.name = "MuxCommandError";
    this.code = code;
    if (size !== undefined) {
      this.size = size;
      this.limit = limit;
    }
  }
}

/** An answer of the addon, or the error that it says to throw. */
function made(answer) {
  const refused = answer?.refused;
  if (!refused) return answer;
  const { message, code, size, limit } = refused;
  throw refused.class === "MuxCommandError" ? new MuxCommandError(message, code, size, limit) : new LaunchPreconditionError(code, message);
}

const { TMUX_MESSAGE_LIMIT, classifyTmuxRun, escapeTmuxArg, escapeTmuxFormat, packedSize, parseScreenSessions, screenStopArgs, sessionOutcome } = native;

function runTmux(args, options = undefined) {
  return native.runTmux(args, options, process.env);
}

function resolveTmuxSessionExact(name, options = undefined) {
  return native.resolveTmuxSessionExact(name, options, process.env);
}

function muxCandidates(platform = process.platform, env = process.env) {
  return native.muxCandidates(platform, env);
}

function buildSafeMuxCommands(a) {
  return made(native.buildSafeMuxCommands(a));
}

module.exports.MuxCommandError = MuxCommandError;
module.exports.TMUX_MESSAGE_LIMIT = TMUX_MESSAGE_LIMIT;
module.exports.runTmux = runTmux;
module.exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
module.exports.classifyTmuxRun = classifyTmuxRun;
module.exports.escapeTmuxArg = escapeTmuxArg;
module.exports.escapeTmuxFormat = escapeTmuxFormat;
module.exports.packedSize = packedSize;
module.exports.parseScreenSessions = parseScreenSessions;
module.exports.screenStopArgs = screenStopArgs;
module.exports.sessionOutcome = sessionOutcome;
module.exports.muxCandidates = muxCandidates;
module.exports.buildSafeMuxCommands = buildSafeMuxCommands;

// ---- mux-placement

class LaunchPreconditionError extends Error {
  constructor(reason, message) {
    super(message);
    this.name = "LaunchPreconditionError";
    this.reason = reason;
    this.code = reason;
  }
}

const {
  INSPECT_FORMAT, APPEND_FORMAT, isPaneId, isSessionId, isWindowId, isDecimal, assertSelector, readAnchor, buildInspectArgs, buildAppendArgs,
  buildCloseArgs, buildListWindowIdsArgs, parsePlacement, parseWindowFields, classifyCloseFailure, isSameContext, isSameServer, assertTmuxOk,
  classifyTmuxCwd,
} = native;
const PLACEMENT_FIELDS = frozen(native.placementFields());
const WINDOW_FIELDS = frozen(native.windowFields());

function inspectPlacement(env, options = undefined) {
  return native.inspectPlacement(env ?? process.env, options);
}

function appendWindow(placement, env = undefined, options = undefined) {
  return native.appendWindow(placement, env ?? process.env, options);
}

function closeWindow(handle, env = undefined, options = undefined) {
  return native.closeWindow(handle, env ?? process.env, options);
}

function assertLaunchTarget(runtimePath) {
  made(native.assertLaunchTarget(runtimePath));
}

function resolveRuntimeOnPath(command, env = undefined) {
  return made(native.resolveRuntimeOnPath(command, env ?? process.env));
}

function buildFreshWindowArgs(targetSessionId, runtimePath, args, options = undefined) {
  return made(native.buildFreshWindowArgs(targetSessionId, runtimePath, args, options));
}

module.exports.LaunchPreconditionError = LaunchPreconditionError;
module.exports.INSPECT_FORMAT = INSPECT_FORMAT;
module.exports.APPEND_FORMAT = APPEND_FORMAT;
module.exports.PLACEMENT_FIELDS = PLACEMENT_FIELDS;
module.exports.WINDOW_FIELDS = WINDOW_FIELDS;
module.exports.isPaneId = isPaneId;
module.exports.isSessionId = isSessionId;
module.exports.isWindowId = isWindowId;
module.exports.isDecimal = isDecimal;
module.exports.assertSelector = assertSelector;
module.exports.readAnchor = readAnchor;
module.exports.buildInspectArgs = buildInspectArgs;
module.exports.buildAppendArgs = buildAppendArgs;
module.exports.buildCloseArgs = buildCloseArgs;
module.exports.buildListWindowIdsArgs = buildListWindowIdsArgs;
module.exports.parsePlacement = parsePlacement;
module.exports.parseWindowFields = parseWindowFields;
module.exports.classifyCloseFailure = classifyCloseFailure;
module.exports.isSameContext = isSameContext;
module.exports.isSameServer = isSameServer;
module.exports.assertTmuxOk = assertTmuxOk;
module.exports.inspectPlacement = inspectPlacement;
module.exports.appendWindow = appendWindow;
module.exports.closeWindow = closeWindow;
module.exports.classifyTmuxCwd = classifyTmuxCwd;
module.exports.assertLaunchTarget = assertLaunchTarget;
module.exports.resolveRuntimeOnPath = resolveRuntimeOnPath;
module.exports.buildFreshWindowArgs = buildFreshWindowArgs;

// Whichever of index.js and index.mjs comes first makes the functions of both.
module.exports = native.entry ??= module.exports;
