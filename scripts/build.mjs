// Builds the addon, seatkit.<triple>.node, which lib/native.js finds.
// `--debug` builds without optimisation, `--if-needed` does nothing when the addon is newer than all
// it is made from; any other argument is passed on to `napi build`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function fail(message) {
  console.error(`seatkit: ${message}`);
  process.exit(1);
}

/** Whether an addon stands here, newer than every file it is built from. */
function upToDate() {
  const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
  const addon = readdirSync(root).find((name) => /^seatkit\..+\.node$/.test(name));
  const sources = readdirSync(join(root, "src"), { recursive: true })
    .map((name) => join("src", name))
    .concat("Cargo.toml", "Cargo.lock", "build.rs", "package.json", "scripts/build.mjs")
    .map((name) => modified(join(root, name)));
  return modified(join(root, addon ?? "seatkit.node")) >= Math.max(...sources);
}

const given = process.argv.slice(2);
if (given.includes("--if-needed") && upToDate()) process.exit(0);

if (spawnSync("cargo", ["--version"]).error) {
  fail("cargo is missing, and the addon is built from Rust: install it from https://rustup.rs and run `npm run build` again.");
}

let cli;
try {
  cli = createRequire(import.meta.url).resolve("@napi-rs/cli");
} catch {
  fail("@napi-rs/cli is missing: run `npm ci` first.");
}

const profile = given.includes("--debug") ? [] : ["--release"];
const args = ["build", "--platform", "--features", "node", ...profile, "--no-dts-cache", "--no-js", "--dts", "target/binding.d.ts"];
const { status, error } = spawnSync(
  process.execPath,
  [join(dirname(cli), "cli.js"), ...args, ...given.filter((arg) => arg !== "--debug" && arg !== "--if-needed")],
  { cwd: root, stdio: "inherit" },
);
if (error) fail(error.message);
process.exit(status ?? 1);
