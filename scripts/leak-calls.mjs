// Calls of every export that should leave memory as it was: what succeeds, what is refused, what
// throws, what runs user code. Each entry is one round; `share` says how many rounds are made of
// the number that is asked for, because a run of a program costs a thousand times a pure call.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as seatkit from "seatkit";
import * as promises from "seatkit/inbox-claims/promises";
import * as muxPromises from "seatkit/mux/promises";
import * as placementPromises from "seatkit/mux-placement/promises";

const ID = "0A1b2C3d-4e5f-6071-8293-a4b5c6d7e8f9";
const LONG = "x".repeat(1000);
const NOW = Date.parse("2026-09-08T10:00:00.000Z");
const MINUTE = 60_000;

const throwing = () => {
  throw new Error("no");
};
const caught = (call) => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};
const once = async (values) => {
  for await (const _ of values) return;
};
const settled = (promise) => promise.catch((error) => error);

const launch = (kind) => ({
  mux: { kind, bin: "/bin/mux" },
  muxName: "kim",
  cwd: "/",
  claudeBin: "/bin/c",
  claudeArgs: ["a", "b"],
  exitFile: "/e",
});
const ran = { status: 0, stdout: "$1\n", stderr: "" };
const placement = { serverPid: "7", sessionId: "$1", windowId: "@2", windowIndex: "0", paneId: "%3", panePid: "9" };
const env = { TMUX: "/nowhere/seatkit,7,1", TMUX_PANE: "%3", PATH: "/bin" };
const block = seatkit.sessionMarkerLines({ claimedBy: "session", now: NOW });

