// The main job of a seat, on real files and real multiplexers: `npm run demo`.
//
// Everything happens in a temporary folder, under private tmux and screen sockets, and is gone
// afterwards. Inbox times are told to the calls, so that hours pass in a moment.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import {
  deliverInboxItem,
  findInboxFile,
  listInbox,
  markSessionClaim,
  markSessionDeferral,
  markSessionDone,
  markSessionReplied,
  sweepSessionInbox,
} from "seatkit/inbox-claims";
import { BOOTSTRAP_PROMPT, SESSION_EXIT_SCRIPT, buildClaudeArgs, chooseMux, detectMux, parseExitFile } from "seatkit/launch-args";
import { buildSafeMuxCommands, classifyTmuxRun, parseScreenSessions, runTmux, screenStopArgs, sessionOutcome } from "seatkit/mux";
import { resolveTmuxSessionId } from "seatkit/resolve-tmux-session";

const MINUTE = 60_000;
const NAME = "seatkit-demo";
const seat = mkdtempSync(join(tmpdir(), "seatkit-demo-"));

function title(text) {
  console.log(`\n${text}\n${"─".repeat(text.length)}`);
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd()}`,
    );
}

// ---- the inbox

const MESSAGES = {
  deck: ["Olivia Chen", "can you send me the deck?"],
  invoice: ["Finance", "the invoice needs a second look"],
  lunch: ["Sam", "lunch on Thursday?"],
  outage: ["Pager", "the build is red"],
  report: ["Olivia Chen", "the weekly report, please"],
};

function inbox() {
  const service = "cohort";
  const folder = join(seat, "state/inbox", service);
  const start = Date.parse("2026-09-08T10:00:00.000Z");
  const clock = (minutes) => start + minutes * MINUTE;
  const story = {};
  const tell = (id, text) => (story[id] ??= []).push(text);

  title("A seat's inbox");
  for (const [id, [sender, content]] of Object.entries(MESSAGES)) {
    deliverInboxItem(seat, service, { sender, content }, { id, now: clock(-1) });
    tell(id, "delivered");
  }
  const delivered = readFileSync(findInboxFile(seat, "deck").path, "utf8");
  console.log(`${Object.keys(MESSAGES).length} items are delivered to ${folder}`);

  const act = (minutes, id, word, call) => {
    const answer = call({ id }, clock(minutes));
    tell(id, answer.ok ? `${word} at +${minutes} min` : `${word} again at +${minutes} min: ${answer.error}`);
  };
  const claim = (item, now) => markSessionClaim(seat, service, item, { now });
  act(0, "deck", "claimed", claim);
  act(0, "lunch", "claimed", claim);
  act(1, "lunch", "claimed", claim);
  act(2, "lunch", "replied to", (item, now) => markSessionReplied(seat, service, item, { now }));
  act(3, "invoice", "deferred for 30 min", (item, now) =>
    markSessionDeferral(seat, service, item, { until: now + 30 * MINUTE, reason: "waiting on finance", now }),
  );
  act(4, "outage", "claimed", claim);
  act(5, "outage", "done", (item, now) => markSessionDone(seat, service, item, { now }));

  for (const minutes of [10, 21, 34, 63]) {
    for (const { id, reason } of sweepSessionInbox(seat, { now: clock(minutes) }).reopened) {
      tell(id, `swept at +${minutes} min: ${reason}`);
    }
  }

  console.log("\nWhat became of each item, and why:\n");
  table([["item", "state now", "what happened"], ...listInbox(seat).items.map(({ id, state }) => [id, state, story[id].join(" → ")])]);
  const back = readFileSync(findInboxFile(seat, "deck").path, "utf8");
  console.log(`\nThe stale claim came back with exactly the bytes that were delivered: ${back === delivered ? "yes" : "NO"}`);
}

// ---- the session

const INSTALL = {
  tmux: "`brew install tmux` or `apt-get install tmux` brings it",
  screen: "macOS ships it; `apt-get install screen` brings it on Linux",
};

/** A stand-in for `claude`: works until a file appears, then exits with 7. */
function standIn() {
  const bin = join(seat, "claude");
  writeFileSync(bin, '#!/bin/sh\nwhile [ ! -e "$SEAT_STOP" ]; do sleep 0.05; done\nexit 7\n');
  chmodSync(bin, 0o755);
  return bin;
}

async function until(what, condition) {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 500) throw new Error(`waited ten seconds for ${what}`);
    await sleep(20);
  }
}

/** The commands of a session and where it leaves its exit code; says what will run. */
function prepare(mux) {
  const exitFile = join(seat, `last-exit-${mux.kind}`);
  const stop = join(seat, `stop-${mux.kind}`);
  const claudeArgs = buildClaudeArgs({
    first: "olivia",
    sessionId: "11111111-2222-4333-8444-555555555555",
    mode: "session-id",
    permissionArgs: ["--allowedTools", "Read"],
  });
  const own = mux.kind === "tmux" ? { socket: join(seat, "tmux.sock"), config: "/dev/null" } : {};
  const commands = buildSafeMuxCommands({
    mux,
    muxName: NAME,
    cwd: seat,
    claudeBin: standIn(),
    claudeArgs,
    prompt: true,
    exitFile,
    ...own,
  });
  const words = [commands.start.file, ...commands.start.args].map((word) => {
    if (word === BOOTSTRAP_PROMPT) return "'<the bootstrap prompt>'";
    if (word === SESSION_EXIT_SCRIPT) return "'<the script that records the exit code>'";
    return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word}'`;
  });
  console.log(`started:  ${words.join(" ").replaceAll(seat, "$SEAT")}`);
  return { commands, exitFile, stop, env: { ...process.env, SEAT_STOP: stop } };
}

