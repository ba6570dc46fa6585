// Runs inside the folder that seatkit was installed in, on each runtime: every specifier by
// `import` and by `require`, and one call of each kind for real.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { exports } = require("seatkit/package.json");

for (const entry of Object.keys(exports).filter((name) => name !== "./package.json")) {
  const specifier = entry.replace(/^\./, "seatkit");
  const imported = await import(specifier);
  const required = require(specifier);
  const names = Object.keys(required);
  assert.ok(names.length > 0, `${specifier} exports something`);
  for (const name of names) assert.equal(imported[name], required[name], `${specifier}: ${name}`);
}

const { findInboxFile, markSessionClaim, parseExitFile } = await import("seatkit");
assert.equal(parseExitFile("137\n"), 137);
const root = mkdtempSync(join(tmpdir(), "seatkit-probe-"));
try {
  mkdirSync(join(root, "state", "inbox", "mail"), { recursive: true });
  writeFileSync(join(root, "state", "inbox", "mail", "2026-09-08T09-59-00-000Z-a1.yaml"), "subject: hello\n");
  assert.equal(markSessionClaim(root, "mail", { id: "a1" }, { now: Date.now() }).ok, true);
  assert.equal(findInboxFile(root, "a1")?.state, "claimed");
} finally {
  rmSync(root, { recursive: true });
}
console.log("every specifier answers");
