// Builds the addon for one of the six targets, as it is released, with what that needs:
//
//   node scripts/build-target.mjs TRIPLE
//
// gnu targets are linked against glibc 2.17 by napi-rs's cross toolchain, musl ones by zig; the
// macOS ones need a Mac.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const { targets } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).napi;
const [triple] = process.argv.slice(2);

function run(command, ...args) {
  console.log(`$ ${command} ${args.join(" ")}`);
  const { status, error } = spawnSync(command, args, {
    cwd: project,
    stdio: "inherit",
    // The oldest macOS that Node 20 runs on.
    env: { MACOSX_DEPLOYMENT_TARGET: "10.15", ...process.env },
  });
  if (error || status !== 0) {
    console.error(`build-target: ${command} ${error ? error.message : `exited with ${status}`}`);
    process.exit(1);
  }
}

if (!targets.includes(triple)) {
  console.error(`build-target: name one of ${targets.join(", ")}`);
  process.exit(2);
}

run("rustup", "target", "add", triple);
const flags = [];
if (triple.endsWith("-gnu")) flags.push("--use-napi-cross");
if (triple.endsWith("-musl")) {
  run("python3", "-m", "pip", "install", "--user", "--break-system-packages", "ziglang==0.14.1", "cargo-zigbuild==0.24.0");
  flags.push("--cross-compile");
}
run(process.execPath, "scripts/build.mjs", "--target", triple, ...flags);

const [arch, , system, libc] = triple.split("-");
if (system === "linux") {
  const cpu = { x86_64: "x64", aarch64: "arm64" }[arch];
  run(process.execPath, "scripts/glibc-floor.mjs", `seatkit.linux-${cpu}-${libc}.node`);
}
