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
const MUX_CANDIDATES = native.muxCandidates();

function mainSessionName(first) {
  return native.mainSessionName(first);
}

function buildClaudeArgs(a) {
  return native.buildClaudeArgs(a, spread, array);
}

function detectMux(deps) {
  return native.detectMux((path) => deps.existsSync(path), foundMux);
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

function sessionMarkerLines(lines = {}) {
  return native.sessionMarkerLines(lines);
}

function parseSessionMarkers(body) {
  return native.parseSessionMarkers(body);
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

function sweepSessionInboxForDaemon(root, options = undefined) {
  return native.sweepSessionInboxForDaemon(root, options);
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
    return native.sweepSessionInboxForDaemonAsync(root, options);
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

// Whichever of index.js and index.mjs comes first makes the functions of both.
module.exports = native.entry ??= module.exports;
