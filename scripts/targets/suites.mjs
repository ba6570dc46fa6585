// The suites of this project, on another target.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { aloud } from "./run.mjs";
import { libc, nodeFor, project, zig } from "./tools.mjs";

const sum = (text, pattern) => [...text.matchAll(pattern)].reduce((total, [, count]) => total + Number(count), 0);

/** `cargo` for `triple`, linked by zig; `words` is its subcommand and what follows. */
function cargo(triple, words) {
  const target = triple.endsWith("-gnu") ? `${triple}.2.17` : triple;
  const [subcommand, ...rest] = words;
  return ["cargo-zigbuild", [subcommand, "--locked", "--target", target, ...rest]];
}

/** What the linker is told so that a program finds its C library where the tools are. */
function whereLibcIs(triple) {
  if (!triple.endsWith("-gnu")) return [];
  const { folder, loader } = libc(triple);
  return [`-Clink-arg=-Wl,-dynamic-linker,${loader}`, `-Clink-arg=-Wl,-rpath,${folder}`];
}

/** The Rust suites, with Node-API and without; `skip` are parts of the names of tests that are left out. */
export async function rust(triple, { emulated, skip = [] }) {
  let ok = true;
  let passed = 0;
  for (const words of [
    ["test", "--no-fail-fast", "--lib", "--features", "node"],
    ["test", "--no-fail-fast"],
  ]) {
    const [command, args] = cargo(triple, words);
    const filter = skip.length > 0 ? ["--", ...skip.flatMap((name) => ["--skip", name])] : [];
    const run = await aloud(command, [...args, ...filter], { env: zig(triple, whereLibcIs(triple)), emulated });
    ok &&= run.status === 0;
    passed += sum(run.output, /^test result: .*? (\d+) passed;/gm);
  }
  return { ok: ok && passed > 0, passed };
}

/** A copy of this project with `addon` in it, beside the folder that the suites of others are in. */
function lay(triple, addon) {
  const home = join(project, "target", "targets", triple);
  const copy = join(home, "seatkit");
  rmSync(home, { recursive: true, force: true });
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: project, encoding: "utf8" });
  for (const file of files.split("\0").filter((file) => file && existsSync(join(project, file))))
    cpSync(join(project, file), join(copy, file));
  cpSync(addon, join(copy, basename(addon)));
  mkdirSync(join(copy, "target"));
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));
  const shared = join(project, "..", "shared");
  if (existsSync(shared)) symlinkSync(shared, join(home, "shared"));
  return copy;
}

/** The JavaScript suites on `addon`, by `node` or by a Node of that target. */
export async function javaScript(triple, addon, { emulated, skip = [], node = nodeFor(triple) }) {
  const cwd = lay(triple, addon);
  // A script that says `env node` means this one.
  const env = { PATH: `${dirname(node)}:${process.env.PATH}` };
  const files = readdirSync(join(cwd, "__test__"))
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => join("__test__", name));
  const tap = join(cwd, "target", "out.tap");
  const reporters = ["spec", "stdout", "tap", tap].map((word, i) => `--test-reporter${i % 2 ? "-destination" : ""}=${word}`);
  const patterns = skip.map((name) => `--test-skip-pattern=${name}`);
  const tests = await aloud(node, ["--test", ...reporters, ...patterns, ...files], { cwd, env, emulated });
  const report = readFileSync(tap, "utf8");
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(report)?.[1] ?? 0);
  const sdk = await aloud(node, ["scripts/conformance.mjs"], { cwd, env, emulated });
  return {
    ok: tests.status === 0 && sdk.status === 0 && count("pass") > 0,
    passed: count("pass"),
    skipped: count("skipped"),
    failed: count("fail"),
  };
}

/** What can be seen of a target that nothing here runs: that it compiles and is clean, and that its tests link. */
export async function compiled(triple, { link }) {
  const env = zig(triple);
  for (const words of [
    ["clippy", "--all-targets", "--features", "node", "--", "-D", "warnings"],
    ["clippy", "--all-targets", "--", "-D", "warnings"],
    ...(link
      ? [
          ["test", "--no-run", "--lib", "--features", "node"],
          ["test", "--no-run"],
        ]
      : []),
  ]) {
    const [command, args] = cargo(triple, words);
    if ((await aloud(command, args, { env })).status !== 0) return { ok: false };
  }
  return { ok: true };
}