const root = mkdtempSync(join(tmpdir(), "seatkit-leaks-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "state/inbox/mail"), { recursive: true });
for (const id of ["a", "b", "c"]) writeFileSync(join(root, `state/inbox/mail/${id}.yaml`), `id: ${id}\n`);
const item = { id: "a" };
const missing = { id: "ghost" };

const pure = {
  mainSessionName: (i) => [seatkit.mainSessionName(`kim${i}`), seatkit.mainSessionName(LONG)],
  buildClaudeArgs: (i) => [
    seatkit.buildClaudeArgs({ first: `k${i}`, sessionId: ID, mode: "resume", permissionArgs: ["a", `${i}`] }),
    caught(() => seatkit.buildClaudeArgs({ sessionId: `${i}` })),
  ],
  detectMux: () => [seatkit.detectMux({ existsSync: () => true }), seatkit.detectMux({ existsSync: throwing })],
  chooseMux: (i) => [seatkit.chooseMux("auto", { tmux: `/t${i}` }), caught(() => seatkit.chooseMux("auto"))],
  buildMuxCommands: (i) => [
    seatkit.buildMuxCommands(launch(i % 2 ? "tmux" : "screen")),
    caught(() => seatkit.buildMuxCommands(launch(`z${i}`))),
  ],
  parseScreenList: (i) => [
    seatkit.parseScreenList(`\t${i}.kim\t(Detached)\n`, "kim"),
    seatkit.parseScreenList(LONG, LONG),
    caught(() => seatkit.parseScreenList("7.kim", i)),
  ],
  parseExitFile: (i) => [seatkit.parseExitFile(`${i}`), seatkit.parseExitFile(LONG), seatkit.parseExitFile(null)],

  classifyTmuxSessionName: (i) => [seatkit.classifyTmuxSessionName(`kim${i}`), caught(() => seatkit.classifyTmuxSessionName(i))],
  buildTmuxSessionLookupArgs: (i) => [
    seatkit.buildTmuxSessionLookupArgs(`kim${i}`),
    caught(() => seatkit.buildTmuxSessionLookupArgs(`${i}.`)),
  ],
  resolveTmuxSessionId: () => [
    seatkit.resolveTmuxSessionId("kim", () => ran),
    caught(() => seatkit.resolveTmuxSessionId("kim", throwing)),
    caught(() => seatkit.resolveTmuxSessionId("kim", () => ({ ...ran, stdout: LONG }))),
  ],

  sessionMarkerLines: (i) => [
    seatkit.sessionMarkerLines({ claimedBy: "session", now: NOW + i, deferredReason: LONG }),
    caught(() => seatkit.sessionMarkerLines({ claimedBy: "session", now: NaN })),
  ],
  parseSessionMarkers: (i) => [seatkit.parseSessionMarkers(`id: ${i}\n${block}`), caught(() => seatkit.parseSessionMarkers(i))],
  stripSessionMarkers: (i) => [seatkit.stripSessionMarkers(`id: ${i}\n${block}`), caught(() => seatkit.stripSessionMarkers(i))],

  classifyTmuxRun: (i) => [
    seatkit.classifyTmuxRun(ran),
    seatkit.classifyTmuxRun({ status: 1, stdout: "", stderr: `no server running on ${i}` }),
  ],
  classifyScreenRun: (i) => [
    seatkit.classifyScreenRun({ status: 1, stdout: `\t${i + 1}.kim\t(Detached)\n` }),
    caught(() => seatkit.classifyScreenRun(i)),
  ],
  escapeTmuxArg: (i) => [seatkit.escapeTmuxArg(`${i};`), seatkit.escapeTmuxArg(LONG)],
  escapeTmuxFormat: (i) => [seatkit.escapeTmuxFormat(`#${i}`), seatkit.escapeTmuxFormat(LONG)],
  packedSize: (i) => [seatkit.packedSize([`${i}`, LONG]), caught(() => seatkit.packedSize(i))],
  parseScreenSessions: (i) => [seatkit.parseScreenSessions(`\t${i + 1}.kim\t(Detached)\n`)],
  screenStopArgs: (i) => [seatkit.screenStopArgs(`\t${i + 1}.kim\t(Detached)\n`, "kim"), seatkit.screenStopArgs("", "kim")],
  sessionOutcome: (i) => [
    seatkit.sessionOutcome({ exitText: `${i % 256}`, stopRequested: false }),
    seatkit.sessionOutcome({ stopRequested: true }),
  ],
  muxCandidates: (i) => [seatkit.muxCandidates("linux", { HOME: `/home/${i}`, PATH: "/bin:/usr/bin" })],
  buildSafeMuxCommands: (i) => [
    seatkit.buildSafeMuxCommands(launch(i % 2 ? "tmux" : "screen")),
    caught(() => seatkit.buildSafeMuxCommands({ ...launch("tmux"), muxName: `a.${i}` })),
  ],

  isPaneId: (i) => [seatkit.isPaneId(`%${i}`), caught(() => seatkit.isPaneId(i))],
  isSessionId: (i) => [seatkit.isSessionId(`$${i}`), caught(() => seatkit.isSessionId(i))],
  isWindowId: (i) => [seatkit.isWindowId(`@${i}`), caught(() => seatkit.isWindowId(i))],
  isDecimal: (i) => [seatkit.isDecimal(`${i}`), caught(() => seatkit.isDecimal(i))],
  assertSelector: (i) => [seatkit.assertSelector("pane", `%${i}`), caught(() => seatkit.assertSelector("pane", `${i}`))],
  readAnchor: (i) => [seatkit.readAnchor({ TMUX: "/s,7,1", TMUX_PANE: `%${i}` }), seatkit.readAnchor({})],
  buildInspectArgs: (i) => [seatkit.buildInspectArgs(`%${i}`), caught(() => seatkit.buildInspectArgs(LONG))],
  buildAppendArgs: (i) => [seatkit.buildAppendArgs(`$${i}`), caught(() => seatkit.buildAppendArgs(LONG))],
  buildCloseArgs: (i) => [seatkit.buildCloseArgs(`@${i}`), caught(() => seatkit.buildCloseArgs(LONG))],
  buildListWindowIdsArgs: () => [seatkit.buildListWindowIdsArgs()],
  parsePlacement: (i) => [
    caught(() => seatkit.parsePlacement("%3", `7|$1|@2|${i}|%3|9\n`)),
    caught(() => seatkit.parsePlacement("%3", LONG)),
  ],
  parseWindowFields: (i) => [caught(() => seatkit.parseWindowFields(`@2|${i}|%3|9\n`)), caught(() => seatkit.parseWindowFields(LONG))],
  classifyCloseFailure: (i) => [caught(() => seatkit.classifyCloseFailure("@2", `@${i}\n`))],
  isSameContext: () => [seatkit.isSameContext(placement, { ...placement })],
  isSameServer: () => [seatkit.isSameServer(placement, { ...placement })],
  assertTmuxOk: (i) => [seatkit.assertTmuxOk("x", ran), caught(() => seatkit.assertTmuxOk("x", { ...ran, status: 1, stderr: `${i}` }))],
};

const files = {
  findInboxFile: () => [seatkit.findInboxFile(root, "a"), seatkit.findInboxFile(root, "ghost"), seatkit.findInboxFile(`${root}/none`, "a")],
  listInbox: () => [seatkit.listInbox(root), seatkit.listInbox(`${root}/none`)],
  markSessionClaim: () => [seatkit.markSessionClaim(root, "mail", missing), seatkit.markSessionClaim(root, "mail", missing, { now: NaN })],
  markSessionDeferral: () => [
    seatkit.markSessionDeferral(root, "mail", missing, { until: NOW }),
    seatkit.markSessionDeferral(root, "no/service", missing, { until: NOW }),
  ],
  markSessionReplied: () => [seatkit.markSessionReplied(root, "mail", missing), seatkit.markSessionReplied(root, "mail", 7)],
  markSessionDone: () => [seatkit.markSessionDone(root, "mail", missing)],
  renewSessionClaim: (i) => [
    seatkit.markSessionClaim(root, "mail", item, { now: NOW }),
    seatkit.renewSessionClaim(root, "mail", item, { now: NOW + i }),
  ],
  releaseSessionClaim: () => [
    seatkit.markSessionClaim(root, "mail", item, { now: NOW, token: true }),
    seatkit.releaseSessionClaim(root, "mail", item),
  ],
  failInboxItem: () => [
    seatkit.failInboxItem(root, "mail", missing, { reason: LONG }),
    seatkit.failInboxItem(root, "mail", missing, { sort: 1 }),
  ],
  reopenInboxItem: () => [
    seatkit.reopenInboxItem(root, "mail", missing, { from: "dead" }),
    seatkit.reopenInboxItem(root, "mail", missing, {}),
  ],
  deliverInboxItem: () => [
    seatkit.deliverInboxItem(root, "mail", { content: LONG, more: [1, { a: null }] }, { id: "c", durable: false }),
    seatkit.deliverInboxItem(root, "mail", "- a\n"),
  ],
  claimNextItem: () => [seatkit.claimNextItem(root, { service: "none" }), caught(() => seatkit.claimNextItem(7))],
  archiveProcessed: () => [seatkit.archiveProcessed(root, { olderThanMs: 0, dryRun: true }), caught(() => seatkit.archiveProcessed(root))],
  sweepSessionInbox: () => [
    seatkit.markSessionDeferral(root, "mail", { id: "b" }, { until: NOW, now: NOW - MINUTE, reason: LONG }),
    seatkit.sweepSessionInbox(root, { now: NOW }),
  ],
  sweepSessionInboxForDaemon: () => [
    seatkit.sweepSessionInboxForDaemon(root, { now: NOW, readState: () => ({ frontDoor: "session", sessionLive: true }) }),
    seatkit.sweepSessionInboxForDaemon(root, { now: NOW, readState: throwing }),
  ],
  classifyTmuxCwd: (i) => [seatkit.classifyTmuxCwd("/"), seatkit.classifyTmuxCwd(`/nowhere/${i}`)],
  assertLaunchTarget: (i) => [seatkit.assertLaunchTarget("/bin/sh"), caught(() => seatkit.assertLaunchTarget(`/nowhere/${i}`))],
  resolveRuntimeOnPath: (i) => [seatkit.resolveRuntimeOnPath("sh", env), caught(() => seatkit.resolveRuntimeOnPath(`none${i}`, env))],
  buildFreshWindowArgs: (i) => [
    seatkit.buildFreshWindowArgs("$1", "/bin/sh", [`${i}`], { cwd: "/" }),
    caught(() => seatkit.buildFreshWindowArgs("kim", "/bin/sh", [])),
  ],
};

const promised = {
  findInboxFile: () => [promises.findInboxFile(root, "a"), promises.findInboxFile(root, "ghost"), settled(promises.findInboxFile(7, "a"))],
  listInbox: () => [promises.listInbox(root)],
  markSessionClaim: () => [promises.markSessionClaim(root, "mail", missing), promises.markSessionClaim(root, "no/service", missing)],
  markSessionDeferral: () => [promises.markSessionDeferral(root, "mail", missing, { until: NOW })],
  markSessionReplied: () => [promises.markSessionReplied(root, "mail", missing)],
  markSessionDone: () => [promises.markSessionDone(root, "mail", missing)],
  renewSessionClaim: () => [promises.renewSessionClaim(root, "mail", missing)],
  releaseSessionClaim: () => [promises.releaseSessionClaim(root, "mail", missing)],
  failInboxItem: () => [promises.failInboxItem(root, "mail", missing)],
  reopenInboxItem: () => [promises.reopenInboxItem(root, "mail", missing, { from: "dead" })],
  deliverInboxItem: () => [promises.deliverInboxItem(root, "mail", { a: 1 }, { id: "c" })],
  claimNextItem: () => [
    promises.claimNextItem(root, { service: "none" }),
    promises.claimNextItem(root, { service: "none", wait: true, timeoutMs: 0 }),
  ],
  archiveProcessed: () => [promises.archiveProcessed(root, { olderThanMs: 0, dryRun: true })],
  watchInbox: () => [once(promises.watchInbox(root))],
  sweepSessionInbox: () => [promises.sweepSessionInbox(root, { now: NOW })],
  sweepSessionInboxForDaemon: () => [settled(promises.sweepSessionInboxForDaemon(root, { now: NOW, readState: throwing }))],
};

const programs = {
  runTmux: () => [seatkit.runTmux([LONG], { bin: "/bin/echo" }), caught(() => seatkit.runTmux([], { bin: "/nowhere/tmux" }))],
  resolveTmuxSessionExact: () => [
    seatkit.resolveTmuxSessionExact("kim", { bin: "/bin/false" }),
    caught(() => seatkit.resolveTmuxSessionExact("kim", { bin: "/nowhere/tmux" })),
  ],
  inspectPlacement: () => [caught(() => seatkit.inspectPlacement(env, { bin: "/bin/false" }))],
  appendWindow: () => [caught(() => seatkit.appendWindow(placement, env, { bin: "/bin/false" }))],
  closeWindow: () => [caught(() => seatkit.closeWindow(placement, env, { bin: "/bin/false" }))],
  requireSameContext: () => [caught(() => seatkit.requireSameContext("x", placement, env, { bin: "/bin/false" }))],
  requireSameServer: () => [caught(() => seatkit.requireSameServer("x", placement, env, { bin: "/bin/false" }))],
};

const sessions = {
  startSession: () => [settled((async () => seatkit.startSession({}))())],
  adoptSession: () => [settled((async () => seatkit.adoptSession("/nowhere/record"))())],
  listRuns: () => [settled((async () => seatkit.listRuns())())],
  stopRun: () => [settled((async () => seatkit.stopRun(ID))())],
};

const promisedPrograms = {
  "mux.runTmux": () => [muxPromises.runTmux([LONG], { bin: "/bin/echo" }), settled(muxPromises.runTmux([], { bin: "/nowhere/tmux" }))],
  "mux.resolveTmuxSessionExact": () => [muxPromises.resolveTmuxSessionExact("kim", { bin: "/bin/false" })],
  "mux-placement.runTmux": () => [placementPromises.runTmux([LONG], env, { bin: "/bin/echo" })],
  "mux-placement.inspectPlacement": () => [settled(placementPromises.inspectPlacement(env, { bin: "/bin/false" }))],
  "mux-placement.appendWindow": () => [settled(placementPromises.appendWindow(placement, env, { bin: "/bin/false" }))],
  "mux-placement.closeWindow": () => [settled(placementPromises.closeWindow(placement, env, { bin: "/bin/false" }))],
  "mux-placement.requireSameContext": () => [settled(placementPromises.requireSameContext("x", placement, env, { bin: "/bin/false" }))],
  "mux-placement.requireSameServer": () => [settled(placementPromises.requireSameServer("x", placement, env, { bin: "/bin/false" }))],
};

const entries = (calls, share, prefix = "") => Object.entries(calls).map(([name, round]) => [prefix + name, { round, share }]);

/** `{ round, share }` by the name of the export. */
export const CALLS = new Map([
  ...entries(pure, 1),
  ...entries(files, 1 / 20),
  ...entries(promised, 1 / 20, "promises."),
  ...entries(programs, 1 / 1000),
  ...entries(sessions, 1 / 1000),
  ...entries(promisedPrograms, 1 / 1000, "promises."),
]);
