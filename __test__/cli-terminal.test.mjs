// The command in real terminals: watched in a pane of tmux, and asked about tmux and screen.

import { test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { markSessionClaim } from "seatkit/inbox-claims";
import { SEATKIT, document, seatkit } from "./cli-seat.mjs";
import { ITEM, Seat } from "./inbox-seat.mjs";
import { cleanEnv, fileText, needsScreen, needsTmux, scratch, screenFolder, tmuxServer, until } from "./mux-sandbox.mjs";

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs the command in a pane of its own, 100 by 12, and gives what is to be seen there. */
function pane(server, args, { env = "" } = {}) {
  const program = `${env} ${shell(process.execPath)} ${shell(SEATKIT)} ${args.map(shell).join(" ")}; echo "exit $?"; exec sleep 600`;
  const made = server.tmux("new-session", "-d", "-x", "100", "-y", "12", "-P", "-F", "#{pane_id}", program);
  assert.equal(made.status, 0, made.stderr);
  const id = made.stdout.trim();
  const capture = (...more) => server.tmux("capture-pane", "-p", "-t", id, ...more).stdout;
  return {
    id,
    capture,
    shows: (pattern) => until(`the pane showing ${pattern}`, () => pattern.test(capture()) && capture()),
    ask: (format) => server.tmux("display-message", "-p", "-t", id, format).stdout.trim(),
    keys: (...keys) => server.tmux("send-keys", "-t", id, ...keys),
    resize: (columns, rows) => server.tmux("resize-window", "-t", id, "-x", String(columns), "-y", String(rows)),
  };
}

test("--watch redraws in place, follows the terminal's size, and leaves it as it was", needsTmux, async (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml", 'sender: "山田 太郎"\nsubject: "a subject that is much too long for this narrow terminal of ours"\n');
  const server = await tmuxServer(t);
  const watched = pane(server, ["inbox", "list", "--watch", "--interval", "0.2s", "--root", seat.root]);
  await watched.shows(/waits for a claim/);
  assert.equal(watched.ask("#{alternate_on} #{cursor_flag}"), "1 0", "on the other screen, without a cursor");
  const first = watched.capture().split("\n");
  assert.ok(first[1].includes("山田 太郎") && first[1].endsWith("waits for a claim"), first[1]);
  assert.ok(first[1].includes("…"), "the subject gives way");

  markSessionClaim(seat.root, "cohort", { id: "m1" });
  const second = await watched.shows(/reopens in 20 min/);
  assert.deepEqual(second.match(/STATE/g).length, 1, "one table, drawn over the last one");
  assert.doesNotMatch(second, /waits for a claim/);
  assert.match(watched.capture("-e"), /\u001b\[33m(\u001b\[\d+m)*claimed/, "coloured");

  for (let number = 0; number < 20; number++) seat.put(`x${number}.yaml`);
  const many = (await watched.shows(/21 items/)).trimEnd().split("\n");
  assert.equal(many.length, 12, "as many lines as there are rows");
  assert.match(many[10], /^… 12 more$/);
  watched.resize(100, 30);
  await watched.shows(/\nnew +x9 (.*\n)+21 items/);
  for (let number = 0; number < 20; number++) markSessionClaim(seat.root, "cohort", { id: `x${number}` });
  watched.resize(60, 8);
  await watched.shows(/21 items: 21 claimed/);

  watched.keys("C-c");
  const after = await watched.shows(/exit 0/);
  assert.doesNotMatch(after, /STATE/, "what was on the terminal before is back");
  assert.equal(watched.ask("#{alternate_on} #{cursor_flag}"), "0 1");
});

test("a terminal gets colour, and none under NO_COLOR", needsTmux, async (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml", ITEM);
  const server = await tmuxServer(t);
  const args = ["inbox", "list", "--root", seat.root];
  for (const [env, coloured] of [
    ["", true],
    ["NO_COLOR=1", false],
    ["TERM=dumb", false],
  ]) {
    const shown = pane(server, args, { env });
    await shown.shows(/1 item: 1 new\n(.*\n)*exit 0/);
    assert.equal(/\u001b\[32m(\u001b\[\d+m)*new/.test(shown.capture("-e")), coloured, env);
  }
});

test("tmux resolve: the session of this very name, by exit code and document", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const id = server.tmux("display-message", "-p", "-t", "=keeper:", "#{session_id}").stdout.trim();
  assert.deepEqual(seatkit(["tmux", "resolve", "keeper", "--socket", server.socket]), { status: 0, stdout: `${id}\n`, stderr: "" });
  const at = (...args) => document(["tmux", "resolve", ...args, "--socket", server.socket]);
  assert.deepEqual(at("keeper"), { status: 0, ok: true, sessionId: id });
  for (const [name, status, error] of [
    ["keep", 3, "tmux-session-missing"],
    ["a:b", 2, "tmux-session-name-invalid"],
    ["", 2, "tmux-session-name-invalid"],
  ]) {
    const { message, ...answer } = at(name);
    assert.deepEqual(answer, { status, ok: false, error }, name);
    assert.equal(typeof message, "string");
  }
  assert.equal(document(["tmux", "resolve", "keeper", "--socket", join(server.folder, "none")]).status, 3, "no server, no session");
  assert.equal(document(["tmux", "resolve"]).error, "usage");
  assert.equal(
    seatkit(["tmux", "resolve", "keeper", "--socket", server.socket], { env: { PATH: server.folder } }).status,
    existsSync("/usr/bin/tmux") ? 0 : 4,
    "tmux is found beyond PATH",
  );
  if (process.platform !== "linux") return;
  const pid = Number(server.list("display-message", "-p", "#{pid}")[0]);
  rmSync(server.socket);
  try {
    assert.deepEqual([at("keeper").status, at("keeper").error], [4, "tmux-unavailable"], "the server lives, its socket is gone");
  } finally {
    process.kill(pid, "SIGUSR1");
    await until("the socket being back", () => existsSync(server.socket));
  }
});

test("tmux where: the caller's own place", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const out = join(server.folder, "where");
  const made = server.tmux(
    "new-window",
    "-d",
    "-P",
    "-F",
    "#{pid} #{session_id} #{window_id} #{window_index} #{pane_id} #{pane_pid}",
    "-t",
    "=keeper:",
    `${shell(process.execPath)} ${shell(SEATKIT)} tmux where --json > ${shell(`${out}.part`)}; ${shell(process.execPath)} ${shell(SEATKIT)} tmux where >> ${shell(`${out}.part`)}; mv ${shell(`${out}.part`)} ${shell(out)}`,
  );
  assert.equal(made.status, 0, made.stderr);
  const [serverPid, sessionId, windowId, windowIndex, paneId, panePid] = made.stdout.trim().split(" ");
  const [json, ...lines] = (await fileText(out)).trimEnd().split("\n");
  const { serverStart, ...published } = JSON.parse(json).placement;
  assert.deepEqual(published, { serverPid, sessionId, windowId, windowIndex, paneId, panePid });
  assert.match(serverStart, /^\d+/);
  assert.deepEqual(lines, [
    `server  pid ${serverPid}`,
    `session ${sessionId}`,
    `window  ${windowId}, index ${windowIndex}`,
    `pane    ${paneId}, pid ${panePid}`,
  ]);

  const where = (env) => document(["tmux", "where"], { env });
  const { message, ...outside } = where({});
  assert.deepEqual(outside, { status: 3, ok: false, error: "no-tmux-context" });
  assert.match(message, /no pane of tmux/);
  const context = { TMUX: `${server.socket},${serverPid},0` };
  assert.deepEqual(
    [where({ ...context, TMUX_PANE: "%99999" }).status, where({ ...context, TMUX_PANE: "%99999" }).error],
    [1, "anchor-unresolved"],
  );
  assert.deepEqual(
    [where({ ...context, TMUX_PANE: "pane" }).status, where({ ...context, TMUX_PANE: "pane" }).error],
    [1, "anchor-malformed"],
  );
  const gone = where({ TMUX: `${join(scratch(t), "none")},1,0`, TMUX_PANE: "%0" });
  assert.deepEqual([gone.status, gone.error], [4, "tmux-unavailable"]);
});

test("screen list: every session, and whether it lives", needsScreen, async (t) => {
  const { env, screen, list } = screenFolder(t);
  assert.equal(seatkit(["screen", "list"], { env }).stdout, "no sessions\n");
  for (const name of ["olivia", "sam"]) assert.equal(screen("-dmS", name, "sleep", "600").status, 0);
  await until("both sessions", () => (list().match(/Detached/g) ?? []).length === 2);
  const { status, ok, sessions } = document(["screen", "list"], { env });
  assert.deepEqual(
    [status, ok, sessions.map(({ name, state, live }) => [name, state, live]).sort()],
    [
      0,
      true,
      [
        ["olivia", "Detached", true],
        ["sam", "Detached", true],
      ],
    ],
  );
  assert.deepEqual(Object.keys(sessions[0]), ["pid", "name", "state", "live"]);
  const { stdout } = seatkit(["screen", "list"], { env: { ...cleanEnv(), ...env } });
  assert.match(stdout, /^PID +NAME +STATE +LIVE\n(\d+ +(olivia|sam) +Detached +yes\n){2}2 sessions: 2 live\n$/);
});

test("screen list: a folder that screen refuses is no list without sessions", needsScreen, async (t) => {
  const { env, home } = screenFolder(t);
  chmodSync(home, 0o755);
  const { message, ...answer } = document(["screen", "list"], { env });
  assert.deepEqual(answer, { status: 4, ok: false, error: "screen-unavailable" });
  assert.match(message, /must have mode 700/);
  assert.match(seatkit(["screen", "list"], { env }).stderr, /must have mode 700/);
  chmodSync(home, 0o700);
});
