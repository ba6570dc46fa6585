// Builds the addon: seatkit.<triple>.node, its loader binding.js and the types binding.d.ts.
// `--debug` builds without optimisation; any other argument is passed on to `napi build`.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function fail(message) {
  console.error(`seatkit: ${message}`);
  process.exit(1);
}

if (spawnSync("cargo", ["--version"]).error) {
  fail("cargo is missing, and the addon is built from Rust: install it from https://rustup.rs and run `npm run build` again.");
}

let cli;
try {
  cli = createRequire(import.meta.url).resolve("@napi-rs/cli");
} catch {
  fail("@napi-rs/cli is missing: run `npm ci` first.");
}

const given = process.argv.slice(2);
const profile = given.includes("--debug") ? [] : ["--release"];
const args = ["build", "--platform", ...profile, "--no-dts-cache", "--js", "binding.js", "--dts", "binding.d.ts"];
const { status, error } = spawnSync(
  process.execPath,
  [join(dirname(cli), "cli.js"), ...args, ...given.filter((arg) => arg !== "--debug")],
  { cwd: root, stdio: "inherit" },
);
if (error) fail(error.message);
process.exit(status ?? 1);
