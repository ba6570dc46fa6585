// Every snippet of the README does what it says, as it stands. The Rust one is a doc test.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { listInbox } from "seatkit/inbox-claims";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(project, "README.md"), "utf8");
const snippets = (language) => [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text);
const [worker, session, dropIn] = snippets("js");
const [shell] = snippets("sh");

/** A folder below this package, so that its name means this package there. */
function folder(t) {
  mkdirSync(join(project, "target"), { recursive: true });
  const path = mkdtempSync(join(project, "target", "readme-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function run(cwd, text) {
  writeFileSync(join(cwd, "snippet.mjs"), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["snippet.mjs"], { cwd, encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

const states = (root) => Object.fromEntries(listInbox(root).items.map(({ id, state }) => [id, state]));

test("the worker delivers, answers and finishes its item", (t) => {
  const cwd = folder(t);
  assert.equal(run(cwd, worker), "Olivia wants the deck, please\n");
  assert.deepEqual(states(join(cwd, "seat")), { m1: "processed" });
  assert.equal(run(cwd, worker), "", "a delivery that is repeated does not count");
});

test("the commands deliver, answer and list", (t) => {
  const cwd = folder(t);
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "seatkit"), `#!/bin/sh\nexec "${process.execPath}" "${join(project, "lib/command/seatkit.mjs")}" "$@"\n`);
  chmodSync(join(bin, "seatkit"), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", shell], { cwd, env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.deepEqual(states(cwd), { m2: "processed" });
  assert.match(stdout, /m2/);
});

test("the session is started, typed into and followed to its own end", { skip: spawnSync("tmux", ["-V"]).error && "no tmux" }, (t) => {
  assert.equal(run(folder(t), session), "{ kind: 'exited', code: 7 }\n");
});

test("the file that stands in for another has its names", async (t) => {
  const cwd = folder(t);
  run(cwd, `${dropIn}`);
  writeFileSync(
    join(cwd, "consumer.mjs"),
    'import claims, { markSessionClaim, resolveTmuxSessionId } from "./snippet.mjs";\nconsole.log(typeof claims.markSessionClaim, typeof markSessionClaim, typeof resolveTmuxSessionId);\n',
  );
  const { stdout } = spawnSync(process.execPath, ["consumer.mjs"], { cwd, encoding: "utf8" });
  assert.equal(stdout, "function function function\n");
});

test("no snippet is left out, and every link leads somewhere", () => {
  assert.deepEqual(
    [snippets("js").length, snippets("sh").length, snippets("rust").length, readme.match(/^```\w+$/gm).length],
    [3, 1, 1, 6],
  );
  assert.ok(readme.split("\n").length <= 151);
  for (const name of [
    "README.md",
    "CONTRIBUTING.md",
    ...["alternatives", "costs", "day", "deviations", "guarantees", "sessions", "support"].map((page) => `docs/${page}.md`),
  ]) {
    const text = readFileSync(join(project, name), "utf8");
    for (const [, target] of text.matchAll(/\]\(([^)#]+)\)/g)) {
      if (!target.startsWith("https:")) assert.ok(existsSync(join(project, dirname(name), target)), `${name}: ${target}`);
    }
  }
});
