// Yarn's plug'n'play: no node_modules, packages kept as archives.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { place } from "./packages.mjs";

/** Adds seatkit to a project of its own by yarn from the registry at `url`; `passed` is told of what works there. */
export async function plugAndPlay(folder, work, url, passed) {
  const yarn = join(place(folder, { "@yarnpkg/cli-dist": "4.18.1" }), "@yarnpkg", "cli-dist", "bin", "yarn.js");
  const app = join(work, "pnp");
  mkdirSync(app);
  // With this yarn lays a loader for `import` too.
  writeFileSync(join(app, "package.json"), '{ "name": "app", "private": true, "type": "module" }\n');
  writeFileSync(join(app, "yarn.lock"), "");
  writeFileSync(
    join(app, ".yarnrc.yml"),
    [
      `npmRegistryServer: ${url}`,
      'unsafeHttpWhitelist: ["127.0.0.1"]',
      "npmMinimalAgeGate: 0",
      "enableGlobalCache: false",
      "enableImmutableInstalls: false",
      "enableTelemetry: false",
      "",
    ].join("\n"),
  );
  copyFileSync(new URL("probe.mjs", import.meta.url), join(app, "probe.mjs"));
  // Asynchronous, since the registry answers from this very process.
  const run = async (...args) => {
    try {
      return (await promisify(execFile)(process.execPath, [yarn, ...args], { cwd: app })).stdout;
    } catch (error) {
      throw new Error(`yarn ${args.join(" ")}\n${error.stdout}${error.stderr}`, { cause: error });
    }
  };
  await run("add", "seatkit");
  assert.ok(existsSync(join(app, ".pnp.cjs")) && !existsSync(join(app, "node_modules")));
  assert.match(await run("node", "probe.mjs"), /every specifier answers/);
  passed("yarn's plug'n'play: every specifier by import and by require");
  assert.match(await run("seatkit", "--help"), /usage: seatkit/);
  passed("yarn's plug'n'play: seatkit --help");
}
