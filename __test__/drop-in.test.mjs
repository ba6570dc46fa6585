// The recipe of the README for entwurf's two modules: a file of its own tree that is nothing but
// `export * from` ours, and a consumer that imports every name of it from there.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TMUX, cleanEnv, needsTmux, pathToTmux, scratch, sessionOf, tmuxServer } from "./mux-sandbox.mjs";

const PLACEMENT = [
  "APPEND_FORMAT",
  "INSPECT_FORMAT",
  "PLACEMENT_FIELDS",
  "WINDOW_FIELDS",
  "appendWindow",
  "assertSelector",
  "assertTmuxOk",
  "buildAppendArgs",
  "buildCloseArgs",
  "buildInspectArgs",
  "buildListWindowIdsArgs",
  "classifyCloseFailure",
  "closeWindow",
  "inspectPlacement",
  "isDecimal",
  "isPaneId",
  "isSameContext",
  "isSameServer",
  "isSessionId",
  "isWindowId",
  "parsePlacement",
  "parseWindowFields",
  "readAnchor",
  "requireSameContext",
  "requireSameServer",
  "runTmux",
];
const LOOKUP = ["buildTmuxSessionLookupArgs", "classifyTmuxSessionName", "resolveTmuxSessionId"];

/** A tree of modules as the consumers have it, with this package installed in it. */
function tree(t, consumer) {
  const folder = scratch(t);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules", "seatkit"));
  mkdirSync(join(folder, "lib"));
  writeFileSync(join(folder, "lib", "mux-placement.mjs"), 'export * from "seatkit/mux-placement";\n');
  writeFileSync(join(folder, "lib", "resolve-tmux-session.mjs"), 'export * from "seatkit/resolve-tmux-session";\n');
  writeFileSync(
    join(folder, "consumer.mjs"),
    `import { ${PLACEMENT.join(", ")} } from "./lib/mux-placement.mjs";\nimport { ${LOOKUP.join(", ")} } from "./lib/resolve-tmux-session.mjs";\n${consumer}`,
  );
  return (env) => {
    const run = spawnSync(process.execPath, [join(folder, "consumer.mjs")], { env, encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    return JSON.parse(run.stdout);
  };
}

test("a consumer finds every name that it imports", (t) => {
  const run = tree(t, `console.log(JSON.stringify([${[...PLACEMENT, ...LOOKUP].join(", ")}].map((value) => typeof value)));`);
  const kinds = run(cleanEnv());
  assert.deepEqual(kinds, [
    "string",
    "string",
    "object",
    "object",
    ...PLACEMENT.slice(4).map(() => "function"),
    ...LOOKUP.map(() => "function"),
  ]);
});

test("a sibling is opened in a named session, found by its handle and closed, without a shim", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [own, other] = [await sessionOf(server, "own"), await sessionOf(server, "other")];
  // As a launcher does: its own place proven, the seat resolved by name, one window, its handle read.
  const run = tree(
    t,
    `
    const env = process.env;
    const inspected = inspectPlacement(env);
    if (!inspected.ok) throw new Error(inspected.reason);
    const { placement } = inspected;
    requireSameContext("open", placement, env);
    const seat = resolveTmuxSessionId("other", (args) => runTmux(args, env));
    if (!seat.ok) throw new Error(seat.reason);
    assertSelector("session", seat.sessionId);
    const opened = runTmux(buildAppendArgs(seat.sessionId), env);
    assertTmuxOk("new-window", opened);
    const handle = { serverPid: placement.serverPid, sessionId: seat.sessionId, ...parseWindowFields(opened.stdout) };
    requireSameServer("close", handle, env);
    const listed = () => runTmux(buildListWindowIdsArgs(), env).stdout.split("\\n").includes(handle.windowId);
    const before = listed();
    const outcomes = [closeWindow(handle, env), closeWindow(handle, env)];
    const refused = [];
    for (const call of [() => appendWindow({ ...placement, sessionId: seat.sessionId }, env), () => closeWindow({ ...handle, serverPid: "1" }, env), () => requireSameServer("x", { ...handle, serverPid: "1" }, env)]) {
      try { refused.push(String(call())); } catch (error) { refused.push(error.message); }
    }
    console.log(JSON.stringify({ own: placement.sessionId, seat: seat.sessionId, before, after: listed(), outcomes, refused, missing: resolveTmuxSessionId("nobody", (args) => runTmux(args, env)) }));
  `,
  );
  const { refused, ...answer } = run({ ...own.env, PATH: pathToTmux() });
  assert.deepEqual(answer, {
    own: own.sessionId,
    seat: other.sessionId,
    before: true,
    after: false,
    outcomes: ["closed", "already-gone"],
    missing: { ok: false, reason: "tmux-session-missing" },
  });
  assert.match(refused[0], /^mux-placement: appendWindow refused — context changed/);
  assert.match(
    refused[1],
    /^mux-placement: closeWindow refused — server changed \(handle was born on server 1, this environment names server \d+\)/,
  );
  assert.match(refused[2], /^mux-placement: x refused — server changed/);
  assert.ok(TMUX);
});