function report(exitFile) {
  const exitText = readFileSync(exitFile, "utf8");
  const outcome = sessionOutcome({ exitText, stopRequested: false });
  console.log(
    `ended:    exit file ${JSON.stringify(exitText)}, parseExitFile ${parseExitFile(exitText)}, outcome ${JSON.stringify(outcome)}`,
  );
}

async function underTmux(bin) {
  const { commands, exitFile, stop, env } = prepare({ kind: "tmux", bin });
  const run = (args) => runTmux(args, { socket: join(seat, "tmux.sock"), bin, timeoutMs: 5_000 });
  const started = spawnSync(commands.start.file, commands.start.args, { cwd: commands.start.cwd, env, encoding: "utf8" });
  try {
    if (started.status !== 0) throw new Error(`tmux did not start: ${started.stderr}`);
    console.log(`resolved: ${NAME} is ${JSON.stringify(resolveTmuxSessionId(NAME, run))}`);
    console.log(`          nobody is ${JSON.stringify(resolveTmuxSessionId("nobody", run))}`);
    writeFileSync(stop, "");
    await until("the exit code", () => existsSync(exitFile) && parseExitFile(readFileSync(exitFile, "utf8")) !== null);
    await until("the session's end", () => classifyTmuxRun(run(["has-session", "-t", `=${NAME}:`])) === "absent");
    report(exitFile);
  } finally {
    run(["kill-server"]);
  }
}

async function underScreen(bin) {
  const { commands, exitFile, stop, env } = prepare({ kind: "screen", bin });
  env.SCREENDIR = join(seat, "screens");
  mkdirSync(env.SCREENDIR, { mode: 0o700 });
  const list = () => spawnSync(commands.exists.file, commands.exists.args, { env, encoding: "utf8" }).stdout;
  const child = spawn(commands.start.file, commands.start.args, { cwd: commands.start.cwd, env, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  try {
    await until("the session", () => parseScreenSessions(list()).some(({ name, live }) => name === NAME && live));
    console.log(`listed:   ${JSON.stringify(parseScreenSessions(list()))}`);
    console.log(`          \`screen ${screenStopArgs(list(), NAME).join(" ")}\` would stop this one and no other`);
    writeFileSync(stop, "");
    await ended;
    report(exitFile);
  } finally {
    child.kill();
  }
}

async function session() {
  title("A seat's session");
  const onPath = (name) =>
    (process.env.PATH ?? "")
      .split(":")
      .map((folder) => join(folder, name))
      .find(existsSync) ?? null;
  const fixed = detectMux({ existsSync });
  const found = { tmux: fixed.tmux ?? onPath("tmux"), screen: fixed.screen ?? onPath("screen") };
  console.log(`found ${JSON.stringify(found)}; chooseMux takes ${JSON.stringify(chooseMux("auto", found))}`);
  for (const [kind, run] of [
    ["tmux", underTmux],
    ["screen", underScreen],
  ]) {
    console.log(`\nUnder ${kind}`);
    if (found[kind]) await run(found[kind]);
    else console.log(`there is no ${kind} here: ${INSTALL[kind]}`);
  }
}

try {
  inbox();
  await session();
} finally {
  rmSync(seat, { recursive: true, force: true });
}
