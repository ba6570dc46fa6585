// Bundlers that bring the binary along: what they make is run in another folder, where no package is.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { place } from "./packages.mjs";

const PROGRAM = `import { markSessionClaim, parseExitFile } from "seatkit";
import { claimNextItem } from "seatkit/inbox-claims/promises";
claimNextItem("/nonexistent").then((next) => console.log(parseExitFile("137\\n"), markSessionClaim("/nonexistent", "mail", { id: "a" }).error, next.error));
`;

// A module that esbuild makes has no `require` of its own, and CommonJS in it, as seatkit is, asks for one.
const BANNER = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}\n${error ?? ""}${stdout}${stderr}`);
  return stdout;
}

/** Bundles a program of `app` in each way; `passed` is told of each. `bun` is its binary, where there is one. */
export function bundlers(folder, app, bun, passed) {
  const esbuild = join(place(folder, { esbuild: "0.28.2" }), ".bin", "esbuild");
  writeFileSync(join(app, "bundled.mjs"), PROGRAM);
  const copying = ["bundled.mjs", "--bundle", "--platform=node", "--loader:.node=copy", "--log-level=error"];
  const node = process.execPath;
  for (const [what, runtime, result, command, ...args] of [
    ["esbuild, ES module", node, "bundled.mjs", esbuild, ...copying, "--format=esm", "--out-extension:.js=.mjs", `--banner:js=${BANNER}`],
    ["esbuild, CommonJS", node, "bundled.cjs", esbuild, ...copying, "--format=cjs", "--out-extension:.js=.cjs"],
    ...(bun
      ? [
          ["bun build --target=node", node, "bundled.js", bun, "build", "bundled.mjs", "--target=node"],
          ["bun build --target=bun", bun, "bundled.js", bun, "build", "bundled.mjs", "--target=bun"],
        ]
      : []),
  ]) {
    const away = mkdtempSync(join(tmpdir(), "seatkit-bundle-"));
    try {
      const made = join(app, "bundle");
      rmSync(made, { recursive: true, force: true });
      mkdirSync(made);
      run(command, [...args, `--outdir=${made}`], app);
      writeFileSync(join(made, "package.json"), '{ "type": "module" }\n');
      renameSync(made, join(away, "bundle"));
      assert.equal(run(runtime, [join(away, "bundle", result)], away), "137 not-claimable empty\n", what);
      passed(`${what}: what it makes brings the binary along and finds it elsewhere`);
    } finally {
      rmSync(away, { recursive: true });
    }
  }
}
