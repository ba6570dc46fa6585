// The public entry: literal exports, so that `import { name }` finds them, and nothing else of the
// addon leaks.
//
// What is here beside the calls is what JavaScript alone can do, or does much cheaper than
// Node-API: reading properties in the contract's order, spreading an iterable, writing a literal,
// running the methods that a foreign object brings along. What is decided is decided natively.
"use strict";

const native = require("./native.js");

const array = (...items) => items;
const spread = (iterable) => [...iterable];
const foundMux = (tmux, screen) => ({ tmux, screen });
const mux = (kind, bin) => ({ kind, bin });
const command = (file, ...args) => ({ file, args });
const session = (file, tail, ...args) => ({ file, args: [...args, ...tail] });
const muxCommands = (blocking, start, waitProbe, exists, wipe, stop) => ({ blocking, start, waitProbe, exists, wipe, stop });

// ---- launch-args

const BOOTSTRAP_PROMPT = native.BOOTSTRAP_PROMPT;
const SESSION_EXIT_SCRIPT = native.SESSION_EXIT_SCRIPT;
const MUX_CANDIDATES = native.fixedMuxCandidates();

function mainSessionName(first) {
  return native.mainSessionName(first);
}

function buildClaudeArgs(a) {
  return native.buildClaudeArgs(a, spread, array);
}

function detectMux(deps) {
  // Caught here, because Node-API cannot tell what a probe throws from the end of the thread.
  return native.detectMux((path) => {
    try {
      return deps.existsSync(path);
    } catch {
      return false;
    }
  }, foundMux);
}

function chooseMux(pref, found) {
  return native.chooseMux(pref, found, mux);
}

function buildMuxCommands(a) {
  const tail = [a.exitFile, a.claudeBin, ...a.claudeArgs];
  if (native.isScreen(a.mux.kind)) {
    return native.buildMuxCommands(true, command, session, muxCommands, tail,
      a.mux.bin, a.muxName, a.mux.bin, a.mux.bin, a.mux.bin, a.muxName);
  }
  if (native.isTmux(a.mux.kind)) {
    return native.buildMuxCommands(false, command, session, muxCommands, tail,
      a.mux.bin, `${a.muxName}`, a.mux.bin, a.muxName, a.cwd, a.mux.bin, `${a.muxName}`);
  }
  return native.refuseMuxKind(a.mux && a.mux.kind);
}

// A name that is no string may still have a `replace`, whose answer is then a pattern.
const foreignRow = (name) => {
  const row = new RegExp(`^\\s*\\d+\\.${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(\\s|$)`);
  return (line) => row.test(line);
};

function parseScreenList(out, name) {
  return native.parseScreenList(out, name, foreignRow);
}

function parseExitFile(text) {
  return native.parseExitFile(text);
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

// The same of an output that is no string.
const foreignLines = (stdout) => stdout.split("\n").map((line) => line.trim()).filter((line) => line.length > 0);
const someOther = (lines, first) => lines.some((line) => line !== first);

function classifyTmuxSessionName(name) {
  return native.classifyTmuxSessionName(name);
}

function buildTmuxSessionLookupArgs(name) {
  return native.buildTmuxSessionLookupArgs(name, array);
}

function resolveTmuxSessionId(name, run) {
  return native.resolveTmuxSessionId(name, run, array, foreignLines, someOther);
}

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

const muxCommandError = (...facts) => new MuxCommandError(...facts);

const TMUX_MESSAGE_LIMIT = native.TMUX_MESSAGE_LIMIT;

function runTmux(args, options = undefined) {
  return native.runTmux(args, options, process.env);
}

function resolveTmuxSessionExact(name, options = undefined) {
  return native.resolveTmuxSessionExact(name, options, process.env);
}

function classifyTmuxRun(run) {
  return native.classifyTmuxRun(run);
}

function escapeTmuxArg(s) {
  return native.escapeTmuxArg(s);
}

function escapeTmuxFormat(s) {
  return native.escapeTmuxFormat(s);
}

function packedSize(args) {
  return native.packedSize(args);
}

function parseScreenSessions(out) {
  return native.parseScreenSessions(out);
}

function screenStopArgs(out, name) {
  return native.screenStopArgs(out, name);
}

function sessionOutcome(end) {
  return native.sessionOutcome(end);
}

function muxCandidates(platform = process.platform, env = process.env) {
  return native.muxCandidates(platform, env);
}

function buildSafeMuxCommands(a) {
  return native.buildSafeMuxCommands(a, spread, muxCommandError);
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

const launchPreconditionError = (message, reason) => new LaunchPreconditionError(reason, message);

const INSPECT_FORMAT = native.INSPECT_FORMAT;
const APPEND_FORMAT = native.APPEND_FORMAT;
const PLACEMENT_FIELDS = native.placementFields();
const WINDOW_FIELDS = native.windowFields();

function isPaneId(value) {
  return native.isPaneId(value);
}

function isSessionId(value) {
  return native.isSessionId(value);
}

function isWindowId(value) {
  return native.isWindowId(value);
}

function isDecimal(value) {
  return native.isDecimal(value);
}

function assertSelector(kind, value) {
  return native.assertSelector(kind, value);
}

function readAnchor(env) {
  return native.readAnchor(env);
}

function buildInspectArgs(anchor) {
  return native.buildInspectArgs(anchor);
}

function buildAppendArgs(sessionId) {
  return native.buildAppendArgs(sessionId);
}

function buildCloseArgs(windowId) {
  return native.buildCloseArgs(windowId);
}

function buildListWindowIdsArgs() {
  return native.buildListWindowIdsArgs();
}

function parsePlacement(anchor, stdout) {
  return native.parsePlacement(anchor, stdout);
}

function parseWindowFields(stdout) {
  return native.parseWindowFields(stdout);
}

function classifyCloseFailure(windowId, listStdout) {
  return native.classifyCloseFailure(windowId, listStdout);
}

function isSameContext(origin, now) {
  return native.isSameContext(origin, now);
}

function isSameServer(origin, now) {
  return native.isSameServer(origin, now);
}

function assertTmuxOk(label, run) {
  return native.assertTmuxOk(label, run);
}

function inspectPlacement(env = process.env, options = undefined) {
  return native.inspectPlacement(env, options, process.env);
}

function appendWindow(placement, env = process.env, options = undefined) {
  return native.appendWindow(placement, env, options, process.env);
}

function closeWindow(handle, env = process.env, options = undefined) {
  return native.closeWindow(handle, env, options, process.env);
}

function classifyTmuxCwd(cwd) {
  return native.classifyTmuxCwd(cwd);
}

function assertLaunchTarget(runtimePath) {
  return native.assertLaunchTarget(runtimePath, launchPreconditionError);
}

function resolveRuntimeOnPath(command, env = process.env) {
  return native.resolveRuntimeOnPath(command, env, process.env, launchPreconditionError);
}

function buildFreshWindowArgs(targetSessionId, runtimePath, args, options = undefined) {
  return native.buildFreshWindowArgs(targetSessionId, runtimePath, args, options, launchPreconditionError, muxCommandError);
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
