// Installs the packed tarballs by name into an empty folder, and uses them there as users do:
//
//   node scripts/install-test.mjs [--prebuilt]
//
// Every specifier by `import` and by `require`, the SDK's suites and the command, on each runtime; the same by yarn's
// plug'n'play; what bundlers make of a program; two test files in one worker of jest and of vitest; a TypeScript
// program; an SDK's folder whose two files were exchanged for seatkit, and back. `--prebuilt` takes the addon as it stands.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { findSuites, runSuites } from "./conformance.mjs";
import { bundlers } from "./install/bundlers.mjs";
import { plugAndPlay } from "./install/pnp.mjs";
import { serve } from "./install/registry.mjs";
import { runners } from "./install/runners.mjs";
import { runtimes } from "./install/runtimes.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const shared = join(project, "..", "shared");
const sdk = join(shared, "sdk", "lib", "session");
const suites = findSuites(sdk);
const work = mkdtempSync(join(tmpdir(), "seatkit-install-"));
const app = join(work, "app");
const MODULES = ["inbox-claims", "launch-args"];

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: app, encoding: "utf8", ...options });
  assert.ok(!result.error && result.status === 0, `${command} ${args.join(" ")}\n${result.error ?? ""}${result.stdout}${result.stderr}`);
  return result.stdout;
}

let checks = 0;
function passed(what) {
  checks += 1;
  console.log(`ok ${checks} - ${what}`);
}

async function install() {
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  const registry = await serve({ dist: join(project, "dist"), npm: join(project, "npm") });
  const npm = (...args) =>
    new Promise((resolve, reject) => {
      // Asynchronous, since the registry answers from this very process.
      import("node:child_process").then(({ execFile }) =>
        execFile(
          "npm",
          [...args, "--registry", registry.url, "--cache", join(work, "cache"), "--no-audit", "--no-fund"],
          { cwd: app },
          (error, stdout, stderr) => (error ? reject(new Error(`${stdout}${stderr}`)) : resolve(stdout)),
        ),
      );
    });
  try {
    await npm("install", "--omit=optional", "seatkit");
    const without = spawnSync(process.execPath, ["-e", 'require("seatkit")'], { cwd: app, encoding: "utf8" });
    assert.match(without.stderr, /Error: seatkit cannot load its addon: the package that holds the binary .* is not installed/);
    passed("an install without optional dependencies says what is missing");

    rmSync(join(app, "node_modules"), { recursive: true });
    rmSync(join(app, "package-lock.json"));
    await npm("install", "seatkit");
    await plugAndPlay(join(project, "target", "yarn"), work, registry.url, passed);
  } finally {
    await registry.close();
  }
  const installed = readdirSync(join(app, "node_modules"))
    .filter((name) => !name.startsWith("."))
    .sort();
  const built = readdirSync(join(project, "dist"))
    .map((file) => file.replace(/-\d.*$/, ""))
    .sort();
  assert.deepEqual(installed, built);
  const manifest = JSON.parse(readFileSync(join(app, "node_modules", "seatkit", "package.json"), "utf8"));
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.dependencies, undefined);
  passed(`npm install seatkit brings ${installed.join(" and ")}, runs no script and depends on nothing else`);
  return manifest;
}

/** A copy of the SDK's folder inside the app, its two modules either its own or seatkit's. */
function layDropIn(folder) {
  mkdirSync(folder, { recursive: true });
  for (const suite of suites) copyFileSync(suite, join(folder, basename(suite)));
  for (const name of MODULES) {
    writeFileSync(join(folder, `${name}.mjs`), `export * from "seatkit/${name}";\nexport { default } from "seatkit/${name}";\n`);
  }
  return folder;
}

function layReference(folder) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(shared, "baseline", "inbox-claims.mjs"), join(folder, "inbox-claims.mjs"));
  for (const file of ["launch-args.mjs", "identity.mjs"]) copyFileSync(join(sdk, file), join(folder, file));
}

