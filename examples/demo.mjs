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
import { muxCandidates } from "seatkit/mux";
import { listRuns, startSession } from "seatkit/session";

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

/** A stand-in for `claude`: says what it was asked, works until a line is typed, and exits with 7. */
function standIn() {
  const bin = join(seat, "claude");
  writeFileSync(bin, '#!/bin/sh\nfor prompt; do :; done\necho "you said: $prompt"\nread line\nexit 7\n');
  chmodSync(bin, 0o755);
  return bin;
}

async function until(what, condition) {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 500) throw new Error(`waited ten seconds for ${what}`);
    await sleep(20);
  }
}

/** A server of this demo's own, without anybody's configuration. */
function ownServer(kind) {
  const socket = join(seat, kind);
  if (kind === "screen") mkdirSync(socket, { recursive: true, mode: 0o700 });
  return { socket, config: "/dev/null" };
}

const RENAME = {
  tmux: ["-S", join(seat, "tmux"), "rename-session", "-t", NAME, "mine"],
  screen: ["-S", NAME, "-X", "sessionname", "mine"],
};

async function under(mux) {
  const launch = { mux, ...ownServer(mux.kind), muxName: NAME, cwd: seat, claudeBin: standIn() };
  const recordFile = join(seat, `${mux.kind}.json`);
  const started = await startSession({ ...launch, prompt: "the weekly report, please", recordFile });
  if (!started.ok) throw new Error(started.message);
  const { session } = started;
  console.log(`started:  run ${session.record.run}, process ${session.record.process.pid}; it is ${session.state()}`);
  await until("what it shows", async () => (await session.read()).includes("you said"));
  console.log(`it shows: ${JSON.stringify(await session.read())}`);
  spawnSync(mux.bin, RENAME[mux.kind], { env: { ...process.env, SCREENDIR: join(seat, "screen") } });
  await until("the new name", async () => (await session.where()).sessionName === "mine");
  console.log(`renamed:  it is ${JSON.stringify(await session.where())}`);
  console.log(`again:    ${(await startSession({ ...launch, recordFile })).error}`);
  const ended = session.ended();
  await session.send("that is all");
  console.log(`ended:    ${JSON.stringify(await ended)}; on record as ${JSON.stringify(readFileSync(session.record.exitFile, "utf8"))}`);
}

async function sessions(found) {
  title("A seat's session");
  for (const [kind, bin] of Object.entries(found)) {
    console.log(`\nUnder ${kind}`);
    if (bin) await under({ kind, bin });
    else console.log(`there is no ${kind} here: ${INSTALL[kind]}`);
  }
}

// ---- the supervisor

/** Runs examples/supervisor.mjs in a process of its own. */
function supervisor(...args) {
  const program = `
    import { supervise } from ${JSON.stringify(new URL("supervisor.mjs", import.meta.url).href)};
    const stop = new AbortController();
    process.on("SIGTERM", () => stop.abort());
    await supervise(...JSON.parse(process.argv[1]), stop.signal);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, JSON.stringify(args)], { stdio: "inherit" });
  return { child, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

async function supervised(mux) {
  title("A supervisor, killed in the middle");
  const [root, folder, log] = ["supervised", "sessions", "worked"].map((name) => join(seat, name));
  mkdirSync(root);
  deliverInboxItem(root, "cohort", { sender: "Sam", content: "how far are you?" }, { id: "question" });
  const claudeArgs = ["-c", 'sleep 1; echo "worked on it" >>"$0"', log];
  const launch = { claudeBin: "/bin/sh", claudeArgs, terminator: false, mux, ...ownServer(mux.kind) };
  const own = async () => (await listRuns()).filter(({ recordFile }) => recordFile?.startsWith(folder));
  const first = supervisor(root, folder, launch);
  await until("its agent", async () => (await own())[0]?.processes.length > 1);
  first.child.kill("SIGKILL");
  await first.ended;
  const [{ run, processes }] = await own();
  console.log(`the supervisor is killed; run ${run} goes on with ${processes.length} processes`);
  const second = supervisor(root, folder, launch);
  await until("the end of the work", () => listInbox(root).items[0].state === "processed");
  second.child.kill("SIGTERM");
  await second.ended;
  console.log(
    `the next one went on with it: the item is ${listInbox(root).items[0].state}, the agent's log says ${JSON.stringify(readFileSync(log, "utf8"))}`,
  );
}

try {
  inbox();
  const [tmux, screen] = Object.values(muxCandidates()).map((paths) => paths.find(existsSync));
  await sessions({ tmux, screen });
  if (tmux || screen) await supervised(tmux ? { kind: "tmux", bin: tmux } : { kind: "screen", bin: screen });
} finally {
  spawnSync("tmux", ["-S", join(seat, "tmux"), "kill-server"]);
  rmSync(seat, { recursive: true, force: true });
}
