// Test runners that evaluate a module anew for each file of tests, in contexts that share one addon.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { place } from "./packages.mjs";

// The newest that run on Node 20.
const PACKAGES = { jest: "30.5.2", vitest: "4.1.12" };
const NAMES = ["first", "second"];

/** The same tests under two names; jest takes CommonJS, so there they are compiled. */
function lay(app, extension, source) {
  const folder = join(app, "contexts");
  mkdirSync(folder, { recursive: true });
  for (const name of NAMES) writeFileSync(join(folder, `${name}.test.${extension}`), source);
}

/** Runs the two files in one worker of each runner, in each way that it has; `passed` is told of each. */
export function runners(folder, app, passed) {
  const modules = place(folder, PACKAGES);
  const source = readFileSync(new URL("own-context.test.mjs", import.meta.url), "utf8");
  lay(app, "mjs", source);
  lay(
    app,
    "cjs",
    ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } }).outputText,
  );
  const bin = (path) => join(modules, path);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  for (const [what, ...args] of [
    ["jest", bin("jest/bin/jest.js"), "--rootDir", app, "--runInBand", "--testMatch", "**/contexts/*.test.cjs"],
    ...["threads", "forks", "vmThreads", "vmForks"].map((pool) => [
      `vitest's ${pool}`,
      bin("vitest/vitest.mjs"),
      "run",
      "--root",
      app,
      "--globals",
      "--pool",
      pool,
      "--maxWorkers",
      "1",
      "--no-file-parallelism",
      ...NAMES.map((name) => `contexts/${name}.test.mjs`),
    ]),
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: app,
      encoding: "utf8",
      env: { ...env, CI: "true", NO_COLOR: "1" },
    });
    const output = `${stdout}${stderr}`;
    assert.equal(status, 0, `${what}\n${output}`);
    assert.match(output, /Tests:? +4 passed/, what);
    passed(`${what}: two files in one worker each have their own process.env and error classes`);
  }
}