/** Runs the suites of `folder` as they lie there; the answer is how many tests passed. */
function runThere(runtime, folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".test.mjs"))
    .sort();
  const args = {
    node: ["--test", "--test-reporter=tap", ...files],
    bun: ["test", ...files.map((file) => `./${file}`)],
    deno: ["test", "--allow-all", "--no-check", ...files],
  }[runtime.kind];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(runtime.bin, args, { cwd: folder, encoding: "utf8", env: { ...env, NO_COLOR: "1" } });
  assert.equal(status, 0, `${runtime.label}\n${stdout}${stderr}`);
  const count = /^# pass (\d+)$/m.exec(stdout) ?? /^\s*(\d+) pass$/m.exec(stderr) ?? /ok \| (\d+) passed \| 0 failed/.exec(stdout);
  return Number(count?.[1]);
}

function typeCheck() {
  copyFileSync(join(project, "scripts", "install", "program.ts"), join(app, "program.ts"));
  copyFileSync(join(project, "scripts", "install", "program.ts"), join(app, "program.cts"));
  for (const [label, options, files] of [
    ["module: nodenext, as an ES module", { module: ts.ModuleKind.NodeNext }, ["program.ts"]],
    ["module: nodenext, as CommonJS", { module: ts.ModuleKind.NodeNext }, ["program.cts"]],
    ["moduleResolution: bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }, ["program.ts"]],
  ]) {
    const program = ts.createProgram(
      files.map((file) => join(app, file)),
      {
        ...options,
        target: ts.ScriptTarget.ES2022,
        strict: true,
        noEmit: true,
        skipDefaultLibCheck: true,
        types: [],
      },
    );
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => app, getNewLine: () => "\n" };
    assert.equal(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host), "");
    passed(`a TypeScript program checks (${label})`);
  }
}

try {
  if (!process.argv.includes("--prebuilt")) run("npm", ["run", "--silent", "build", "--", "--if-needed"], { cwd: project });
  run(process.execPath, [join(project, "scripts", "pack.mjs")], { cwd: project });
  const manifest = await install();
  copyFileSync(join(project, "scripts", "install", "probe.mjs"), join(app, "probe.mjs"));
  const expected = suites.length > 0 && runSuites(suites, { folder: sdk, from: pathToFileURL(join(app, "probe.mjs")).href, quiet: true });
  if (expected) {
    assert.ok(expected.ok && expected.passed === expected.tests);
    passed(`the SDK's suites, unmodified where they lie, pass ${expected.passed} of ${expected.tests} on the installed package`);
  } else {
    console.log("no suites of the SDK here (../shared is not there): they are not run");
  }

  const dropIn = suites.length > 0 && layDropIn(join(app, "lib", "session"));
  const there = runtimes(join(project, "target", "runtimes"));
  for (const runtime of there) {
    run(runtime.bin, [...(runtime.kind === "deno" ? ["run", "--allow-all"] : []), "probe.mjs"]);
    passed(`${runtime.label}: every specifier by import and by require`);
    if (dropIn) {
      assert.equal(runThere(runtime, dropIn), expected.tests, runtime.label);
      passed(`${runtime.label}: ${expected.tests} of ${expected.tests} with the SDK's two files exchanged`);
    }
    for (const [command, file] of Object.entries(manifest.bin ?? {})) {
      const path = join(app, "node_modules", "seatkit", file);
      const help = run(runtime.bin, [...(runtime.kind === "deno" ? ["run", "--allow-all"] : []), path, "--help"]);
      assert.match(help, new RegExp(command));
      passed(`${runtime.label}: ${command} --help`);
    }
  }
  for (const command of Object.keys(manifest.bin ?? {})) {
    assert.match(run(join(app, "node_modules", ".bin", command), ["--help"]), new RegExp(command));
    passed(`node_modules/.bin/${command} runs`);
  }

  const bun = there.find(({ kind }) => kind === "bun")?.bin;
  bundlers(join(project, "target", "bundlers"), app, bun, passed);
  runners(join(project, "target", "runners"), app, passed);

  if (dropIn) {
    layReference(dropIn);
    assert.equal(runThere({ kind: "node", label: "the way back", bin: process.execPath }, dropIn), expected.tests);
    passed("the way back: with the SDK's own files again, its suites pass as before");
  }
  typeCheck();
  console.log(`install-test: ${checks} passed, 0 failed`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
