import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

// Name, and `length` of what is a function.
const MODULES = {
  "seatkit/inbox-claims": {
    SESSION_CLAIM_STALE_MS: null,
    DAEMON_ORPHAN_RECLAIM_MS: null,
    REPLIED_RETIRE_MS: null,
    sessionMarkerLines: 0,
    parseSessionMarkers: 1,
    stripSessionMarkers: 1,
    findInboxFile: 2,
    markSessionClaim: 3,
    markSessionDeferral: 3,
    markSessionReplied: 3,
    sweepSessionInbox: 1,
    sweepSessionInboxForDaemon: 1,
    markSessionDone: 3,
    releaseSessionClaim: 3,
    renewSessionClaim: 3,
    listInbox: 1,
  },
  "seatkit/launch-args": {
    BOOTSTRAP_PROMPT: null,
    SESSION_EXIT_SCRIPT: null,
    MUX_CANDIDATES: null,
    buildClaudeArgs: 1,
    detectMux: 1,
    chooseMux: 2,
    buildMuxCommands: 1,
    parseScreenList: 2,
    parseExitFile: 1,
    mainSessionName: 1,
  },
  "seatkit/inbox-claims": {
    SESSION_CLAIM_STALE_MS: null,
    DAEMON_ORPHAN_RECLAIM_MS: null,
    REPLIED_RETIRE_MS: null,
    sessionMarkerLines: 0,
    parseSessionMarkers: 1,
    stripSessionMarkers: 1,
    findInboxFile: 2,
    markSessionClaim: 3,
    markSessionDeferral: 3,
    markSessionReplied: 3,
    sweepSessionInbox: 1,
    sweepSessionInboxForDaemon: 1,
    markSessionDone: 3,
    releaseSessionClaim: 3,
    renewSessionClaim: 3,
    listInbox: 1,
  },
  "seatkit/resolve-tmux-session": {
    classifyTmuxSessionName: 1,
    buildTmuxSessionLookupArgs: 1,
    resolveTmuxSessionId: 2,
    resolveTmuxSessionExact: 1,
    runTmux: 1,
  },
  "seatkit/mux": {
    MuxCommandError: null,
    TMUX_MESSAGE_LIMIT: null,
    buildSafeMuxCommands: 1,
    muxCandidates: 0,
    escapeTmuxArg: 1,
    escapeTmuxFormat: 1,
    packedSize: 1,
    classifyTmuxRun: 1,
    runTmux: 1,
    resolveTmuxSessionExact: 1,
    parseScreenSessions: 1,
    screenStopArgs: 2,
    sessionOutcome: 1,
  },
  "seatkit/mux-placement": {
    LaunchPreconditionError: null,
    INSPECT_FORMAT: null,
    APPEND_FORMAT: null,
    PLACEMENT_FIELDS: null,
    WINDOW_FIELDS: null,
    isPaneId: 1,
    isSessionId: 1,
    isWindowId: 1,
    isDecimal: 1,
    assertSelector: 2,
    readAnchor: 1,
    buildInspectArgs: 1,
    buildAppendArgs: 1,
    buildCloseArgs: 1,
    buildListWindowIdsArgs: 0,
    parsePlacement: 2,
    parseWindowFields: 1,
    classifyCloseFailure: 2,
    isSameContext: 2,
    isSameServer: 2,
    assertTmuxOk: 2,
    inspectPlacement: 0,
    appendWindow: 1,
    closeWindow: 1,
    classifyTmuxCwd: 1,
    assertLaunchTarget: 1,
    resolveRuntimeOnPath: 1,
    buildFreshWindowArgs: 3,
  },
};
const DEFAULTS = {
  "seatkit/inbox-claims": Object.keys(MODULES["seatkit/inbox-claims"]),
  "seatkit/launch-args": [
    "BOOTSTRAP_PROMPT",
    "SESSION_EXIT_SCRIPT",
    "MUX_CANDIDATES",
    "buildClaudeArgs",
    "detectMux",
    "chooseMux",
    "buildMuxCommands",
    "parseScreenList",
    "parseExitFile",
  ],
  "seatkit/inbox-claims": Object.keys(MODULES["seatkit/inbox-claims"]),
};

for (const [specifier, names] of Object.entries(MODULES)) {
  test(`${specifier} has its names and no others, by import and by require`, async () => {
    const imported = await import(specifier);
    const required = require(specifier);
    const expected = [...Object.keys(names), ...(DEFAULTS[specifier] ? ["default"] : [])];
    assert.deepEqual(Object.keys(imported).sort(), [...expected].sort());
    assert.deepEqual(Object.keys(required), expected);
    for (const name of Object.keys(names)) assert.equal(imported[name], required[name], name);
  });

  test(`${specifier}: functions are ordinary ones with the right name`, async () => {
    const imported = await import(specifier);
    for (const [name, length] of Object.entries(names)) {
      if (length === null) continue;
      const fn = imported[name];
      assert.equal(typeof fn, "function");
      assert.equal(fn.name, name);
      assert.equal(Object.getPrototypeOf(fn), Function.prototype);
    }
  });

  test(`${specifier}: the whole package exports the same`, async () => {
    const whole = await import("seatkit");
    const imported = await import(specifier);
    for (const name of Object.keys(names)) assert.equal(whole[name], imported[name], name);
  });
}

test("default objects hold the names in the contract's order", async () => {
  for (const [specifier, keys] of Object.entries(DEFAULTS)) {
    const imported = await import(specifier);
    const required = require(specifier);
    assert.deepEqual(Object.keys(imported.default), keys);
    assert.deepEqual(Object.keys(required.default), keys);
    for (const key of keys) {
      assert.equal(imported.default[key], imported[key]);
      assert.equal(required.default[key], imported[key]);
    }
    assert.equal(required.__esModule, true);
  }
});

test("the candidates are frozen through and through", async () => {
  const { MUX_CANDIDATES } = await import("seatkit/launch-args");
  assert.deepEqual(MUX_CANDIDATES, {
    tmux: ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"],
    screen: ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"],
  });
  for (const value of [MUX_CANDIDATES, MUX_CANDIDATES.tmux, MUX_CANDIDATES.screen]) assert.ok(Object.isFrozen(value));
});

test("nothing of the loader leaks from the whole package", async () => {
  const required = require("seatkit");
  // What Node itself adds where a CommonJS file is imported.
  const added = ["default", "module.exports"];
  const imported = Object.keys(await import("seatkit")).filter((name) => !added.includes(name));
  assert.deepEqual(imported.sort(), Object.keys(required).sort());
  const internal = Object.keys(require("../native.js")).filter((name) => !(name in required));
  assert.ok(internal.includes("panicOnPurpose"), "the addon has names of its own");
  const modules = ["inbox-claims", "launch-args", "resolve-tmux-session", "mux", "mux-placement"];
  const offered = await Promise.all(modules.map((name) => import(`seatkit/${name}`)));
  const names = new Set(offered.flatMap((module) => Object.keys(module)));
  names.delete("default");
  assert.deepEqual([...names].sort(), Object.keys(required).sort());
});
